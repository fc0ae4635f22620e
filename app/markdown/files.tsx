import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { say } from '../words/say'

type LoadFile = (target: string) => Promise<string>

const SOUND = /\.(?:flac|m4a|mp3|oga|ogg|opus|wav)$/i
const FILM = /\.(?:3gp|mkv|mov|mp4|ogv|webm)$/i
const OTHER =
  /\.(?:pdf|base|canvas|csv|docx?|epub|excalidraw|gz|html?|ics|json|od[pst]|pptx?|rtf|tar|txt|xlsx?|xml|zip)$/i

/** Whether a file is saved rather than shown. */
export const isDocument = (target: string): boolean => OTHER.test(target)

interface MediaFileProps {
  /** The name or path of the file, as written. */
  readonly target: string
  /** What a picture shows; may be empty. */
  readonly label: string
  readonly load: LoadFile
  /** In CSS pixels. */
  readonly width?: number
  readonly height?: number
}

/** Shows a picture, a sound or a film of the note; another file is a link to it. */
export function MediaFile({ target, label, load, width, height }: MediaFileProps) {
  const isOther = isDocument(target)
  const file = useFile(target, load, !isOther)
  const name = label || target
  if (isOther)
    return (
      <FileLink target={target} load={load}>
        {name}
      </FileLink>
    )
  if (file === 'missing') return <span class="md-absent">{`${name} ${say`(could not be loaded)`}`}</span>
  if (file === 'loading') return <span class="md-loading">{say`Loading ${name}`}</span>
  // biome-ignore-start lint/a11y/useMediaCaption: the captions of a note's own sounds and films are unknown
  if (SOUND.test(target)) return <audio controls preload="metadata" src={file.url} aria-label={name} />
  if (FILM.test(target)) return <video controls preload="metadata" src={file.url} aria-label={name} />
  // biome-ignore-end lint/a11y/useMediaCaption: as above
  return <img src={file.url} alt={label} loading="lazy" {...(width ? { width } : {})} {...(height ? { height } : {})} />
}

type LoadedFile = 'loading' | 'missing' | { readonly url: string }

function useFile(target: string, load: LoadFile, isWanted: boolean): LoadedFile {
  const [file, setFile] = useState<LoadedFile>('loading')
  useEffect(() => {
    if (!isWanted) return
    let isCurrent = true
    setFile('loading')
    load(target).then(
      (url) => isCurrent && setFile({ url }),
      () => isCurrent && setFile('missing'),
    )
    return () => {
      isCurrent = false
    }
  }, [target, load, isWanted])
  return file
}

/** Saves a file of the note, which is loaded on request. */
export function FileLink({ target, load, children }: { target: string; load: LoadFile; children: ComponentChildren }) {
  const [isMissing, setMissing] = useState(false)
  const save = async () => {
    try {
      const link = document.createElement('a')
      link.href = await load(target)
      link.download = target.slice(target.lastIndexOf('/') + 1)
      link.click()
      setMissing(false)
    } catch {
      setMissing(true)
    }
  }
  return (
    <>
      <button type="button" class="md-file" onClick={save}>
        {children}
      </button>
      <span role="status">{isMissing && ` ${say`(could not be loaded)`}`}</span>
    </>
  )
}
