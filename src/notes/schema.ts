import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import {
  AS_FLAG,
  Cursor,
  closed,
  Flag,
  Id,
  Instant,
  idsParam,
  Limit,
  nullable,
  pageOf,
  repeatableParam,
  Source,
  SourceInput,
  STAMPS,
} from '../http/schema'
import { onConflict } from '../imports/schema'

/** The examples of the API documentation all show the same small note. */

const [id, other] = ['01980000-0000-7000-8000-000000000000', '01980000-0000-7000-8000-000000000001']

const summaryExample = {
  id,
  revision: 2,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  deleted_at: null,
  title: 'Trip to Lisbon',
  file_name: null,
  folder: 'Work/Plans',
  tags: ['travel'],
  inline_tags: ['train'],
  pinned: false,
  archived_at: null,
  source: null,
  daily_date: null,
  excerpt: 'Plan book the #train call Ana',
  word_count: 7,
  checklist: { total: 2, done: 1 },
  links: { out: 0, unresolved: 0, in: 1 },
}

export const noteExample = {
  ...summaryExample,
  body: '# Plan\n\n- [x] book the #train\n- [ ] call Ana\n',
  properties: { color: 'blue' },
}

export const outlineExample = {
  items: [{ level: 1, text: 'Plan', path: ['Plan'], line: 1, start: 0, end: 45, word_count: 6 }],
}

export const revisionExample = {
  revision: 1,
  updated_at: '2026-03-01T08:15:00.000Z',
  label: 'as sent to Ana',
  title: 'Trip to Lisbon',
  folder: 'Work/Plans',
  tags: ['travel'],
}

export const relatedExample = { items: [summaryExample], by: 'words' }

export const batchExample = {
  items: [
    { index: 0, status: 200, id, body: summaryExample },
    { index: 1, status: 204, id: other, body: null },
  ],
}

const Tags = t.Array(t.String(), { maxItems: 64, description: 'At most 64, each of at most 100 characters.' })
const Properties = t.Record(t.String(), t.Unknown(), { description: 'Any members, at most 64 KiB of JSON.' })

const FileName = t.String({
  description:
    'The name of its file, such as `Trip.md`: links find the note by it before they look for a title, and an export names the file so. Null: the title does both. A file name that is the title follows it.',
  examples: ['Trip.md'],
})

export const NoteParams = t.Object({ id: Id })

export const NotePathParams = t.Object({
  path: t.String({ description: 'The folder and the name of a note.', examples: ['Work/Plans/Trip to Lisbon'] }),
})

const count = Type.Integer({ minimum: 0 })

export const NoteChecklist = t.Object({ total: count, done: count }, { description: 'Checkboxes in the body.' })
export const NoteLinkCounts = t.Object(
  { out: count, unresolved: count, in: count },
  {
    description:
      'Targets that the note links to; those of them that match no note and no attachment, with the headings and blocks that are missing in notes that match; and notes that link to this one.',
  },
)

const summary = {
  ...STAMPS,
  deleted_at: nullable(Instant),
  title: t.String({ description: 'One line of at most 500 characters.' }),
  file_name: nullable(FileName),
  folder: nullable(t.String({ examples: ['Work/Plans'] })),
  tags: Tags,
  inline_tags: t.Array(t.String(), { description: 'Every `#tag` in the body.' }),
  pinned: t.Boolean(),
  archived_at: nullable(Instant),
  source: nullable(Source),
  daily_date: nullable(t.String({ description: 'The date, if this is a daily note.' })),
  excerpt: t.String({ description: 'The beginning of the body as plain text, at most 200 characters.' }),
  word_count: count,
  checklist: NoteChecklist,
  links: NoteLinkCounts,
}

export const NoteSummary = t.Object(summary, { examples: [summaryExample] })
export const Note = t.Object(
  {
    ...summary,
    body: t.String({ description: 'Markdown, at most 1 MiB, kept byte for byte.' }),
    properties: Properties,
  },
  { examples: [noteExample] },
)
export const NotePage = pageOf(t.Union([Note, NoteSummary], { examples: [summaryExample] }))

