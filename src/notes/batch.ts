import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { invalid, refuses } from '../http/api-error'
import { atRevision, MAX_OPS, type OpOutcome, type OpResult, runBatch, toOutcomeBody } from '../http/batch'
import type { Tagged } from '../http/responses'
import { closed, Id, nameSchemas, Problem, Revision, Unchanged } from '../http/schema'
import { editNames } from '../lib/text'
import type { NoteEdits } from './edits'
import { MAX_TAGS } from './limits'
import { withLinksUpdated } from './links-updated'
import { normalizeTags } from './note'
import { batchExample, CreateNote, Edits, type Note, NoteSummary, UpdateNote } from './schema'
import type { Notes } from './service'
import { findNoteRevision } from './store'

const { id: _, ...creatable } = CreateNote.properties
const Tags = t.Array(t.String(), { maxItems: MAX_TAGS })
const existing = { id: Id, if_revision: t.Optional(Revision) }

const UpdateNoteInBatch = t.Object(
  { ...UpdateNote.properties, tags_add: t.Optional(Tags), tags_remove: t.Optional(Tags) },
  { ...closed, description: 'A merge patch. `tags_remove` and then `tags_add` change the existing tags.' },
)

const NoteBatchOp = t.Union(
  [
    t.Object({ op: t.Literal('create'), id: t.Optional(Id), data: t.Object(creatable, closed) }, closed),
    t.Object(
      {
        op: t.Literal('update'),
        ...existing,
        data: UpdateNoteInBatch,
      },
      closed,
    ),
    t.Object({ op: t.Literal('delete'), ...existing }, { ...closed, description: 'Moves the note to the trash.' }),
    t.Object(
      { op: t.Literal('restore'), ...existing },
      { ...closed, description: 'Restores the note from the trash.' },
    ),
    t.Object({ op: t.Literal('edits'), ...existing, data: t.Object({ edits: Edits }, closed) }, closed),
  ],
  {
    error:
      'must be { op, id, data, if_revision } with op create (no if_revision), update, delete (no data), restore (no data) or edits, and data as that endpoint takes it',
  },
)

const BatchNotes = t.Object(
  {
    atomic: t.Optional(
      t.Boolean({ description: '`false`: each op succeeds or fails by itself. Default: `true`, all of them or none.' }),
    ),
    ops: t.Array(NoteBatchOp, { minItems: 1, maxItems: MAX_OPS }),
  },
  {
    ...closed,
    examples: [
      {
        atomic: false,
        ops: [
          { op: 'create', data: { title: 'Trip to Porto' } },
          {
            op: 'update',
            id: '01980000-0000-7000-8000-000000000000',
            if_revision: 3,
            data: { tags_add: ['travel'], tags_remove: ['idea'] },
          },
        ],
      },
    ],
  },
)

const NoteBatchOutcome = t.Object(
  {
    items: t.Array(
      t.Object({
        index: Type.Integer({ minimum: 0 }),
        status: Type.Integer({ description: 'The status that the op would have as a separate request.' }),
        id: t.Union([Id, t.Null()], {
          description: 'Null if a note without an id could not be created.',
        }),
        body: t.Union([NoteSummary, Problem, t.Null()], {
          description: 'The note without body and properties; null after a delete; the problem of an op that failed.',
        }),
        unchanged: Unchanged,
      }),
    ),
  },
  { examples: [batchExample] },
)

export type NoteBatchOp = Static<typeof NoteBatchOp>
type BatchNotes = Static<typeof BatchNotes>

interface NoteBatchResult {
  readonly outcomes: readonly OpOutcome<NoteSummary>[]
  /** The number of notes whose links were rewritten, added up over all ops. */
  readonly linksUpdated: number
}

type UpdateOp = Extract<NoteBatchOp, { op: 'update' }>

type NoteBatches = ReturnType<typeof createNoteBatches>

export function createNoteBatches({ notes, edits }: { readonly notes: Notes; readonly edits: NoteEdits }) {
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
          case 'edits': {
            const note = await edits.apply(inside, op.id, op.data, atRevision(op.if_revision))
            linksUpdated += note.linksUpdated
            return toDone(200, note)
          }
        }
      }
      return { outcomes: await runBatch(session, batch, run, revisionOf), linksUpdated }
    },
  }
}

/** Converts a note to the outcome of an op, without body and properties: 100 whole notes could take 100 MiB. */
function toDone(status: number, { resource }: Tagged<Note>): OpResult<NoteSummary> {
  const { body: _, properties: __, ...summary } = resource
  return { status, id: resource.id, body: summary }
}

const revisionOf = (session: Session, id: string) => findNoteRevision(session, id)

function changeTags(tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const result = editNames(tags, normalizeTags(add, '/tags_add'), remove)
  if (result.length > MAX_TAGS) throw invalid('/tags_add', 'too_long', `a note has at most ${MAX_TAGS} tags`)
  return result
}

nameSchemas({ UpdateNoteInBatch, BatchNotes, NoteBatchOutcome })

export function noteBatchRoutes({ batches, api }: { batches: NoteBatches; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] }).use(api).post(
    '/batch',
    ({ body, once, reply }) =>
      once(async (session) => {
        const { outcomes, linksUpdated } = await batches.run(session, body)
        const items = outcomes.map((outcome) => toOutcomeBody(outcome, reply.requestId))
        return withLinksUpdated({ status: 200, headers: {}, body: { items } }, linksUpdated)
      }),
    {
      idempotent: true,
      body: BatchNotes,
      response: { 200: NoteBatchOutcome },
      detail: {
        operationId: 'batchNotes',
        ...refuses(
          'edit_target_ambiguous',
          'edit_target_missing',
          'not_found',
          'precondition_failed',
          'too_many_links',
        ),
        summary: 'Change many notes',
        description:
          'Runs up to 100 ops in order. Atomic: all ops succeed, or none is done and the problem of the first failed op is returned, with `failed_index`. Not atomic: each op succeeds or fails by itself.',
      },
    },
  )
}
