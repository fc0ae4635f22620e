import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { outlineExample } from './schema'

const closed = { additionalProperties: false }
/** Markdown has six levels of headings, so no path is longer. */
const Path = t.Array(t.String(), { minItems: 1, maxItems: 6, examples: [['Plan', 'Notes']] })
const Nth = Type.Integer({
  minimum: 1,
  description: 'Which of several matches, from 1. Without it there must be exactly one.',
})

export const DocumentTarget = t.Object({ document: t.Literal(true) }, closed)
export const HeadingTarget = t.Object(
  {
    heading: Path,
    nth: t.Optional(Nth),
    scope: t.Optional(
      t.Union([t.Literal('section'), t.Literal('own')], {
        description:
          '`own` ends at the next heading of any level. Default: `section`, which includes the headings below it.',
      }),
    ),
  },
  { ...closed, description: 'The heading whose full path ends with this path, as plain text; case matters.' },
)
export const TextTarget = t.Object(
  { text: t.String({ minLength: 1 }), within: t.Optional(Path), nth: t.Optional(Nth) },
  { ...closed, description: 'A part of the body as it is written, in the whole note or below one heading.' },
)

const Target = t.Union([DocumentTarget, HeadingTarget, TextTarget], {
  error:
    'must be { "document": true }, { "heading": [...] } with nth and scope, or { "text": "..." } with within and nth',
})

const OPS = ['append', 'prepend', 'replace', 'delete', 'insert_before', 'insert_after'] as const

export const BodyEdit = t.Object(
  {
    op: t.Union(OPS.map((op) => t.Literal(op))),
    target: Target,
    content: t.Optional(t.String({ description: 'Needed for every op but delete.' })),
    join: t.Optional(
      t.Union([t.Literal('block'), t.Literal('line'), t.Literal('none')], {
        description:
          'How the content is separated from the text around it: by one blank line (`block`), by a line end (`line`), or not at all (`none`).',
      }),
    ),
    create_missing: t.Optional(t.Boolean({ description: 'Adds the missing headings at the end of their parent.' })),
  },
  closed,
)

/** The edits of a note in any request: they run in order, each on the result of the one before. */
export const Edits = t.Array(BodyEdit, { minItems: 1, maxItems: 100 })

export const EditNote = t.Object(
  { edits: Edits, dry_run: t.Optional(t.Boolean({ description: 'Returns the resulting note without storing it.' })) },
  {
    ...closed,
    examples: [
      {
        edits: [
          { op: 'append', target: { heading: ['Notes'] }, content: '- call Ana', join: 'line', create_missing: true },
          { op: 'replace', target: { text: 'call Ana' }, content: 'call Ana at 10' },
        ],
      },
      { edits: [{ op: 'append', target: { document: true }, content: 'The end.' }], dry_run: true },
    ],
  },
)

export const NoteOutline = t.Object(
  {
    items: t.Array(
      t.Object({
        level: Type.Integer({ minimum: 1, maximum: 6 }),
        text: t.String({ description: 'Plain text.' }),
        path: t.Array(t.String(), {
          description: 'The headings above it and its own text. It can be the target of an edit.',
        }),
        line: Type.Integer({ minimum: 1 }),
        start: Type.Integer({ minimum: 0, description: 'The start of the heading, in code points of the body.' }),
        end: Type.Integer({ minimum: 0, description: 'The end of its section, in code points of the body.' }),
        word_count: Type.Integer({ minimum: 0, description: 'Words below the heading.' }),
      }),
    ),
  },
  { examples: [outlineExample] },
)

export type BodyEdit = Static<typeof BodyEdit>
export type EditNote = Static<typeof EditNote>
export type HeadingTarget = Static<typeof HeadingTarget>
export type TextTarget = Static<typeof TextTarget>
export type NoteOutline = Static<typeof NoteOutline>