const writable = {
  title: t.Optional(nullable(t.String())),
  file_name: t.Optional(nullable(FileName)),
  body: t.Optional(t.String()),
  folder: t.Optional(nullable(t.String())),
  tags: t.Optional(Tags),
  pinned: t.Optional(t.Boolean()),
  archived_at: t.Optional(nullable(Instant)),
  source: t.Optional(nullable(SourceInput)),
}

export const CreateNote = t.Object(
  {
    id: t.Optional(Id),
    created_at: t.Optional({
      ...Instant,
      description: 'When the note was first written; not in the future. Default: `updated_at`, else now.',
    }),
    updated_at: t.Optional({
      ...Instant,
      description: 'When it was last changed; not in the future, nor before `created_at`. Default: now.',
    }),
    ...writable,
    properties: t.Optional(Properties),
  },
  {
    ...closed,
    examples: [
      { title: 'Trip to Lisbon', body: '# Plan\n\n- book the train\n', tags: ['travel'], folder: 'Work/Plans' },
    ],
  },
)

export const UpdateNote = t.Object(
  { ...writable, properties: t.Optional(nullable(Properties)) },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ title: 'Trip to Porto', pinned: true }],
  },
)

/** Makes the query of a change that may rename `what`. */
export const updateLinksQuery = (what: 'note' | 'attachment') => {
  const headings = what === 'note' ? ' `true` also rewrites those to a heading that alone got another text.' : ''
  const description = `\`false\` does not rewrite the links to the ${what}.${headings}`
  return t.Object({ update_links: t.Optional(t.Union(Flag.anyOf, { ...AS_FLAG, description })) }, closed)
}

const SORTS = ['updated', '-updated', 'created', '-created', 'title', '-title', 'folder', '-folder'] as const
export type Sort = (typeof SORTS)[number] | PropertySort

export type PropertySort = `property.${string}` | `-property.${string}`

/** Makes the schema of a `sort` parameter. `otherOrders` describes the orders by name. */
export function createSortSchema<Name extends string>(names: readonly Name[], otherOrders: string) {
  return t.Unsafe<Name | PropertySort>(
    t.Union([...names.map((name) => t.Literal(name)), t.String({ pattern: '^-?property\\..+$' })], {
      description: `${otherOrders} \`property.NAME\` sorts by the least value of a property, numbers before text; \`-\` before it sorts in descending order. Notes without the property come last in both directions, sorted by id.`,
      error: `must be one of ${[...names, 'property.NAME', '-property.NAME'].join(', ')}`,
      examples: [names[0], 'property.rating'],
    }),
  )
}

export const noteFilters = {
  folder: t.Optional(
    t.String({ description: 'Notes in this folder and in folders below it. The empty string is the root.' }),
  ),
  folder_only: t.Optional(Flag),
  tag: t.Optional(
    repeatableParam('Repeat the parameter to find notes that have all of the tags. A nested tag matches, too.'),
  ),
  title: t.Optional(
    t.String({ description: 'Notes with exactly this title. Case and repeated spaces are ignored, as in links.' }),
  ),
  ids: t.Optional(idsParam('; archived notes are listed, too.')),
  pinned: t.Optional(Flag),
  archived: t.Optional(t.Union([t.Literal('true'), t.Literal('false'), t.Literal('any')])),
  trashed: t.Optional(Flag),
  created_from: t.Optional(Instant),
  created_to: t.Optional(Instant),
  updated_from: t.Optional(Instant),
  updated_to: t.Optional(Instant),
  source_system: t.Optional(t.String()),
}

const NoteFilters = t.Object(noteFilters)

export const ListNotesQuery = t.Object(
  {
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    sort: t.Optional(createSortSchema(SORTS, '`-` before a name sorts in descending order. Default: `-updated`.')),
    include: t.Optional(t.Literal('body', { description: 'Returns whole notes. A page then ends early at 8 MiB.' })),
    ...noteFilters,
  },
  closed,
)

