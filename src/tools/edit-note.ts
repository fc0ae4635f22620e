import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import { requireRevision, type Tagged } from '../http/responses'
import { type ScopedFinder, targetOf } from './find'
import { clip, previewChange, writeMembers } from './fit'
import { MAX_TITLE_UNITS, MAX_WRITTEN_UNITS, quoteTitle, toNoteOutcome } from './notes'
import { closedObject } from './schema'
import type { NoteEdit, NoteMembers, ToolNote, ToolServices } from './services'
import {
  type ChangePlan,
  type ChangeTool,
  changeNames,
  choiceSchema,
  resourceIdSchema,
  type ToolContext,
  tagChanges,
  textSchema,
  type WriteOutcome,
} from './tool'

const MAX_EDITS = 20
const MAX_NAME_UNITS = 200
/** Code points of the candidates that an error names. */
const MAX_CANDIDATE_CHARS = 600

/** A text that may be empty. */
const writtenSchema = () => Type.String({ minLength: 0, maxLength: MAX_WRITTEN_UNITS })

const editSchema = closedObject({
  op: choiceSchema(['append', 'prepend', 'replace', 'delete', 'insert_before', 'insert_after']),
  heading: Type.Optional(Type.Array(textSchema(500), { minItems: 1, maxItems: 6 })),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_WRITTEN_UNITS })),
  block: Type.Optional(textSchema(MAX_NAME_UNITS)),
  property: Type.Optional(textSchema(MAX_NAME_UNITS)),
  nth: Type.Optional(Type.Integer({ minimum: 1 })),
  scope: Type.Optional(choiceSchema(['section', 'own'])),
  content: Type.Optional(writtenSchema()),
  join: Type.Optional(choiceSchema(['block', 'line', 'none'])),
  create_missing: Type.Optional(Type.Boolean()),
})
type Edit = (typeof editSchema)['static']

interface TextChange {
  readonly id: string
  readonly edits: readonly Edit[]
  readonly if_revision: number | undefined
  /** Says in a sentence what it does to a note, or did. */
  readonly describe: (note: ToolNote, isDone: boolean) => string
}

interface EditedNote {
  readonly note: ToolNote
  /** What changes: the body, and the properties that edits name. */
  readonly patch: Required<Pick<NoteMembers, 'body'>> & NoteMembers
}

const updateInput = closedObject({
  id: resourceIdSchema(),
  append: Type.Optional(textSchema(MAX_WRITTEN_UNITS)),
  replace: Type.Optional(writtenSchema()),
  heading: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  find: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  edits: Type.Optional(Type.Array(editSchema, { minItems: 1, maxItems: MAX_EDITS })),
  title: Type.Optional(textSchema(MAX_TITLE_UNITS)),
  folder: Type.Optional(Type.String({ minLength: 0, maxLength: 500 })),
  ...tagChanges(),
  if_revision: Type.Optional(Type.Integer({ minimum: 1 })),
})

type Update = (typeof updateInput)['static']
type UpdateTool = ChangeTool<typeof updateInput>

const described = {
  name: 'update_note',
  title: 'Change a note',
  description:
    "Appends Markdown, or replaces all text, a heading's, or what find says. edits: in order, all or none, of a heading (path), exact text, block (^id), property, or all. Or changes members. The user confirms replacing all, and moves.",
  risk: 'update',
  input: updateInput,
} as const

