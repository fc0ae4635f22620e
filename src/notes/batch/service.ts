import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { atRevision, type OpOutcome, type OpResult, runBatch } from '../../http/batch'
import type { Tagged } from '../../http/conditional'
import { editNames } from '../../lib/text'
import type { NoteEdits } from '../edits/service'
import { normalizeTags } from '../note'
import type { Note, NoteSummary, UpdateNote } from '../schema'
import type { Notes } from '../service'
import type { BatchNotes, NoteBatchOp } from './schema'

const MAX_TAGS = 64

export interface NoteBatchResult {
  readonly outcomes: readonly OpOutcome<NoteSummary>[]
  /** The number of notes whose links were rewritten, added up over all ops. */
  readonly linksUpdated: number
}

type UpdateOp = Extract<NoteBatchOp, { op: 'update' }>

interface Deps {
  readonly notes: Pick<Notes, 'create' | 'get' | 'update' | 'trash' | 'restore'>
  readonly edits: Pick<NoteEdits, 'apply'>
}

export type NoteBatches = ReturnType<typeof createNoteBatches>

export function createNoteBatches({ notes, edits }: Deps) {
  async function update(session: Session, { id, data, if_revision }: UpdateOp): ReturnType<Notes['update']> {
    const { tags_add, tags_remove, ...patch } = data
    const tags =
      tags_add || tags_remove
        ? changeTags(patch.tags ?? (await notes.get(session, id)).resource.tags, tags_add ?? [], tags_remove ?? [])
        : patch.tags
    const fullPatch: UpdateNote = tags ? { ...patch, tags } : patch
    return notes.update(session, id, fullPatch, atRevision(if_revision))
  }

  return {
    async run(session: Session, batch: BatchNotes): Promise<NoteBatchResult> {
      let linksUpdated = 0
      async function run(inside: Session, op: NoteBatchOp): Promise<OpResult<NoteSummary>> {
        switch (op.op) {
          case 'create':
            return toDone(201, await notes.create(inside, op.id === undefined ? op.data : { ...op.data, id: op.id }))
          case 'update': {
            const note = await update(inside, op)
            linksUpdated += note.linksUpdated
            return toDone(200, note)
          }
          case 'delete':
            await notes.trash(inside, op.id, atRevision(op.if_revision))
            return { status: 204, id: op.id, body: null }
          case 'restore':
            return toDone(200, await notes.restore(inside, op.id, atRevision(op.if_revision)))
          case 'edits':
            return toDone(200, await edits.apply(inside, op.id, op.data, atRevision(op.if_revision)))
        }
      }
      return { outcomes: await runBatch(session, batch, run), linksUpdated }
    },
  }
}

/** Converts a note to the outcome of an op, without body and properties: 100 whole notes could take 100 MiB. */
function toDone(status: number, { resource }: Tagged<Note>): OpResult<NoteSummary> {
  const { body: _, properties: __, ...summary } = resource
  return { status, id: resource.id, body: summary }
}

function changeTags(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const result = editNames(tags, normalizeTags(add, '/tags_add'), remove)
  if (result.length > MAX_TAGS) throw invalid('/tags_add', 'too_long', `a note has at most ${MAX_TAGS} tags`)
  return result
}