export const ImportNotesQuery = t.Object(
  {
    format: t.Optional(
      t.Union([t.Literal('auto'), t.Literal('markdown'), t.Literal('obsidian'), t.Literal('enex'), t.Literal('keep')], {
        description: 'The format of the file. `auto`, the default, detects it.',
        error: 'must be one of auto, markdown, obsidian, enex, keep',
      }),
    ),
    dry_run: t.Optional(Flag),
    folder: t.Optional(t.String({ description: 'Imports everything below this folder.' })),
    on_conflict: onConflict(
      'What to do with a note that was changed both here and in the file: `skip` it (the default), `overwrite` it (the old text stays as a revision), or import a `copy`.',
    ),
  },
  closed,
)

export const ExportNotesQuery = t.Object(noteFilters, closed)

export const ReadNoteQuery = t.Object(
  {
    remote: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'For HTML: `true` loads pictures of other hosts, which otherwise are links.',
      }),
    ),
    inline: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description:
          'For HTML: `true` puts pictures into it as data: URIs, 2 MiB in all, counted wherever one is shown; otherwise, and beyond, they have addresses that are valid for two days without a key.',
      }),
    ),
  },
  closed,
)

export const DeleteNoteQuery = t.Object({ permanent: t.Optional(Flag) }, closed)

export type Note = Static<typeof Note>
export type NoteSummary = Static<typeof NoteSummary>
export type CreateNote = Static<typeof CreateNote>
export type UpdateNote = Static<typeof UpdateNote>
export type NoteFilters = Static<typeof NoteFilters>
export type ListNotesQuery = Static<typeof ListNotesQuery>
export type ImportNotesQuery = Static<typeof ImportNotesQuery>
export type ExportNotesQuery = Static<typeof ExportNotesQuery>

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

export const BlockTarget = t.Object(
  { block: t.String({ pattern: '^\\^[A-Za-z0-9-]{1,100}$', examples: ['^plan'] }), nth: t.Optional(Nth) },
  {
    ...closed,
    description:
      'The paragraph or list item that ends with this block id, or what is above a line of nothing but the id. Case does not matter. The id is kept.',
  },
)
export const PropertyTarget = t.Object(
  { property: t.String({ minLength: 1, examples: ['status'] }) },
  { ...closed, description: 'A property of the note. append and prepend add items to a list, or text to a text.' },
)

const Target = t.Union([DocumentTarget, HeadingTarget, TextTarget, BlockTarget, PropertyTarget], {
  error:
    'must be { "document": true }, { "heading": [...] } with nth and scope, { "text": "..." } with within and nth, { "block": "^id" } with nth, or { "property": "..." }',
})

const OPS = ['append', 'prepend', 'replace', 'delete', 'insert_before', 'insert_after', 'rename'] as const

export const BodyEdit = t.Object(
  {
    op: t.Union(
      OPS.map((op) => t.Literal(op)),
      { description: '`rename` gives a heading another text, `content`, and rewrites the links to it.' },
    ),
    target: Target,
    content: t.Optional(
      t.Union([t.String(), t.Number(), t.Boolean(), t.Array(t.Unknown())], {
        description: 'Needed for every op but delete. Text, or for a property also a number, a boolean or a list.',
        error: 'must be a string, or for a property a number, a boolean or a list',
      }),
    ),
    join: t.Optional(
      t.Union([t.Literal('block'), t.Literal('line'), t.Literal('none')], {
        description:
          'How the content is separated from the text around it: by one blank line (`block`), by a line end (`line`), or not at all (`none`).',
      }),
    ),
    create_missing: t.Optional(
      t.Boolean({ description: 'Adds the missing headings at the end of their parent, or the missing property.' }),
    ),
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
export type BlockTarget = Static<typeof BlockTarget>
export type PropertyTarget = Static<typeof PropertyTarget>
export type NoteOutline = Static<typeof NoteOutline>
