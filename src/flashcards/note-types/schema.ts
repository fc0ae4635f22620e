import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, nullable, pageOf, Revision } from '../../http/schema'

export const CardTemplate = t.Object(
  {
    name: t.String(),
    question: t.String({ description: 'HTML with `{{Field}}`, as in Anki.' }),
    answer: t.String({ description: 'HTML with `{{Field}}`, as in Anki.' }),
  },
  { additionalProperties: false },
)

const Members = t.Record(t.String(), t.Unknown())
/** What else Anki has of a note type; see NotetypeSettings. */
export const NoteTypeSettings = t.Object(
  { notetype: Members, fields: t.Array(Members), templates: t.Array(Members) },
  { additionalProperties: false, description: 'What else Anki has of it, such as fonts and LaTeX, as Anki names it.' },
)

export const NoteType = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: Instant,
    updated_at: Instant,
    anki_id: Type.Integer({ description: 'Its id in Anki.' }),
    name: t.String(),
    kind: t.Union([t.Literal('standard'), t.Literal('cloze'), t.Literal('image_occlusion')], {
      description: 'standard: a card for each template. The others: a card for each number of a cloze field.',
    }),
    fields: t.Array(t.String(), { description: 'The names of the fields, in order.' }),
    templates: t.Array(CardTemplate, { description: 'In the order of the ordinals of cards.' }),
    css: t.String(),
    settings: nullable(NoteTypeSettings),
  },
  {
    examples: [
      {
        id: '01980000-0000-7000-8000-000000000017',
        revision: 1,
        created_at: '2026-03-01T08:15:00.000Z',
        updated_at: '2026-03-01T08:15:00.000Z',
        anki_id: 1_577_836_800_000,
        name: 'Vocabulary',
        kind: 'standard',
        fields: ['Word', 'Meaning', 'Sound'],
        templates: [
          {
            name: 'Recognition',
            question: 'What is {{Word}}?',
            answer: '{{FrontSide}}<hr id=answer>{{Meaning}} {{Sound}}',
          },
        ],
        css: '.card { font-family: arial; }',
        settings: {
          notetype: { sortf: 0, latexPre: '\\documentclass[12pt]{article}' },
          fields: [{ font: 'Arial', size: 20, rtl: false }],
          templates: [{ bqfmt: '{{Word}}' }],
        },
      },
    ],
  },
)
export const NoteTypePage = pageOf(NoteType)

export const ListNoteTypes = t.Object(
  { limit: t.Optional(Limit), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
)

export type NoteType = Static<typeof NoteType>
export type ListNoteTypes = Static<typeof ListNoteTypes>