/** Changes the text of a note, all edits or none, as one revision; or other members. */
export function updateNoteTool({ notes }: ToolServices, find: ScopedFinder): UpdateTool {
  /** Applies the edits to the present body, and stores nothing. */
  async function applyEdits({ id, edits, if_revision }: TextChange, context: ToolContext): Promise<EditedNote> {
    const { resource: note } = await find.note(context, id)
    requireRevision(if_revision === undefined ? null : [if_revision], note)
    const asked = { edits: edits.map(toNoteEdit), dry_run: true }
    const { resource } = await namingCandidates(notes.edit(context.session, id, asked, [note.revision]))
    return { note, patch: { body: resource.body, ...changedProperties(note, resource) } }
  }

  /** Returns the tool that goes on with a body that was edited already, unless the note has changed since. */
  function editing(edited: EditedNote | null): UpdateTool {
    const readEdited = async (change: TextChange, context: ToolContext): Promise<EditedNote> => {
      const { resource: note } = await find.note(context, change.id)
      return edited?.note.revision === note.revision ? edited : applyEdits(change, context)
    }
    return {
      ...described,
      async plan(args, context): Promise<ChangePlan> {
        const change = readTextChange(args)
        const { note, patch } = await readEdited(change, context)
        return {
          target: targetOf.note(note),
          summary: change.describe(note, false),
          confirm: leavesAlmostNothing(note.body, patch.body, change.edits),
          preview: () => previewEdits(note, patch),
        }
      },
      async run(args, context, precondition): Promise<WriteOutcome> {
        const change = readTextChange(args)
        const { note: old, patch } = await readEdited(change, context)
        const changed = await notes.update(context.session, change.id, patch, precondition)
        return toNoteOutcome(changed, old, change.describe(changed.resource, true))
      },
    }
  }

  const tool: UpdateTool = {
    ...described,
    prepare: async (args, context) =>
      changesMembers(args) ? tool : editing(await applyEdits(readTextChange(args), context)),
    async plan(args, context) {
      if (!changesMembers(args)) return editing(null).plan(args, context)
      const { resource: note } = await find.note(context, args.id)
      requireRevision(args.if_revision === undefined ? null : [args.if_revision], note)
      const patch = toNotePatch(args, note)
      return {
        target: targetOf.note(note),
        summary: `Change ${nameMembers(patch)} of the note ${quoteTitle(note)}`,
        // The links in other notes are rewritten, so more than one note changes.
        confirm: args.title !== undefined || args.folder !== undefined,
        preview: () => previewChange(writeMembers(membersBefore(patch, note)), writeMembers({ ...patch })),
      }
    },
    async run(args, context, precondition) {
      if (!changesMembers(args)) return editing(null).run(args, context, precondition)
      const { resource: old } = await find.note(context, args.id)
      const patch = toNotePatch(args, old)
      const changed = await notes.update(context.session, args.id, patch, precondition)
      const summary = `Changed ${nameMembers(patch)} of the note ${quoteTitle(changed.resource)}`
      const undo = { method: 'PATCH', path: `/api/notes/${old.id}`, body: membersBefore(patch, old) } as const
      return toNoteOutcome(changed, old, summary, undo)
    },
  }
  return tool
}

/** Throws invalid_request. */
function readTextChange({ id, append, replace, heading, find: text, edits, if_revision }: Update): TextChange {
  if ([append, replace, edits].filter((one) => one !== undefined).length !== 1)
    throw invalid('/append', 'required', 'Give one of append, replace and edits, or members such as title.')
  if (edits) return { id, edits, if_revision, describe: describeEdits(edits) }
  if (text !== undefined && (append ?? heading) !== undefined)
    throw invalid('/find', 'invalid_value', 'Give find with replace alone.')
  const where = heading === undefined ? '' : ` under "${clip(heading, 60)}"`
  const what = heading === undefined && text === undefined ? 'whole text' : 'text'
  const edit: Edit = {
    op: append === undefined ? 'replace' : 'append',
    content: append ?? replace ?? '',
    ...(heading !== undefined && { heading: [heading] }),
    ...(text !== undefined && { text }),
  }
  return {
    id,
    edits: [edit],
    if_revision,
    describe(note, isDone) {
      const named = `the note ${quoteTitle(note)}`
      if (isDone) return `${append === undefined ? 'Replaced text of' : 'Added to'} ${named}`
      return append === undefined ? `Replace the ${what}${where} of ${named}` : `Add to ${named}${where}`
    },
  }
}

function describeEdits({ length }: readonly Edit[]): TextChange['describe'] {
  const where = length === 1 ? '' : ` in ${length} places`
  return (note, isDone) => `${isDone ? 'Edited' : 'Edit'} the text of the note ${quoteTitle(note)}${where}`
}

