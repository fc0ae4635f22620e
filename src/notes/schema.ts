import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Flag, Id, Instant, Limit, nullable, pageOf, Revision, repeatable } from '../http/schema'
import { onConflict } from '../imports/schema'
import { noteExample, summaryExample } from './examples'

const Tags = t.Array(t.String(), { maxItems: 64, description: 'At most 64, each of at most 100 characters.' })
const Properties = t.Record(t.String(), t.Unknown(), { description: 'Free members, at most 64 KiB of JSON.' })

export const Source = t.Object(
  { system: t.String({ minLength: 1, maxLength: 50 }), id: t.String({ minLength: 1, maxLength: 500 }) },
  { additionalProperties: false, description: 'Where the note came from; unique in the workspace.' },
)

const count = Type.Integer({ minimum: 0 })

const summary = {
  id: Id,
  revision: Revision,
  created_at: Instant,
  updated_at: Instant,
  deleted_at: nullable(Instant),
  title: t.String({ description: 'One line of at most 500 characters.' }),
  folder: nullable(t.String({ examples: ['Work/Plans'] })),
  tags: Tags,
  inline_tags: t.Array(t.String(), { description: 'Every `#tag` in the body.' }),
  pinned: t.Boolean(),
  archived_at: nullable(Instant),
  source: nullable(Source),
  daily_date: nullable(t.String({ description: 'The day that this is the daily note of.' })),
  excerpt: t.String({ description: 'The beginning as plain text, at most 200 characters.' }),
  word_count: count,
  checklist: t.Object({ total: count, done: count }),
  links: t.Object(
    { out: count, unresolved: count, in: count },
    { description: 'Targets linked to, those of them that no note answers to, and notes that link here.' },
  ),
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
  body: t.Optional(t.String()),
  folder: t.Optional(nullable(t.String())),
  tags: t.Optional(Tags),
  pinned: t.Optional(t.Boolean()),
  archived_at: t.Optional(nullable(Instant)),
  source: t.Optional(nullable(Source)),
}

export const CreateNote = t.Object(
  { id: t.Optional(Id), ...writable, properties: t.Optional(Properties) },
  {
    additionalProperties: false,
    examples: [
      { title: 'Trip to Lisbon', body: '# Plan\n\n- book the train\n', tags: ['travel'], folder: 'Work/Plans' },
    ],
  },
)

export const UpdateNote = t.Object(
  { ...writable, properties: t.Optional(nullable(Properties)) },
  {
    additionalProperties: false,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ title: 'Trip to Porto', pinned: true }],
  },
)

export const ChangeNote = t.Object(
  {
    update_links: t.Optional(
      t.Union([t.Literal('true'), t.Literal('false')], {
        description: '`false` leaves links to the note as they are written.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const SORTS = ['updated', '-updated', 'created', '-created', 'title', '-title', 'folder', '-folder'] as const
export type Sort = (typeof SORTS)[number] | PropertySort

/** By a property of front matter. */
export type PropertySort = `property.${string}` | `-property.${string}`

/** @param rest what is said of other orders */
export function sortBy<Name extends string>(names: readonly Name[], rest: string) {
  return t.Unsafe<Name | PropertySort>(
    t.Union([...names.map((name) => t.Literal(name)), t.String({ pattern: '^-?property\\..+$' })], {
      description: `${rest} \`property.NAME\` goes by the least value of a property, numbers before text; \`-\` before it descends. Notes without it come last in both directions, by id, which are all of them if none has it.`,
      error: `must be one of ${[...names, 'property.NAME', '-property.NAME'].join(', ')}`,
      examples: [names[0], 'property.rating'],
    }),
  )
}

/** The filters that the list, the search and the export share. */
export const noteFilters = {
  folder: t.Optional(t.String({ description: 'Notes in this folder and those below it. Empty is the root.' })),
  folder_only: t.Optional(Flag),
  tag: t.Optional(repeatable('Repeat it for notes with all of the tags. Nested tags count.')),
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

export const ListNotes = t.Object(
  {
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    sort: t.Optional(sortBy(SORTS, '`-` before a name descends; else `-updated`.')),
    include: t.Optional(t.Literal('body', { description: 'Whole notes; a page then ends early at 8 MiB.' })),
    ...noteFilters,
  },
  { additionalProperties: false },
)

export const ImportNotes = t.Object(
  {
    format: t.Optional(
      t.Union([t.Literal('auto'), t.Literal('markdown'), t.Literal('obsidian'), t.Literal('enex'), t.Literal('keep')], {
        description: 'What the file is; `auto`, the default, looks.',
        error: 'must be one of auto, markdown, obsidian, enex, keep',
      }),
    ),
    dry_run: t.Optional(Flag),
    folder: t.Optional(t.String({ description: 'A folder to put everything under.' })),
    on_conflict: onConflict(
      'What to do with a note that was changed here as well as in the file: `skip` it (the default), `overwrite` it (its text stays as a revision), or import a `copy`.',
    ),
  },
  { additionalProperties: false },
)

export const ExportNotes = t.Object(noteFilters, { additionalProperties: false })

export const DeleteNote = t.Object({ permanent: t.Optional(Flag) }, { additionalProperties: false })

export type Note = Static<typeof Note>
export type NoteSummary = Static<typeof NoteSummary>
export type CreateNote = Static<typeof CreateNote>
export type UpdateNote = Static<typeof UpdateNote>
export type NoteFilters = Static<typeof NoteFilters>
export type ListNotes = Static<typeof ListNotes>
export type ImportNotes = Static<typeof ImportNotes>
export type ExportNotes = Static<typeof ExportNotes>
