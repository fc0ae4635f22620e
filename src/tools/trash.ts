import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Precondition } from '../http/responses'
import { createResources, type ScopedFinder, targetOf } from './find'
import { previewChange } from './fit'
import { quoteTitle, toNoteOutcome } from './notes'
import { type ActionTarget, closedObject } from './schema'
import type { ToolServices } from './services'
import {
  type ChangePlan,
  type ChangeTool,
  changeOutput,
  choiceSchema,
  notInScope,
  requireKind,
  resourceIdSchema,
  resourcePath,
  type ToolContext,
  undoCreation,
  type WriteOutcome,
  wordSchema,
} from './tool'

/** The tools that move to the trash, and bring back. */

type Kind = ActionTarget['type']

const KINDS = ['note', 'task', 'fact', 'deck'] as const
const TRASHED_KINDS = ['note', 'task', 'fact'] as const

const itemResult = () => ({ type: wordSchema(KINDS), id: Type.String(), title: Type.String() })

export const nameKind = (kind: Kind): string => (kind === 'fact' ? 'flashcard' : kind)

/** Creates what restores from the trash, within a scope. */
function createRestoring(services: ToolServices) {
  const { read, load, restore } = createResources(services)

  /** Finds what is in the trash. Throws not_found if it is not there, or the scope hides it. */
  async function findTrashed(context: ToolContext, kind: Kind, id: string): Promise<ActionTarget> {
    const found = await read(context, kind, id)
    if (!found?.isTrashed) throw new ApiError('not_found', `There is no such ${nameKind(kind)} in the trash.`)
    return found.target
  }

  return {
    async plan(context: ToolContext, kind: Kind, id: string): Promise<ChangePlan> {
      const target = await findTrashed(context, kind, id)
      const summary = `Restore the ${nameKind(kind)} ${quoteTitle(target)}`
      return { target, summary, confirm: false, preview: () => previewChange('', target.title) }
    },

    async run(context: ToolContext, kind: Kind, id: string, precondition: Precondition): Promise<WriteOutcome> {
      await findTrashed(context, kind, id)
      await restore[kind](context.session, id, precondition)
      const { target, etag } = await load(context, kind, id)
      return {
        result: { type: kind, id, title: target.title },
        target,
        summary: `Restored the ${nameKind(kind)} ${quoteTitle(target)}`,
        undo: [undoCreation(target, etag)],
      }
    },
  }
}

const trashInput = closedObject({
  type: choiceSchema(TRASHED_KINDS),
  id: resourceIdSchema(),
  restore: Type.Optional(Type.Boolean()),
})

/** Always after a confirmation. Chat never erases anything. */
export function trashItemTool(services: ToolServices): ChangeTool<typeof trashInput> {
  const { load, trash } = createResources(services)
  const restoring = createRestoring(services)

  /** Finds what is not in the trash; `parts` names the subtasks of a task, which are trashed with it. */
  async function findItem(context: ToolContext, kind: Kind, id: string) {
    requireKind(context.scope, kind)
    const found = await load(context, kind, id)
    if (found.isTrashed) throw notInScope(kind)
    const { total = 0 } = (found.resource as { readonly subtasks?: { readonly total: number } }).subtasks ?? {}
    return { ...found, parts: total > 0 ? ` with its ${total} ${total === 1 ? 'part' : 'parts'}` : '' }
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
    input: trashInput,
    output: changeOutput(itemResult()),
    async plan({ type, id, restore = false }, context) {
      if (restore) {
        requireRestorable(type)
        return restoring.plan(context, type, id)
      }
      const { target, parts, text } = await findItem(context, type, id)
      return {
        target,
        summary: `Move the ${nameKind(type)} ${quoteTitle(target)}${parts} to the trash`,
        confirm: true,
        preview: () => previewChange(text, null),
      }
    },
    async run({ type, id, restore = false }, context, precondition) {
      if (restore) {
        requireRestorable(type)
        return restoring.run(context, type, id, precondition)
      }
      const { parts } = await findItem(context, type, id)
      await trash[type](context.session, id, precondition)
      const { target, etag } = await load(context, type, id)
      return {
        result: { type, id, title: target.title },
        target,
        summary: `Moved the ${nameKind(type)} ${quoteTitle(target)}${parts} to the trash`,
        undo: [{ method: 'POST', path: `${resourcePath(target)}/restore`, body: null, if_match: etag }],
      }
    },
  }
}

const restoreInput = closedObject({
  type: choiceSchema(KINDS),
  id: resourceIdSchema(),
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'Of a note' })),
})

/** Creates the tool that restores from the trash, or brings back an earlier text of a note. */
export function restoreItemTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof restoreInput> {
  const { notes } = services
  const restoring = createRestoring(services)

  /** Throws invalid_request. */
  function requireNote(type: Kind): void {
    if (type !== 'note') throw invalid('/revision', 'invalid_value', 'Only notes have revisions that can be restored.')
  }

  return {
    name: 'restore_item',
    title: 'Restore',
    description: 'Restores from the trash, or a note to the text of a revision. For your own changes: undo.',
    risk: 'update',
    input: restoreInput,
    output: changeOutput({ ...itemResult(), revision: Type.Integer() }),
    async plan({ type, id, revision }, context) {
      if (revision === undefined) return restoring.plan(context, type, id)
      requireNote(type)
      const { resource: note } = await find.note(context, id)
      const { resource: old } = await notes.getRevision(context.session, id, revision)
      return {
        target: targetOf.note(note),
        summary: `Bring back the text of revision ${revision} of the note ${quoteTitle(note)}`,
        // It replaces the whole text.
        confirm: true,
        preview: () => previewChange(note.body, old.body),
      }
    },
    async run({ type, id, revision }, context, precondition) {
      if (revision === undefined) return restoring.run(context, type, id, precondition)
      requireNote(type)
      const { resource: old } = await find.note(context, id)
      const changed = await notes.restoreRevision(context.session, id, revision, precondition)
      const summary = `Brought back the text of revision ${revision} of the note ${quoteTitle(changed.resource)}`
      const outcome = toNoteOutcome(changed, old, summary)
      return { ...outcome, result: { type, ...outcome.result } }
    },
  }
}
