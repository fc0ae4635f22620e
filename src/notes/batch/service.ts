import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { atRevision, type Done, type OpOutcome, runBatch } from '../../http/batch'
import type { Tagged } from '../../http/conditional'
import type { NoteEdits } from '../edits/service'
import { tagKey } from '../filters'
import { normalizeTags } from '../note'
import type { Note, NoteSummary, UpdateNote } from '../schema'
import type { Notes } from '../service'
import type { BatchNotes, NoteBatchOp } from './schema'

/** Tags that a note has at most. */
const MAX_TAGS = 64

/** What a batch came to. */
export interface NoteBatchResult {
  readonly outcomes: readonly OpOutcome<NoteSummary>[]
  /** How many notes had links rewritten, each counted once for every op that did so. */
  readonly linksUpdated: number
}

type UpdateOp = Extract<NoteBatchOp, { op: 'update' }>

interface Deps {
  readonly notes: Pick<Notes, 'create' | 'get' | 'update' | 'trash' | 'restore'>
  readonly edits: Pick<NoteEdits, 'apply'>
}

export type NoteBatches = ReturnType<typeof createNoteBatches>

/** Several changes of notes in one request. */
export function createNoteBatches({ notes, edits }: Deps) {
  async function update(session: Session, { id, data, if_revision }: UpdateOp): ReturnType<Notes['update']> {
    const { tags_add, tags_remove, ...patch } = data
    const tags =
      tags_add || tags_remove
        ? changeTags(patch.tags ?? (await notes.get(session, id)).resource.tags, tags_add ?? [], tags_remove ?? [])
        : patch.tags
    const whole: UpdateNote = tags ? { ...patch, tags } : patch
    return notes.update(session, id, whole, atRevision(if_revision))
  }

  return {
    /** Runs the ops in order, see runBatch. */
    async run(session: Session, batch: BatchNotes): Promise<NoteBatchResult> {
      let linksUpdated = 0
      async function run(within: Session, op: NoteBatchOp): Promise<Done<NoteSummary>> {
        switch (op.op) {
          case 'create':
            return toDone(201, await notes.create(within, op.id === undefined ? op.data : { ...op.data, id: op.id }))
          case 'update': {
            const note = await update(within, op)
            linksUpdated += note.linksUpdated
            return toDone(200, note)
          }
          case 'delete':
            await notes.trash(within, op.id, atRevision(op.if_revision))
            return { status: 204, id: op.id, body: null }
          case 'restore':
            return toDone(200, await notes.restore(within, op.id, atRevision(op.if_revision)))
          case 'edits':
            return toDone(200, await edits.apply(within, op.id, op.data, atRevision(op.if_revision)))
        }
      }
      return { outcomes: await runBatch(session, batch, run), linksUpdated }
    },
  }
}

/** Whole notes could make an answer of 100 MiB, so bodies and properties stay out of it. */
function toDone(status: number, { resource }: Tagged<Note>): Done<NoteSummary> {
  const { body: _, properties: __, ...summary } = resource
  return { status, id: resource.id, body: summary }
}

function changeTags(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove.map(tagKey))
  const result = normalizeTags([...tags.filter((tag) => !gone.has(tagKey(tag))), ...normalizeTags(add, '/tags_add')])
  if (result.length > MAX_TAGS) throw invalid('/tags_add', 'too_long', `a note has at most ${MAX_TAGS} tags`)
  return result
}
