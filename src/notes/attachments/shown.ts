import { readWholeBlob } from '../../blobs/blob'
import type { SignedAddresses } from '../../blobs/signed'
import type { Session } from '../../db/database'
import { MAX_INLINE_BYTES, type ShownFile } from '../html/shown-files'
import { resolveFiles } from './resolve'

export function createShowAttachments({ addresses }: { readonly addresses: Pick<SignedAddresses, 'write'> }) {
  /**
   * Returns the files by target, without targets that no attachment answers to.
   * @param inline whether pictures come as data: URIs as well, up to MAX_INLINE_BYTES in all
   */
  return async (
    session: Session,
    folder: string | null,
    targets: readonly string[],
    inline: boolean,
  ): Promise<Map<string, ShownFile>> => {
    const { db, workspace } = session
    const found = await resolveFiles(session, folder, targets)
    const pictures = new Map<string, ShownFile['inline']>()
    let room = inline ? MAX_INLINE_BYTES : 0
    const shown = new Map<string, ShownFile>()
    for (const [target, { id, name, content_type: type, sha256, size_bytes }] of found) {
      if (type.startsWith('image/') && size_bytes <= room && !pictures.has(sha256)) {
        const bytes = await readWholeBlob(db, workspace.id, sha256)
        if (bytes) {
          const uri = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
          pictures.set(sha256, { uri, size_bytes })
        }
        room -= size_bytes
      }
      const address = addresses.write(workspace.id, id)
      shown.set(target, { id, name, type, address, inline: pictures.get(sha256) })
    }
    return shown
  }
}
