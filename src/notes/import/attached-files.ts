import type { ReadItem } from '../../imports/kind'
import { UnreadableItem } from '../../lib/unreadable-item'
import { readEntryBytes, type ZipEntry, type ZipSource } from '../../lib/zip/read'
import { MAX_ATTACHMENT_BYTES } from '../attachments/limits'
import { makeSafeName } from '../attachments/names'
import { isWritableInstant, toFolder, type Warning } from './parsed'

export interface AttachedEntry {
  readonly entry: ZipEntry
  /** Its folder, as that of the notes beside it, and its name. */
  readonly path: string
}

/** A file of a vault that is no note, as the side file keeps it; its bytes are beside it. */
export interface AttachedFile {
  /** Its place in the vault, made safe. */
  readonly attached: { readonly name: string; readonly folder: string | null }
  /** Set for the file of a note whose name another file may have; see nameNoteFiles. */
  readonly ofNote?: { readonly clashes: boolean }
  /** When it was last changed, in milliseconds since 1970, where the archive says so. */
  readonly changed_at?: number | null
  readonly warnings: readonly Warning[]
}

/** Reads an entry of a zip archive as an attachment, with its bytes in memory. @param under the folder of the import */
export function readAttachedFile(
  zip: ZipSource,
  { entry, path }: AttachedEntry,
  under: string | null,
): ReadItem<AttachedFile> {
  const at = { where: entry.name, type: 'attachment' }
  try {
    const changed_at = entry.changedAt !== null && isWritableInstant(entry.changedAt) ? entry.changedAt : null
    const file = { ...toAttachedFile(path, under), changed_at }
    if (!entry.fault && entry.size > MAX_ATTACHMENT_BYTES)
      throw new UnreadableItem('too_large', `An attachment may have at most ${MAX_ATTACHMENT_BYTES} bytes.`)
    return { ...at, key: `attachment ${JSON.stringify(file.attached)}`, value: file, bytes: readEntryBytes(zip, entry) }
  } catch (error) {
    if (error instanceof UnreadableItem) return { ...at, fault: { code: error.code, detail: error.detail } }
    throw error
  }
}

/** Places a file by its path, in the folder in which the notes beside it are. */
function toAttachedFile(path: string, under: string | null): AttachedFile {
  const levels = path.split('/')
  const { name, warnings } = makeSafeName(levels.pop() ?? '')
  const inner = toFolder(levels, warnings)
  const folder = under !== null && inner !== null ? `${under}/${inner}` : (under ?? inner)
  return { attached: { name, folder }, warnings }
}
