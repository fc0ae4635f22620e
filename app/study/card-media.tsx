/** The pictures and sounds of a card: from what the browser keeps, else from the server. What is missing is named in place. */
import { h } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inWords, SERVER, Unreachable } from '../api/client'
import { readCardFile } from '../data/card-files'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'

/** What may be shown or played: media of the workspace by the addresses that the server signed. */
const MEDIA = /^\/api\/flashcards\/media\/[\w-]+$/
const DATA_PICTURE = /^data:(image\/(?:png|jpeg|gif|webp|avif));base64,([A-Za-z0-9+/=\s]+)$/

/** Where a medium of the workspace is, also if the server is below a path; null for any other address. */
export const mediaAddress = (src: string) => (MEDIA.test(src) ? SERVER + src.slice(1) : null)

/** A picture of the workspace, or one that the card itself has; of no other place. */
export function Picture({ src, attributes }: { src: string; attributes: Record<string, string> }) {
  if (MEDIA.test(src)) return <StoredPicture src={src} attributes={attributes} />
  return <OwnPicture src={src} attributes={attributes} />
}

function StoredPicture({ src, attributes }: { src: string; attributes: Record<string, string> }) {
  const { address, fault, onError } = useFile(src, 'picture')
  if (fault !== null)
    return (
      <span class="missing-media">
        {attributes.alt && `${attributes.alt}: `}
        {fault}
      </span>
    )
  return <img alt="" {...attributes} src={address ?? undefined} decoding="async" onError={onError} />
}

function OwnPicture({ src, attributes }: { src: string; attributes: Record<string, string> }) {
  const address = useObjectUrl(useMemo(() => readDataPicture(src), [src]))
  if (address === null) return <span class="missing-media">{attributes.alt ?? say`A picture`}</span>
  return <img alt="" {...attributes} src={address} decoding="async" />
}

/** A sound or a film of the workspace; nothing for one of another place. */
export function Sound({ kind, src }: { kind: 'audio' | 'video'; src: string }) {
  return MEDIA.test(src) ? <StoredSound kind={kind} src={src} /> : null
}

/** Reads a hidden text of the card aloud; nothing where the browser cannot speak. */
export function Speech({ of: text }: { of: Element }) {
  if (!('speechSynthesis' in globalThis)) return null
  const how = { 'data-lang': text.getAttribute('lang') ?? '', 'data-speed': text.getAttribute('data-speed') ?? '1' }
  return (
    <button
      type="button"
      class="study-speech"
      value={text.textContent}
      {...how}
      onClick={(event) => speak(event.currentTarget)}
    >
      {say`Read aloud`}
    </button>
  )
}

/** Speaks the text of a button of Speech, by a voice of its language, in place of what is spoken. */
export function speak({ value, dataset }: HTMLButtonElement, onend: (() => void) | null = null): void {
  const spoken = { lang: dataset.lang ?? '', rate: Number(dataset.speed), onend }
  speechSynthesis.cancel()
  speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(value), spoken))
}

function StoredSound({ kind, src }: { kind: 'audio' | 'video'; src: string }) {
  const { address, fault, onError } = useFile(src, kind)
  if (fault !== null) return <span class="missing-media">{fault}</span>
  const label = kind === 'audio' ? say`Sound of the card` : say`Film of the card`
  return h(kind, { controls: true, preload: 'none', src: address ?? undefined, 'aria-label': label, onError })
}

const FAULTS = {
  picture: {
    broken: say`This picture cannot be shown.`,
    away: say`This picture needs the network.`,
    refused: (why: string) => say`This picture could not be loaded. ${why}`,
  },
  audio: {
    broken: say`This sound cannot be shown.`,
    away: say`This sound needs the network.`,
    refused: (why: string) => say`This sound could not be loaded. ${why}`,
  },
  video: {
    broken: say`This film cannot be shown.`,
    away: say`This film needs the network.`,
    refused: (why: string) => say`This film could not be loaded. ${why}`,
  },
}

/**
 * The address of a file, null until it is known, or why it cannot be shown. What the browser could not load is requested again, to
 * learn why, and once the network is back.
 */
function useFile(src: string, kind: keyof typeof FAULTS) {
  const { api, study } = useWorkspace()
  const [file, setFile] = useState<Blob | 'on the server' | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const url = useObjectUrl(file instanceof Blob ? file : null)
  const isFailed = fault !== null
  const readKept = async () => (await study.loadFiles())?.read(src)
  useEffect(() => {
    let isGone = false
    if (!isFailed) readKept().then((kept) => !isGone && setFile(kept ?? 'on the server'))
    const retry = () => setFault(null)
    if (isFailed) addEventListener('online', retry)
    return () => {
      isGone = true
      removeEventListener('online', retry)
    }
  }, [src, study, isFailed])

  async function onError(): Promise<void> {
    if (file instanceof Blob) return setFault(FAULTS[kind].broken)
    try {
      setFile(await readCardFile(api, src))
    } catch (error) {
      const isAway = error instanceof Unreachable
      setFault(isAway ? FAULTS[kind].away : FAULTS[kind].refused(inWords(error)))
    }
  }

  return { address: file === 'on the server' ? mediaAddress(src) : url, fault, onError }
}

/** The address of bytes, as long as they are shown. */
function useObjectUrl(file: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const url = URL.createObjectURL(file)
    setAddress(url)
    return () => {
      URL.revokeObjectURL(url)
      setAddress(null)
    }
  }, [file])
  return address
}

/** The picture in a `data:` address; null if it is none. The page loads no such address, but it may show what it holds. */
function readDataPicture(src: string): Blob | null {
  const [, type, bytes = ''] = DATA_PICTURE.exec(src) ?? []
  if (type === undefined) return null
  try {
    return new Blob([Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0))], { type })
  } catch {
    return null // It is cut off, or no base64.
  }
}
