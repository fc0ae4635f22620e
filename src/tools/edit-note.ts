import { Type } from '@sinclair/typebox'
import { ApiError } from '../http/api-error'
import { requireRevision, type Tagged } from '../http/conditional'
import { type ScopedFinder, targetOf } from './find'
import { clip, previewChange } from './fit'
import { noteResult, quoteTitle, toNoteOutcome, withoutBlanks } from './notes'
import { closedObject } from './schema'
import type { NoteEdit, ToolNote, ToolServices } from './services'
import { type ChangeTool, changeOutput, choiceSchema, resourceIdSchema, type ToolContext, textSchema } from './tool'

const MAX_EDITS = 20
/** Code points of the candidates that an error names. */
const MAX_CANDIDATE_CHARS = 600

const editSchema = closedObject({
  op: choiceSchema(['append', 'prepend', 'replace', 'delete', 'insert_before', 'insert_after']),
  heading: Type.Optional(Type.Array(textSchema(500), { minItems: 1, maxItems: 6 })),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
  nth: Type.Optional(Type.Integer({ minimum: 1 })),
  scope: Type.Optional(choiceSchema(['section', 'own'])),
  content: Type.Optional(textSchema(16_384)),
  join: Type.Optional(choiceSchema(['block', 'line', 'none'])),
  create_missing: Type.Optional(Type.Boolean()),
})
const input = closedObject({
  id: resourceIdSchema(),
  edits: Type.Array(editSchema, { minItems: 1, maxItems: MAX_EDITS }),
  if_revision: Type.Optional(Type.Integer({ minimum: 1 })),
})

type Edit = (typeof editSchema)['static']

interface EditedNote {
  readonly note: ToolNote
  readonly body: string
}

/** All edits or none, as one revision. */
export function editNoteTool({ notes }: ToolServices, find: ScopedFinder): ChangeTool<typeof input> {
  /** Applies the edits to the present body, and stores nothing. */
  async function applyEdits(
    { id, edits, if_revision }: (typeof input)['static'],
    context: ToolContext,
  ): Promise<EditedNote> {
    const { resource: note } = await find.note(context, id)
    requireRevision(if_revision === undefined ? null : [if_revision], note)
    const asked = { edits: edits.map(toNoteEdit), dry_run: true }
    const { resource } = await namingCandidates(notes.edit(context.session, id, asked, [note.revision]))
    return { note, body: resource.body }
  }

  /** Returns the tool that goes on with a body that was edited already, unless the note has changed since. */
  function goOn(edited: EditedNote | null): ChangeTool<typeof input> {
    const readEdited = async (args: (typeof input)['static'], context: ToolContext): Promise<EditedNote> => {
      const { resource: note } = await find.note(context, args.id)
      return edited?.note.revision === note.revision ? edited : applyEdits(args, context)
    }
    return {
      ...described,
      async prepare(args, context) {
        return goOn(await applyEdits(args, context))
      },
      async plan(args, context) {
        const { note, body } = await readEdited(args, context)
        return {
          target: targetOf.note(note),
          summary: `Edit the text of the note ${quoteTitle(note)}${describeCount(args.edits)}`,
          confirm: leavesAlmostNothing(note.body, body, args.edits),
          preview: () => previewChange(note.body, body),
        }
      },
      async run(args, context, precondition) {
        const { note: old, body } = await readEdited(args, context)
        const changed = await notes.update(context.session, args.id, { body }, precondition)
        const outcome = toNoteOutcome(changed, old, 'Edited the text of')
        return { ...outcome, summary: outcome.summary + describeCount(args.edits) }
      },
    }
  }

  return goOn(null)
}

const described = {
  name: 'edit_note',
  title: 'Edit parts of a note',
  description:
    'Several edits of a text, in order, all or none: of a heading (its path), of an exact text (there), else of the whole. For one simple edit, and other members: update_note.',
  risk: 'update',
  input,
  output: changeOutput(noteResult),
} as const

const describeCount = ({ length }: readonly Edit[]): string => (length === 1 ? '' : ` in ${length} places`)

function toNoteEdit({ op, heading, text, nth, scope, content, join, create_missing }: Edit): NoteEdit {
  const which = { ...(nth !== undefined && { nth }) }
  const target =
    text !== undefined
      ? { text, ...(heading && { within: heading }), ...which }
      : heading
        ? { heading, ...(scope && { scope }), ...which }
        : ({ document: true } as const)
  return {
    op,
    target,
    ...(content !== undefined && { content }),
    ...(join && { join }),
    ...(create_missing !== undefined && { create_missing }),
  }
}

/**
 * Whether edits replace the whole text, or remove so much that at most two of its lines are left. Those of exact texts
 * alone may change any line, but not remove all.
 */
function leavesAlmostNothing(before: string, after: string, edits: readonly Edit[]): boolean {
  const removing = edits.filter(({ op }) => op === 'replace' || op === 'delete')
  if (removing.length === 0 || before.trim() === '') return false
  if (removing.some(({ heading, text }) => heading === undefined && text === undefined)) return true
  const removed = removing.reduce((sum, { text = '' }) => sum + withoutBlanks(text).length, 0)
  if (removing.every(({ text }) => text !== undefined)) return removed >= withoutBlanks(before).length
  return countKeptLines(before, after) <= 2
}

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
