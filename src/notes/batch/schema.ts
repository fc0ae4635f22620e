import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { MAX_OPS } from '../../http/batch'
import { Id, Problem, Revision } from '../../http/schema'
import { Edits } from '../edits/schema'
import { batchExample, CreateNote, NoteSummary, UpdateNote } from '../schema'

const closed = { additionalProperties: false }
const { id: _, ...creatable } = CreateNote.properties
const Tags = t.Array(t.String(), { maxItems: 64 })
const existing = { id: Id, if_revision: t.Optional(Revision) }

export const UpdateNoteInBatch = t.Object(
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

export const BatchNotes = t.Object(
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

export const NoteBatchOutcome = t.Object(
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
      }),
    ),
  },
  { examples: [batchExample] },
)

export type NoteBatchOp = Static<typeof NoteBatchOp>
export type BatchNotes = Static<typeof BatchNotes>
