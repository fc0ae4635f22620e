import type { Session } from '../../../db/database'
import { Refusal } from '../../../http/problem'
import { checkedMediaName, sharedName } from '../../media/media-name'
import { getMedia, hasContent, mediaBytes } from '../../media/store'
import { MEDIA_LIMITS, type MediaFile, type MediaWriter, sha256Of } from '../../media/writer'
import type { ParsedMedia } from '../parsed'
import type { Tally } from './report'

interface Deps {
  readonly mediaWriter: MediaWriter
}

/** What media are called here that had other names in the file. */
export type Renamed = ReadonlyMap<string, string>

export type ImportMedia = (session: Session, files: readonly ParsedMedia[], tally: Tally) => Promise<Renamed>

/** Stores the media of a file. One that has no room, or a name that can be none, is dropped with a line. */
export function createMediaImport({ mediaWriter }: Deps): ImportMedia {
  return async (session, files, tally) => {
    const { db, workspace } = session
    const limits = MEDIA_LIMITS[workspace.kind]
    const renamed = new Map<string, string>()
    let used = await mediaBytes(db, workspace.id)

    function drop(name: string, code: string, detail: string): void {
      tally.media.dropped += 1
      tally.line(
        `media ${name
          .toWellFormed()
          .replace(/\p{Cc}/gu, '\ufffd')
          .slice(0, 100)
          .toWellFormed()}`,
        code,
        detail,
      )
    }

    /** Whether a name has these bytes: yes, no, or there is none. */
    async function holds(name: string, sha256: string): Promise<boolean | null> {
      const media = await getMedia(db, workspace.id, name)
      return media && media.sha256 === sha256
    }

    async function store(file: MediaFile): Promise<boolean> {
      const added = (await hasContent(db, workspace.id, file.sha256)) ? 0 : file.bytes.length
      if (file.bytes.length > limits.file || used + added > limits.all) {
        drop(file.name, 'too_large', 'There is no room for the media file.')
        return false
      }
      await mediaWriter.put(session, file, null)
      used += added
      return true
    }

    async function place(name: string, bytes: Uint8Array | null, sha256: string): Promise<void> {
      const first = await holds(name, sha256)
      const other = first === false ? sharedName(name, sha256) : name
      const isHere = first ?? false
      if (isHere || (other !== name && (await holds(other, sha256)))) tally.media.shared += 1
      else if (bytes === null) return drop(name, 'media_missing', 'The file only lists it, and it is not here.')
      else if (await store({ name: other, bytes, sha256 })) tally.media[other === name ? 'stored' : 'renamed'] += 1
      else return
      if (other !== name) renamed.set(name, other)
    }

    for (const { name: raw, bytes, sha256 } of files) {
      try {
        await place(checkedMediaName(raw), bytes, sha256 ?? sha256Of(bytes ?? new Uint8Array()))
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error
        drop(raw, 'media_name', error.detail)
      }
    }
    return renamed
  }
}
