import { join } from 'node:path'
import { createBlobStaging } from '../../../src/blobs/staging'
import type { Session, WorkspaceId } from '../../../src/db/database'
import { createIdentity } from '../../../src/gate/keys'
import type { FileFacts, ReadItem, SourceFile } from '../../../src/imports/kind'
import { type ReportItem, toReportItem } from '../../../src/imports/report'
import { SideFile, SideWriter } from '../../../src/imports/side-file.sqlite'
import { createAttachmentWriter } from '../../../src/notes/attachments/writer'
import { createNotesImport } from '../../../src/notes/import/import-notes'
import type { NotesImportParams, ParsedValue } from '../../../src/notes/import/parsed'
import { readNotes } from '../../../src/notes/import/read'
import { linkHook } from '../../../src/notes/links/body-links'
import { createNoteWriter } from '../../../src/notes/note'
import { revisionHook } from '../../../src/notes/revisions/history'
import { propertyHook, tagHook } from '../../../src/notes/tag-and-property-store'
import { makeFolder } from '../../support/folder'
import { takePass } from '../../support/import-steps'
import { makeWorkspaces } from '../../support/workspaces'
import type { makeWorld } from '../../support/world'

/** Reads files as a run does, and takes the pass over them in groups of a size that the test says. */

export const ZIP: NotesImportParams = { kind: 'zip', format: 'auto', folder: null, on_conflict: 'skip' }

/** A file that is in memory. */
export function fileOf(bytes: Uint8Array<ArrayBuffer>): SourceFile {
  const read = (offset: number, length: number) => bytes.slice(offset, offset + length)
  return { path: '', size: bytes.length, read, whole: () => bytes }
}

type Part = FileFacts | ReadItem<ParsedValue>

const isAttached = (part: object) => 'type' in part && part.type === 'attachment'

/** What a file is, and which notes it holds, in the order of the file. */
export async function readAll(
  bytes: Uint8Array<ArrayBuffer>,
  params = ZIP,
): Promise<{ format: string; items: ReadItem<ParsedValue>[] }> {
  const parts: Part[] = []
  for await (const part of readNotes(fileOf(bytes), params)) if (!isAttached(part)) parts.push(part as Part)
  const items = parts.filter((part): part is ReadItem<ParsedValue> => 'where' in part)
  return { format: parts.flatMap((part) => ('format' in part ? part.format : [])).join(), items }
}

export type World = Awaited<ReturnType<typeof makeWorld>>

/** Imports into the workspace of a key, on the database of a world. */
export function importsOf(world: World, key: string) {
  const now = () => world.clock.now
  let count = 0
  const { config, db } = world
  const quota = { resources: config.WORKSPACE_RESOURCES, size_bytes: config.WORKSPACE_BYTES }
  const { record, reserve } = makeWorkspaces({ db, now }, quota)
  const hooks = [tagHook, propertyHook, linkHook, revisionHook]
  const ids = () => `01990000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`
  const kind = createNotesImport({
    ...{ now, ids },
    writer: createNoteWriter({ now, record, hooks }),
    attachmentWriter: createAttachmentWriter({ now, record }),
    blobs: createBlobStaging({ now, reserve }),
  })
  const workspace = { id: createIdentity(world.secret.key).key(key) as WorkspaceId, kind: 'key' } as const

  /** The report of an import whose groups have `size` items. */
  return async (
    bytes: Uint8Array<ArrayBuffer>,
    { size, params = ZIP }: { size: number; params?: NotesImportParams },
  ): Promise<ReportItem[]> => {
    const path = join(makeFolder(), 'side.db')
    const writer = new SideWriter(path)
    for await (const part of readNotes(fileOf(bytes), params)) if ('where' in part) writer.add(part)
    writer.finish({ format: '' })
    const side = new SideFile(path)
    const session: Session = { workspace, db }
    try {
      for (const [nth, pass] of kind.passes.entries()) await takePass(pass, nth, { side, session, params, size })
      return side.listLines(0, side.total).map(({ item, line }) => toReportItem(item, line, false))
    } finally {
      side.close()
    }
  }
}
