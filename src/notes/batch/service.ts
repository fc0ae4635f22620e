import type { Session } from '../../db/database'
import type { Tagged } from '../../http/conditional'
import { type Fault, invalid, Refusal } from '../../http/problem'
import type { NoteEdits } from '../edits/service'
import { tagKey } from '../filters'
import { checkedTags } from '../note'
import type { Note, NoteSummary, UpdateNote } from '../schema'
import type { Notes } from '../service'
import type { BatchNotes, BatchOp } from './schema'

/** Tags that a note has at most. */
const TAGS = 64

/** What an op came to: a note, nothing (null), or the refusal that it met. */
export interface OpOutcome {
  readonly index: number
  readonly status: number
  readonly id: string | null
  readonly body: NoteSummary | Refusal | null
}

/** What a batch came to. */
export interface BatchResult {
  readonly outcomes: readonly OpOutcome[]
  /** How many notes had links rewritten, each counted once for every op that did so. */
  readonly linksUpdated: number
}

type UpdateOp = Extract<BatchOp, { op: 'update' }>

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
        ? changedTags(patch.tags ?? (await notes.get(session, id)).resource.tags, tags_add ?? [], tags_remove ?? [])
        : patch.tags
    const whole: UpdateNote = tags ? { ...patch, tags } : patch
    return notes.update(session, id, whole, preconditionOf(if_revision))
  }

  async function run(session: Session, op: BatchOp): Promise<Omit<OpOutcome, 'index'> & { linksUpdated?: number }> {
    switch (op.op) {
      case 'create':
        return shown(201, await notes.create(session, op.id === undefined ? op.data : { ...op.data, id: op.id }))
      case 'update': {
        const { linksUpdated, ...note } = await update(session, op)
        return { ...shown(200, note), linksUpdated }
      }
      case 'delete':
        await notes.trash(session, op.id, preconditionOf(op.if_revision))
        return { status: 204, id: op.id, body: null }
      case 'restore':
        return shown(200, await notes.restore(session, op.id, preconditionOf(op.if_revision)))
      case 'edits':
        return shown(200, await edits.apply(session, op.id, op.data, preconditionOf(op.if_revision)))
    }
  }

  return {
    /**
     * Runs the ops in order, in one transaction. Atomic: throws the first refusal, with `failed_index`, and nothing is
     * changed. Else each op is a savepoint, and a refusal is its outcome. One transaction in both cases: one wait for
     * the disk, and the record of the Idempotency-Key stands with all that was done, so that a repeat after a crash
     * finds either everything or nothing.
     */
    run(session: Session, { atomic = true, ops }: BatchNotes): Promise<BatchResult> {
      return session.db.transaction(async (db) => {
        const outcomes: OpOutcome[] = []
        let updated = 0
        for (const [index, op] of ops.entries()) {
          try {
            const { linksUpdated = 0, ...done } = await db.transaction((tx) => run({ ...session, db: tx }, op))
            outcomes.push({ index, ...done })
            updated += linksUpdated
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
            const refusal = pointedAt(error, index)
            if (atomic) throw new Refusal(refusal.code, refusal.detail, { ...refusal.extra, failed_index: index })
            outcomes.push({ index, status: refusal.status, id: op.id ?? null, body: refusal })
          }
        }
        return { outcomes, linksUpdated: updated }
      })
    },
  }
}

function preconditionOf(revision: number | undefined): readonly number[] | null {
  return revision === undefined ? null : [revision]
}

/** Whole notes could make an answer of 100 MiB, so bodies and properties stay out of it. */
function shown(status: number, { resource }: Tagged<Note>): Omit<OpOutcome, 'index'> {
  const { body: _, properties: __, ...summary } = resource
  return { status, id: resource.id, body: summary }
}

function changedTags(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove.map(tagKey))
  const result = checkedTags([...tags.filter((tag) => !gone.has(tagKey(tag))), ...checkedTags(add, '/tags_add')])
  if (result.length > TAGS) throw invalid('/tags_add', 'too_long', `a note has at most ${TAGS} tags`)
  return result
}

/** The refusal with its pointers leading into the op. */
function pointedAt(refusal: Refusal, index: number): Refusal {
  const { errors, ...extra } = refusal.extra
  if (!Array.isArray(errors)) return refusal
  const moved = (errors as Fault[]).map((fault) => ({ ...fault, pointer: `/ops/${index}/data${fault.pointer}` }))
  return new Refusal(refusal.code, refusal.detail, { ...extra, errors: moved }, refusal.headers)
}