/** Whether a call changes the title, the folder or the tags. Throws invalid_request if it changes the text as well. */
function changesMembers({ append, replace, edits, title, folder, tag, untag }: Update): boolean {
  const members = [title, folder, tag, untag].some((value) => value !== undefined)
  if (members && (append ?? replace ?? edits) !== undefined)
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

const membersBefore = (patch: object, note: ToolNote) =>
  Object.fromEntries(Object.keys(patch).map((name) => [name, note[name as 'title']]))

function toNoteEdit({ op, content, join, create_missing, ...where }: Edit): NoteEdit {
  const { heading, text, block, property, nth, scope } = where
  const which = { ...(nth !== undefined && { nth }) }
  if ([text ?? heading, block, property].filter((one) => one !== undefined).length > 1)
    throw invalid('/edits', 'invalid_value', 'An edit is of a heading or a text, of a block, or of a property.')
  const target =
    text !== undefined
      ? { text, ...(heading && { within: heading }), ...which }
      : heading
        ? { heading, ...(scope && { scope }), ...which }
        : block !== undefined
          ? { block: block.startsWith('^') ? block : `^${block}`, ...which }
          : property !== undefined
            ? { property }
            : ({ document: true } as const)
  return {
    op,
    target,
    ...(content !== undefined && { content }),
    ...(join && { join }),
    ...(create_missing !== undefined && { create_missing }),
  }
}

/** Returns the properties that differ as a member of a merge patch; none if all are the same. */
function changedProperties({ properties: before }: ToolNote, { properties: after }: ToolNote): NoteMembers {
  const names = Object.keys({ ...before, ...after })
  const changed = names.filter((name) => !Bun.deepEquals(before[name], after[name]))
  return changed.length === 0
    ? {}
    : { properties: Object.fromEntries(changed.map((name) => [name, after[name] ?? null])) }
}

/** Shows how the text changes; without that, the properties. */
function previewEdits(note: ToolNote, { body, properties }: EditedNote['patch']) {
  if (body !== note.body || !properties) return previewChange(note.body, body)
  const before = Object.fromEntries(Object.keys(properties).map((name) => [name, note.properties[name]]))
  return previewChange(writeMembers({ properties: before }), writeMembers({ properties }))
}

/**
 * Whether edits replace the whole text, or remove so much that at most two of its lines are left. Those of exact texts
 * alone may change any line, but not remove all.
 */
function leavesAlmostNothing(before: string, after: string, edits: readonly Edit[]): boolean {
  const removing = edits.filter(({ op, property }) => !property && (op === 'replace' || op === 'delete'))
  if (removing.length === 0 || before.trim() === '') return false
  if (removing.some(({ heading, text, block }) => (heading ?? text ?? block) === undefined)) return true
  const removed = removing.reduce((sum, { text = '' }) => sum + withoutBlanks(text).length, 0)
  if (removing.every(({ text }) => text !== undefined)) return removed >= withoutBlanks(before).length
  return countKeptLines(before, after) <= 2
}

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '')

function countKeptLines(before: string, after: string): number {
  const left = new Map<string, number>()
  for (const line of listLines(after)) left.set(line, (left.get(line) ?? 0) + 1)
  return listLines(before).filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count > 0
  }).length
}

const listLines = (text: string): string[] => text.split(/[\r\n]+/).filter((line) => line.trim() !== '')

/** Tells a model which targets an edit may have meant: of an error it gets the sentence alone. */
async function namingCandidates(work: Promise<Tagged<ToolNote>>): Promise<Tagged<ToolNote>> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { candidates } = error.extra as { readonly candidates?: readonly { readonly target: object }[] }
    if (!candidates) throw error
    const targets = candidates.length === 0 ? 'none' : candidates.map(({ target }) => JSON.stringify(target)).join(' ')
    throw new ApiError(error.code, `${error.detail} Candidates: ${clip(targets, MAX_CANDIDATE_CHARS)}`, error.extra)
  }
}
