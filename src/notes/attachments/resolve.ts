import { readWholeBlob } from '../../blobs/blob'
import type { SignedAddresses } from '../../blobs/signed'
import type { Queries, Session, Workspace } from '../../db/database'
import { MAX_INLINE_BYTES, type ShownFile } from '../html/shown-files'
import { findFile, groupByName, readTarget } from './nearest'
import { type AttachmentRow, listByNames } from './store'

/** Distinct targets that are resolved at once; those beyond are not. */
export const MAX_TARGETS = 2000

interface ReadSession {
  readonly db: Pick<Queries, 'all'>
  readonly workspace: Pick<Workspace, 'id'>
}

/**
 * Finds the attachments that targets in a note lead to, as Obsidian does: the path from the folder of the note, the
 * path from the root, a path that ends so, then any file of the name, the nearest first. Returns them by target.
 * @param folder the folder of the note
 * @param targets as they are written, in `![[…]]` or as addresses, which may be percent-encoded
 */
export async function resolveFiles(
  session: ReadSession,
  folder: string | null,
  targets: readonly string[],
): Promise<Map<string, AttachmentRow>> {
  const wanted = [...new Set(targets)].slice(0, MAX_TARGETS)
  const files = groupByName(await listCandidates(session, wanted))
  return new Map(
    wanted.flatMap((target): [string, AttachmentRow][] => {
      const found = findFile(folder, target, files)
      return found ? [[target, found]] : []
    }),
  )
}

/** Lists the attachments that have the name of one of the targets, of MAX_TARGETS of them, or one of the names. */
export function listCandidates(
  { db, workspace }: ReadSession,
  targets: readonly string[],
  names: readonly string[] = [],
): Promise<AttachmentRow[]> {
  const ofTargets = [...new Set(targets)].slice(0, MAX_TARGETS).flatMap(readTarget)
  return listByNames(db, workspace.id, [...new Set([...names, ...ofTargets.map(({ nameKey }) => nameKey)])])
}

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
