import { Type } from '@sinclair/typebox'
import type { Precondition, Tagged } from '../../http/conditional'
import { type ScopedFinder, targetOf } from './find'
import { quoteTitle } from './notes'
import { previewChange, writeMembers } from './preview'
import type { ActionTarget } from './schema'
import { closedObject } from './schema'
import type { ChatServices } from './services'
import { type ChangeTool, resourceIdSchema, resourcePath, type ToolContext } from './tool'

const KINDS = ['note', 'task', 'fact'] as const

const input = closedObject({ type: Type.Union(KINDS.map((kind) => Type.Literal(kind))), id: resourceIdSchema() })

type Kind = (typeof KINDS)[number]

interface TrashCandidate {
  readonly target: ActionTarget
  /** Of a task; they go along. */
  readonly parts: number
  /** What is shown of it. */
  readonly text: string
}

/** Moves one thing to the trash, always confirmed first; nothing is ever erased by chat. */
export function trashItemTool(
  { notes, tasks, flashcards }: ChatServices,
  find: ScopedFinder,
): ChangeTool<typeof input> {
  const trash = {
    note: (...asked: TrashArgs) => notes.trash(...asked),
    task: (...asked: TrashArgs) => tasks.trash(...asked),
    fact: (...asked: TrashArgs) => flashcards.trashFact(...asked),
  }
  const get = {
    note: (...asked: GetArgs) => notes.get(...asked),
    task: (...asked: GetArgs) => tasks.get(...asked),
    fact: (...asked: GetArgs) => flashcards.getFact(...asked),
  }

  async function findItem(context: ToolContext, kind: Kind, id: string): Promise<TrashCandidate> {
    if (kind === 'note') {
      const { resource: note } = await find.note(context, id)
      return { target: targetOf.note(note), parts: 0, text: note.body }
    }
    if (kind === 'fact') {
      const { resource: fact } = await find.findFact(context, id)
      const { front, back, text } = fact
      return { target: targetOf.fact(fact), parts: 0, text: writeMembers({ front, back, text }) }
    }
    const { resource: task } = await find.findTask(context, id)
    const { title, notes } = task
    return { target: targetOf.task(task), parts: task.subtasks.total, text: writeMembers({ title, notes }) }
  }

  return {
    name: 'trash_item',
    title: 'Move to the trash',
    description:
      'Moves a note, a task with its parts, or a flashcard fact to the trash for 30 days. The user must confirm.',
    risk: 'delete',
    input,
    async plan({ type, id }, context) {
      const { target, parts, text } = await findItem(context, type, id)
      return {
        target,
        summary: `Move the ${nameKind(type)} ${quoteTitle(target)}${describeParts(parts)} to the trash`,
        confirm: true,
        preview: () => previewChange(text, null),
      }
    },
    async run({ type, id }, context, precondition) {
      const { session } = context
      const { target: old, parts } = await findItem(context, type, id)
      await trash[type](session, id, precondition)
      const { resource, etag }: Tagged<{ revision: number }> = await get[type](session, id)
      const target = { ...old, revision: resource.revision }
      return {
        result: { type, id, title: target.title },
        target,
        summary: `Moved the ${nameKind(type)} ${quoteTitle(target)}${describeParts(parts)} to the trash`,
        undo: [{ method: 'POST', path: `${resourcePath(target)}/restore`, body: null, if_match: etag }],
      }
    },
  }
}

type TrashArgs = [session: ToolContext['session'], id: string, precondition: Precondition]
type GetArgs = [session: ToolContext['session'], id: string]

/** How many parts go along, if any do. */
function describeParts(parts: number): string {
  return parts > 0 ? ` with its ${parts} ${parts === 1 ? 'part' : 'parts'}` : ''
}

const nameKind = (kind: Kind): string => (kind === 'fact' ? 'flashcard' : kind)
