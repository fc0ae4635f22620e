import { Type } from '@sinclair/typebox'
import { invalid } from '../http/api-error'
import type { Tagged } from '../http/responses'
import { cutCodePoints } from '../lib/text'
import { type ScopedFinder, targetOf } from './find'
import { clip, countJsonBytes, cutToJsonBytes, fitResult, MAX_RESULT_BYTES, type ToolResult } from './fit'
import { closedObject, type UndoStep } from './schema'
import type { ToolNote } from './services'
import { citeBeginning, citeRange } from './source'
import {
  type CreateTool,
  limitSchema,
  type ReadTool,
  readOutput,
  requireKind,
  resourceIdSchema,
  type ToolContext,
  type ToolDeps,
  textSchema,
  undoCreation,
  type WriteOutcome,
} from './tool'

/** UTF-16 units of a text that is written at once. */
export const MAX_WRITTEN_UNITS = 16_384
/** UTF-16 units of a title or a heading. */
export const MAX_TITLE_UNITS = 500

const getInput = closedObject({
  id: Type.Optional(resourceIdSchema()),
  title: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'next_from of a long note' })),
})

export function getNoteTool(find: ScopedFinder): ReadTool<typeof getInput> {
  return {
    name: 'get_note',
    title: 'Read a note',
    description: 'A whole note, by id or exact title.',
    risk: 'read',
    returnsText: 'texts',
    input: getInput,
    output: readOutput({
      id: Type.String(),
      title: Type.String(),
      body: Type.String(),
      revision: Type.Integer(),
      tags: Type.Array(Type.String()),
      next_from: Type.Optional(Type.Integer()),
    }),
    async run({ id, title, from = 0 }, context) {
      const { resource: note } = await findNamedNote(find, context, { id, title })
      const start = cutCodePoints(note.body, from).length
      const { result, end } = cutToResult(note, start, from)
      return { result, sources: citeBeginning(note, start, end) }
    },
  }
}

/** Cuts a note to a result, with `next_from` for the next call; `end` is in UTF-16 units. */
function cutToResult(note: ToolNote, start: number, from: number): { result: ToolResult; end: number } {
  const { id, title, revision, tags, body } = note
  const whole = { id, title, body: body.slice(start), revision, tags }
  if (countJsonBytes(whole) <= MAX_RESULT_BYTES) return { result: whole, end: body.length }
  const frame = fitResult({
    ...whole,
    body: '',
    truncated: true,
    next_from: from + body.length,
    room: 'x'.repeat(1024),
  })
  const { room: _, ...rest } = frame
  const piece = cutToJsonBytes(whole.body, MAX_RESULT_BYTES - countJsonBytes(rest))
  const next_from = from + Array.from(piece).length
  return { result: { ...rest, body: piece, next_from }, end: start + piece.length }
}

const summarizeInput = closedObject({
  id: Type.Optional(resourceIdSchema()),
  query: Type.Optional(textSchema(300)),
  sentences: limitSchema(10),
})

/** Creates the tool that returns the most telling sentences of a note. `bestNote` finds the first note of a query. */
export function summarizeTool(
  { summarize }: ToolDeps,
  find: ScopedFinder,
  bestNote: (context: ToolContext, query: string) => Promise<string>,
): ReadTool<typeof summarizeInput> {
  return {
    name: 'summarize',
    title: 'Summarize a note',
    description: 'The most telling sentences of a note, by id, or of the first note of a query.',
    risk: 'read',
    returnsText: 'texts',
    input: summarizeInput,
    async run({ id, query, sentences = 3 }, context) {
      if ((id === undefined) === (query === undefined)) throw eitherError('id', 'query')
      const { resource: note } = await find.note(context, id ?? (await bestNote(context, query ?? '')))
      const ranges = await summarize(note.body, sentences)
      return {
        result: {
          id: note.id,
          title: note.title,
          sentences: ranges.map(({ start, end }) => note.body.slice(start, end)),
        },
        sources: ranges.map(({ start, end }) => citeRange(note, start, end)),
      }
    },
  }
}

/** Returns the outcome of a change of a note. @param undo takes it back, by default to the text before */
export function toNoteOutcome(
  { resource: note, etag }: Tagged<ToolNote>,
  old: ToolNote,
  summary: string,
  undo: Omit<UndoStep, 'if_match'> = {
    method: 'POST',
    path: `/api/notes/${old.id}/revisions/${old.revision}/restore`,
    body: null,
  },
): WriteOutcome {
  return {
    result: { id: note.id, title: note.title, revision: note.revision },
    target: targetOf.note(note),
    summary,
    undo: note.revision === old.revision ? [] : [{ ...undo, if_match: etag }],
  }
}

const createInput = closedObject({
  title: textSchema(MAX_TITLE_UNITS),
  body: Type.Optional(textSchema(MAX_WRITTEN_UNITS)),
  tags: Type.Optional(Type.Array(textSchema(100), { maxItems: 64 })),
  folder: Type.Optional(textSchema(500)),
})

export function createNoteTool({ services: { notes } }: ToolDeps): CreateTool<typeof createInput> {
  return {
    name: 'create_note',
    title: 'Create a note',
    description: 'Creates a note from Markdown.',
    risk: 'create',
    input: createInput,
    async run(args, { session, scope }) {
      requireKind(scope, 'note')
      const { resource: note, etag } = await notes.create(session, args)
      return {
        result: { id: note.id, title: note.title, revision: note.revision },
        target: targetOf.note(note),
        summary: `Created the note ${quoteTitle(note)}`,
        undo: [undoCreation({ type: 'note', id: note.id }, etag)],
      }
    },
  }
}

/** Finds the note that is given by either id or title. */
async function findNamedNote(
  find: ScopedFinder,
  context: ToolContext,
  { id, title }: { id: string | undefined; title: string | undefined },
) {
  if (id !== undefined && title === undefined) return find.note(context, id)
  if (title !== undefined && id === undefined) return find.findNoteByTitle(context, title)
  throw eitherError('id', 'title')
}

/** Quotes a title for a sentence. Its own quotes are escaped, so that none of them can seem to end it. */
export const quoteTitle = ({ title }: { readonly title: string }): string => JSON.stringify(clip(title, 80))

/** Creates the error for a call that gives none of two arguments, or both. */
export const eitherError = (one: string, other: string) =>
  invalid(`/${one}`, 'required', `Give either ${one} or ${other}, and not both.`)
