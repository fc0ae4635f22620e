import type { BlobStaging, StagingProgress } from '../../blobs/staging'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { ImportWarning, Line, Step, StoredItem } from '../../imports/kind'
import { attempt, failedLine } from '../../imports/lines'
import type { OnConflict } from '../../imports/schema'
import { getAttachmentByPath } from './store'
import { ATTACHMENT_LIMITS, type AttachmentWriter } from './writer'

interface Deps extends Pick<Context, 'ids'> {
  readonly writer: AttachmentWriter
  readonly blobs: BlobStaging
}

/** A file of an import that becomes an attachment; its bytes are those of the item. */
interface FileItem {
  readonly attached: { readonly name: string; readonly folder: string | null }
  readonly warnings: readonly ImportWarning[]
}

type AttachmentStep = Pick<Step, 'session' | 'bytes' | 'line'>

export type ImportAttachment = ReturnType<typeof createAttachmentImport>

/** Creates the import of one file that becomes an attachment. A repeat finds it by its path. */
export function createAttachmentImport({ ids, writer, blobs }: Deps) {
  async function write(
    session: Session,
    { name, folder }: FileItem['attached'],
    { bytes, progress, onConflict }: { bytes: Uint8Array; progress: StagingProgress | null; onConflict: OnConflict },
  ): Promise<Line> {
    const { db, workspace } = session
    const { file: limit } = ATTACHMENT_LIMITS[workspace.kind]
    if (bytes.length > limit) throw new ApiError('too_large', `An attachment may have at most ${limit} bytes.`)
    const content = await blobs.stageStep(session, bytes, progress)
    if ('steps' in content) return { action: 'unchanged', id: null, left: content, again: true }
    const path = { name, folder }
    const old = await getAttachmentByPath(db, workspace.id, path)
    if (old?.sha256 === content.sha256) {
      await blobs.discard(session, content)
      return { action: 'unchanged', id: old.id }
    }
    if (!old) return { action: 'created', id: (await writer.insert(session, { id: ids(), ...path, content })).id }
    if (onConflict === 'overwrite') {
      const { id } = await writer.replace(session, old, {}, content)
      return { action: 'updated', id, warnings: [CONFLICT] }
    }
    if (onConflict === 'skip') {
      await blobs.discard(session, content)
      return { action: 'skipped', id: old.id, warnings: [CONFLICT] }
    }
    return copy(session, { ...path, content })
  }

  /** Stores the file under a name that is free: the same for the same bytes, so that a repeat finds it. */
  async function copy(session: Session, file: Omit<Parameters<AttachmentWriter['insert']>[1], 'id'>): Promise<Line> {
    const { db, workspace } = session
    const dot = file.name.lastIndexOf('.')
    const [stem, ending] = dot > 0 ? [file.name.slice(0, dot), file.name.slice(dot)] : [file.name, '']
    const name = `${stem.slice(0, 100)} ${file.content.sha256.slice(0, 8)}${ending}`
    const copied = await getAttachmentByPath(db, workspace.id, { ...file, name })
    if (copied) {
      await blobs.discard(session, file.content)
      return { action: 'unchanged', id: copied.id }
    }
    return {
      action: 'created',
      id: (await writer.insert(session, { ...file, name, id: ids() })).id,
      warnings: [CONFLICT],
    }
  }

  /** Imports an item in its own savepoint: one that fails is reported, and the others go on. */
  return async (step: AttachmentStep, item: StoredItem<FileItem>, onConflict: OnConflict): Promise<Line> => {
    const { attached, warnings } = item.value
    const earlier = step.line(item.seq)
    const progress = earlier?.again ? (earlier.left as StagingProgress) : null
    const bytes = step.bytes(item.seq) ?? new Uint8Array()
    const line = await attempt(step.session, (tx) => write(tx, attached, { bytes, progress, onConflict }))
    if (line instanceof ApiError) return failedLine(line)
    return { ...line, warnings: [...warnings, ...(line.warnings ?? [])] }
  }
}

const CONFLICT = { code: 'conflict', detail: 'There is another file with this name in the folder.' }
