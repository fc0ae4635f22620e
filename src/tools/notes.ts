import { Type } from '@sinclair/typebox'
import { invalid } from '../http/api-error'
import type { Tagged } from '../http/conditional'
import { type ScopedFinder, targetOf } from './find'
import {
  clip,
  countJsonBytes,
  cutToJsonBytes,
  fitResult,
  MAX_RESULT_BYTES,
  previewChange,
  type ToolResult,
  writeMembers,
} from './fit'
import { closedObject, type UndoStep } from './schema'
import type { NoteEdit, NoteMembers, ToolNote } from './services'
import { citeBeginning, citeRange } from './source'
import {
  type ChangeTool,
  type CreateTool,
  changeNames,
  changeOutput,
  createOutput,
  limitSchema,
  type ReadTool,
  readOutput,
  requireKind,
  resourceIdSchema,
  type ToolContext,
  type ToolDeps,
  tagChanges,
  textSchema,
  undoCreation,
  type WriteOutcome,
} from './tool'

/** UTF-16 units of a text that is written at once. */
const MAX_WRITTEN_UNITS = 16_384
/** UTF-16 units of a title or a heading. */
const MAX_TITLE_UNITS = 500

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
      const start = countUnits(note.body, from)
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

function countUnits(text: string, points: number): number {
  let units = 0
  for (let left = points; left > 0 && units < text.length; left--)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
  return units
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
    output: readOutput({ id: Type.String(), title: Type.String(), sentences: Type.Array(Type.String()) }),
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

/** The members of a note in the results of tools that write. */
export const noteResult = { id: Type.String(), title: Type.String(), revision: Type.Integer() }

/** Returns the outcome of a change of a note. @param undo takes it back, by default to the text before */
export function toNoteOutcome(
  { resource: note, etag }: Tagged<ToolNote>,
  old: ToolNote,
  verb: string,
  undo: Omit<UndoStep, 'if_match'> = {
    method: 'POST',
    path: `/api/notes/${old.id}/revisions/${old.revision}/restore`,
    body: null,
  },
): WriteOutcome {
  return {
    result: { id: note.id, title: note.title, revision: note.revision },
    target: targetOf.note(note),
    summary: `${verb} the note ${quoteTitle(note)}`,
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
    output: createOutput(noteResult),
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

const updateInput = closedObject({
  id: resourceIdSchema(),
  append: Type.Optional(textSchema(MAX_WRITTEN_UNITS)),
  replace: Type.Optional(textSchema(MAX_WRITTEN_UNITS)),
  heading: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  find: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  title: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  folder: Type.Optional(textSchema(500)),
  ...tagChanges(),
})

type Update = (typeof updateInput)['static']

interface EditedBody {
  readonly revision: number
  readonly body: string
  readonly confirm: boolean
}

/** A change that would remove all of the body has to be confirmed. */
export function updateNoteTool({ services: { notes } }: ToolDeps, find: ScopedFinder): ChangeTool<typeof updateInput> {
  const toEdit = ({ append, replace, heading, find: text }: Update): NoteEdit => ({
    op: append === undefined ? 'replace' : 'append',
    target: text !== undefined ? { text } : heading === undefined ? { document: true } : { heading: [heading] },
    content: append ?? replace ?? '',
  })

  async function readEdited({ session }: ToolContext, args: Update, revision: number): Promise<string> {
    if (replacesAll(args)) return args.replace ?? ''
    const { resource } = await notes.edit(session, args.id, { edits: [toEdit(args)], dry_run: true }, [revision])
    return resource.body
  }

  /** Edits the present body, and stores nothing. */
  async function editBody(args: Update, context: ToolContext): Promise<EditedBody> {
    if ((args.append === undefined) === (args.replace === undefined)) throw eitherError('append', 'replace')
    if (args.find !== undefined && (args.append ?? args.heading) !== undefined)
      throw invalid('/find', 'invalid_value', 'Give find with replace alone.')
    const { resource: note } = await find.note(context, args.id)
    const body = await readEdited(context, args, note.revision)
    return { revision: note.revision, body, confirm: leavesAlmostNothing(args, note.body, body) }
  }

  /** Returns the tool that goes on with a body that was edited already, unless the note has changed since. */
  const goOn = (edited: EditedBody | null): ChangeTool<typeof updateInput> => ({
    name: 'update_note',
    title: 'Change a note',
    description:
      'Appends Markdown, or replaces all text, that of a heading, or what find says; or changes members. The user confirms replacing all, and moves.',
    risk: 'update',
    input: updateInput,
    output: changeOutput(noteResult),
    async prepare(args, context) {
      return goOn(changesMembers(args) ? null : await editBody(args, context))
    },
    async plan(args, context) {
      const { resource: note } = await find.note(context, args.id)
      if (changesMembers(args)) {
        const patch = toNotePatch(args, note)
        // The links in other notes are rewritten, so more than one note changes.
        const confirm = args.title !== undefined || args.folder !== undefined
        const before = Object.fromEntries(Object.keys(patch).map((name) => [name, note[name as 'title']]))
        const preview = () => previewChange(writeMembers(before), writeMembers({ ...patch }))
        return {
          target: targetOf.note(note),
          summary: `Change ${nameMembers(patch)} of the note ${quoteTitle(note)}`,
          confirm,
          preview,
        }
      }
      const { body, confirm } = edited?.revision === note.revision ? edited : await editBody(args, context)
      const preview = () => previewChange(note.body, body)
      return { target: targetOf.note(note), summary: summarizePlan(args, note), confirm, preview }
    },
    async run(args, context, precondition) {
      const { session } = context
      const { resource: old } = await find.note(context, args.id)
      if (changesMembers(args)) {
        const patch = toNotePatch(args, old)
        const changed = await notes.update(session, args.id, patch, precondition)
        const body = Object.fromEntries(Object.keys(patch).map((name) => [name, old[name as 'title']]))
        const undo = { method: 'PATCH', path: `/api/notes/${old.id}`, body } as const
        return toNoteOutcome(changed, old, `Changed ${nameMembers(patch)} of`, undo)
      }
      const { body } = edited?.revision === old.revision ? edited : await editBody(args, context)
      const changed = await notes.update(session, args.id, { body }, precondition)
      return toNoteOutcome(changed, old, args.append === undefined ? 'Replaced text of' : 'Added to')
    },
  })

  return goOn(null)
}

const replacesAll = ({ replace, heading, find }: Update): boolean =>
  replace !== undefined && heading === undefined && find === undefined

/**
 * Whether a change leaves at most two lines of a body that are not blank, its heading included, beside what it writes.
 * If the part is named by its text, the rest of its line is left.
 */
function leavesAlmostNothing(args: Update, before: string, after: string): boolean {
  if (args.replace === undefined) return false
  if (args.find !== undefined) return withoutBlanks(args.find).length >= withoutBlanks(before).length
  return replacesAll(args) || countLines(after) - countLines(args.replace) <= 2
}

export const withoutBlanks = (text: string): string => text.replace(/\s+/g, '')

const countLines = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length

/** Whether a call changes the title, the folder or the tags. Throws invalid_request if it changes the text as well. */
function changesMembers({ append, replace, title, folder, tag, untag }: Update): boolean {
  const members = [title, folder, tag, untag].some((value) => value !== undefined)
  if (members && (append ?? replace) !== undefined)
    throw invalid('/title', 'invalid_value', 'Change the text in a separate call.')
  return members
}

function toNotePatch({ title, folder, tag, untag }: Update, note: ToolNote): NoteMembers {
  return {
    ...(title !== undefined && { title }),
    ...(folder !== undefined && { folder }),
    ...((tag ?? untag) !== undefined && { tags: changeNames(note.tags, tag, untag) }),
  }
}

const nameMembers = (patch: object): string => Object.keys(patch).join(', ')

function summarizePlan({ append, heading, find }: Update, note: ToolNote): string {
  const where = heading === undefined ? '' : ` under "${clip(heading, 60)}"`
  return append === undefined
    ? `Replace the ${heading === undefined && find === undefined ? 'whole text' : 'text'}${where} of the note ${quoteTitle(note)}`
    : `Add to the note ${quoteTitle(note)}${where}`
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
