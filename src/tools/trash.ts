import { Type } from '@sinclair/typebox'
import { invalid } from '../http/api-error'
import type { Precondition, Tagged } from '../http/conditional'
import { type ScopedFinder, targetOf } from './find'
import { quoteTitle } from './notes'
import { previewChange, writeMembers } from './preview'
import { createRestoring, itemResult, nameKind } from './restore'
import type { ActionTarget } from './schema'
import { closedObject } from './schema'
import type { ToolServices } from './services'
import { type ChangeTool, changeOutput, choiceSchema, resourceIdSchema, resourcePath, type ToolContext } from './tool'

const KINDS = ['note', 'task', 'fact'] as const

const input = closedObject({
  type: choiceSchema(KINDS),
  id: resourceIdSchema(),
  restore: Type.Optional(Type.Boolean()),
})

type Kind = (typeof KINDS)[number]

interface TrashCandidate {
  readonly target: ActionTarget
  /** The number of subtasks, which are trashed together with it. */
  readonly parts: number
  /** The text for the preview. */
  readonly text: string
}

/** Always after a confirmation. Chat never erases anything. */
export function trashItemTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof input> {
  const { notes, tasks, flashcards } = services
  const restoring = createRestoring(services)
  const trash = {
    note: (...args: TrashArgs) => notes.trash(...args),
    task: (...args: TrashArgs) => tasks.trash(...args),
    fact: (...args: TrashArgs) => flashcards.trashFact(...args),
  }
  const get = {
    note: (...args: GetArgs) => notes.get(...args),
    task: (...args: GetArgs) => tasks.get(...args),
    fact: (...args: GetArgs) => flashcards.getFact(...args),
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

  /** Throws invalid_request. */
  function requireRestorable(kind: Kind): void {
    if (kind === 'fact') throw invalid('/type', 'invalid_value', 'Only notes and tasks are restored here.')
  }

  return {
    name: 'trash_item',
    title: 'Move to the trash',
    description:
      'Moves a note, a task with its parts, or a flashcard to the trash if the user confirms; or restores a note or task.',
    risk: 'delete',
    input,
    output: changeOutput(itemResult()),
    async plan({ type, id, restore = false }, context) {
      if (restore) {
        requireRestorable(type)
        return restoring.plan(context, type, id)
      }
      const { target, parts, text } = await findItem(context, type, id)
      return {
        target,
        summary: `Move the ${nameKind(type)} ${quoteTitle(target)}${describeParts(parts)} to the trash`,
        confirm: true,
        preview: () => previewChange(text, null),
      }
    },
    async run({ type, id, restore = false }, context, precondition) {
      const { session } = context
      if (restore) {
        requireRestorable(type)
        return restoring.run(context, type, id, precondition)
      }
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

/** Names the number of subtasks that are trashed too, if there are any. */
function describeParts(parts: number): string {
  return parts > 0 ? ` with its ${parts} ${parts === 1 ? 'part' : 'parts'}` : ''
}
