import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { asInteger, Cursor, Id, Instant, Limit, nullable, pageOf, Revision } from '../../http/schema'
import { revisionExample } from '../schema'

const summary = {
  revision: { ...Revision, description: 'The first revision of the note that had this content.' },
  updated_at: Instant,
  label: nullable(
    t.String({ description: 'One line of at most 100 characters. A labelled revision is kept forever.' }),
  ),
  title: t.String(),
  folder: nullable(t.String()),
  tags: t.Array(t.String()),
}

export const NoteRevisionSummary = t.Object(summary, { examples: [revisionExample] })
export const NoteRevisionPage = pageOf(NoteRevisionSummary)
export const NoteRevision = t.Object(
  { ...summary, body: t.String(), properties: t.Record(t.String(), t.Unknown()) },
  { examples: [{ ...revisionExample, body: '# Plan\n\n- book the #train\n', properties: {} }] },
)

/** A revision in a path or a query. A string with a pattern, since a coerced number also accepts `0x10` and ` 7`. */
const RevisionNumber = t.String({
  pattern: '^[1-9][0-9]{0,14}$',
  ...asInteger({ minimum: 1, maximum: 1e15 - 1 }),
  error: 'must be a whole number from 1',
})

export const RevisionParams = t.Object({ id: Id, n: RevisionNumber })

export const ListRevisionsQuery = t.Object(
  { limit: t.Optional(Limit), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
)

export const LabelRevision = t.Object(
  { label: t.Optional(nullable(t.String())) },
  { additionalProperties: false, examples: [{ label: 'as sent to Ana' }] },
)

export const DiffQuery = t.Object(
  {
    to: t.Optional(RevisionNumber),
    context: t.Optional(
      t.String({
        pattern: '^(1?[0-9]|20)$',
        ...asInteger({ minimum: 0, maximum: 20, default: 3 }),
        description: 'Unchanged lines around each change: 0 to 20. Default: 3.',
        error: 'must be a whole number from 0 to 20',
      }),
    ),
  },
  { additionalProperties: false },
)

const count = Type.Integer({ minimum: 0 })

export const RevisionDiff = t.Object(
  {
    from: Revision,
    to: Revision,
    title: t.Object({ from: t.String(), to: t.String() }, { description: 'The titles of both revisions.' }),
    added: count,
    removed: count,
    approximate: t.Boolean({
      description: 'The bodies differ too much: the diff replaces one whole body by the other.',
    }),
    unified: t.String({ description: 'A unified diff that `patch` can apply; empty if the bodies are equal.' }),
  },
  {
    examples: [
      {
        from: 3,
        to: 5,
        title: { from: 'Trip', to: 'Trip' },
        added: 1,
        removed: 1,
        approximate: false,
        unified: '--- revision 3\n+++ revision 5\n@@ -1,2 +1,2 @@\n # Trip\n-Train at 9\n+Train at 10\n',
      },
    ],
  },
)

export type NoteRevisionSummary = Static<typeof NoteRevisionSummary>
export type NoteRevision = Static<typeof NoteRevision>
export type ListRevisionsQuery = Static<typeof ListRevisionsQuery>
export type LabelRevision = Static<typeof LabelRevision>
export type DiffQuery = Static<typeof DiffQuery>
export type RevisionDiff = Static<typeof RevisionDiff>
