import type { ByteSource } from '../../blobs/blob'
import type { StagingProgress } from '../../blobs/staging'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { newStamps } from '../../http/resource'
import type { Line, Step, StoredItem } from '../../imports/kind'
import { attempt, failedLine } from '../../imports/lines'
import type { OnConflict } from '../../imports/schema'
import { titleKey } from '../../lib/text'
import type { AttachmentContext } from './file-links'
import { type AttachedFile, type NoteFile, nameByContent, nameOfNoteFile } from './names'
import { getAttachmentByPath, listInFolder } from './store'
import { ATTACHMENT_LIMITS, type NewAttachment } from './writer'

/** Returns the names that the files of a note have in its folder, or get there: none that another file has. */
export async function nameNoteFiles(
  session: Session,
  folder: string | null,
  files: readonly NoteFile[],
): Promise<string[]> {
  const keys = files.map(({ name }) => titleKey(name))
  const holders = Map.groupBy(await listInFolder(session, folder, keys), ({ name_key }) => name_key)
  return files.map((file) => {
    const named = holders.get(titleKey(file.name)) ?? []
    const same = named.find(({ sha256 }) => sha256 === file.sha256)
    return same?.name ?? nameOfNoteFile({ ...file, clashes: file.clashes || named.length > 0 })
  })
}

type NewFile = Omit<NewAttachment, 'id'>
type AttachmentStep = Pick<Step, 'session' | 'bytes' | 'line'>

/** A repeat finds the attachment by its path. */
export function createAttachmentImport({
  now,
  ids,
  attachmentWriter: writer,
  blobs,
}: Pick<AttachmentContext, 'now' | 'ids' | 'attachmentWriter' | 'blobs'>) {
  async function write(
    session: Session,
    { attached: { name: sent, folder }, ofNote, changed_at = null }: AttachedFile,
    { bytes, progress, onConflict }: { bytes: ByteSource; progress: StagingProgress | null; onConflict: OnConflict },
  ): Promise<Line> {
    const { workspace } = session
    const { file: limit } = ATTACHMENT_LIMITS[workspace.kind]
    if (bytes.size > limit) throw new ApiError('too_large', `An attachment may have at most ${limit} bytes.`)
    const content = await blobs.stageStep(session, bytes, progress)
    if ('steps' in content) return { action: 'unchanged', id: null, left: content, again: true }
    const file = ofNote && { name: sent, sha256: content.sha256, ...ofNote }
    const [name = sent] = file ? await nameNoteFiles(session, folder, [file]) : []
    const path = { name, folder }
    const old = await getAttachmentByPath(session, path)
    if (old?.sha256 === content.sha256) {
      await blobs.discard(session, content)
      return { action: 'unchanged', id: old.id }
    }
    const at = changed_at === null ? now() : Math.min(changed_at, now())
    if (!old) return { action: 'created', id: await insert(session, { ...path, content }, at) }
    if (onConflict === 'overwrite') {
      // It never goes back: clients look for changes by it.
      const updated_at = at > old.updated_at ? at : now()
      const { id } = await writer.replace(session, old, { updated_at }, content)
      return { action: 'updated', id, warnings: [CONFLICT] }
    }
    if (onConflict === 'skip') {
      await blobs.discard(session, content)
      return { action: 'skipped', id: old.id, warnings: [CONFLICT] }
    }
    return copy(session, { ...path, content }, at)
  }

  async function insert(session: Session, file: NewFile, at: number): Promise<string> {
    const id = ids()
    return (await writer.insert(session, { ...file, id }, newStamps(id, at))).id
  }

  /** Stores the file under a name that is free: the same for the same bytes, so that a repeat finds it. */
  async function copy(session: Session, file: NewFile, at: number): Promise<Line> {
    const name = nameByContent(file.name, file.content.sha256)
    const copied = await getAttachmentByPath(session, { ...file, name })
    if (copied) {
      await blobs.discard(session, file.content)
      return { action: 'unchanged', id: copied.id }
    }
    return {
      action: 'created',
      id: await insert(session, { ...file, name }, at),
      warnings: [CONFLICT],
    }
  }

  /** Imports an item in its own savepoint: one that fails is reported, and the others go on. */
  return async (step: AttachmentStep, item: StoredItem<AttachedFile>, onConflict: OnConflict): Promise<Line> => {
    const { warnings } = item.value
    const earlier = step.line(item.seq)
    const progress = earlier?.again ? (earlier.left as StagingProgress) : null
    const bytes = step.bytes(item.seq)
    if (!bytes) throw new Error('an attachment of a file has no bytes')
    const line = await attempt(step.session, (tx) => write(tx, item.value, { bytes, progress, onConflict }))
    if (line instanceof ApiError) return failedLine(line)
    return { ...line, warnings: [...warnings, ...(line.warnings ?? [])] }
  }
}

const CONFLICT = { code: 'conflict', detail: 'There is another file with this name in the folder.' }
