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
  choiceSchema,
  notInScope,
  requireKind,
  resourceIdSchema,
  resourcePath,
  type ToolContext,
  undoCreation,
  type WriteOutcome,
} from './tool'

type Kind = ActionTarget['type']

const KINDS = ['note', 'task', 'fact', 'deck'] as const

export const nameKind = (kind: Kind): string => (kind === 'fact' ? 'flashcard' : kind)

const input = closedObject({
  type: choiceSchema(KINDS),
  id: resourceIdSchema(),
  restore: Type.Optional(Type.Boolean()),
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'Of a note: brings back its text' })),
})

/** A part of what the tool does, for a kind and an id. */
interface Way {
  plan(context: ToolContext, kind: Kind, id: string): Promise<ChangePlan>
  run(context: ToolContext, kind: Kind, id: string, precondition: Precondition): Promise<WriteOutcome>
}

/** Always after a confirmation. Nothing is erased. */
function createTrashing(services: ToolServices): Way {
  const { load, trash } = createResources(services)

  /** Finds what is not in the trash; `parts` names the subtasks of a task, which are trashed with it. */
  async function findItem(context: ToolContext, kind: Kind, id: string) {
    requireKind(context.scope, kind)
    // A deck may have thousands of cards.
    if (kind === 'deck') throw invalid('/type', 'invalid_value', 'Decks are only restored here.')
    const found = await load(context, kind, id)
    if (found.isTrashed) throw notInScope(kind)
    const { total = 0 } = (found.resource as { readonly subtasks?: { readonly total: number } }).subtasks ?? {}
    return { ...found, parts: total > 0 ? ` with its ${total} ${total === 1 ? 'part' : 'parts'}` : '' }
  }

  return {
    async plan(context, kind, id) {
      const { target, parts, text } = await findItem(context, kind, id)
      const summary = `Move the ${nameKind(kind)} ${quoteTitle(target)}${parts} to the trash`
      return { target, summary, confirm: true, preview: () => previewChange(text, null) }
    },
    async run(context, kind, id, precondition) {
      const { parts } = await findItem(context, kind, id)
      await trash[kind](context.session, id, precondition)
      const { target, etag } = await load(context, kind, id)
      return {
        result: { type: kind, id, title: target.title },
        target,
        summary: `Moved the ${nameKind(kind)} ${quoteTitle(target)}${parts} to the trash`,
        undo: [{ method: 'POST', path: `${resourcePath(target)}/restore`, body: null, if_match: etag }],
      }
    },
  }
}

/** Restores from the trash. */
function createRestoring(services: ToolServices): Way {
  const { read, load, restore } = createResources(services)

  /** Throws not_found if it is not in the trash, or the scope hides it. */
  async function findTrashed(context: ToolContext, kind: Kind, id: string): Promise<ActionTarget> {
    const found = await read(context, kind, id)
    if (!found?.isTrashed) throw new ApiError('not_found', `There is no such ${nameKind(kind)} in the trash.`)
    return found.target
  }

  return {
    async plan(context, kind, id) {
      const target = await findTrashed(context, kind, id)
      const summary = `Restore the ${nameKind(kind)} ${quoteTitle(target)}`
      return { target, summary, confirm: false, preview: () => previewChange('', target.title) }
    },
    async run(context, kind, id, precondition) {
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

/** Brings back an earlier text of a note, which replaces the whole text, so always after a confirmation. */
function createReverting({ notes }: ToolServices, find: ScopedFinder, revision: number): Way {
  /** Throws invalid_request. */
  function requireNote(kind: Kind): void {
    if (kind !== 'note') throw invalid('/revision', 'invalid_value', 'Only notes have revisions that can be restored.')
  }

  return {
    async plan(context, kind, id) {
      requireNote(kind)
      const { resource: note } = await find.note(context, id)
      const { resource: old } = await notes.getRevision(context.session, id, revision)
      return {
        target: targetOf.note(note),
        summary: `Bring back the text of revision ${revision} of the note ${quoteTitle(note)}`,
        confirm: true,
        preview: () => previewChange(note.body, old.body),
      }
    },
    async run(context, kind, id, precondition) {
      requireNote(kind)
      const { resource: old } = await find.note(context, id)
      const changed = await notes.restoreRevision(context.session, id, revision, precondition)
      const summary = `Brought back the text of revision ${revision} of the note ${quoteTitle(changed.resource)}`
      const outcome = toNoteOutcome(changed, old, summary)
      return { ...outcome, result: { type: kind, ...outcome.result } }
    },
  }
}

export function trashItemTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof input> {
  const [trashing, restoring] = [createTrashing(services), createRestoring(services)]
  const wayOf = ({ restore = false, revision }: (typeof input)['static']): Way => {
    if (revision !== undefined) return createReverting(services, find, revision)
    return restore ? restoring : trashing
  }
  return {
    name: 'trash_item',
    title: 'Move to the trash, or restore',
    description:
      'Moves a note, a task with its parts, or a flashcard to the trash if the user confirms. restore: brings back from there; revision: brings back an earlier text of a note. For your own changes: undo.',
    risk: 'delete',
    input,
    plan: (args, context) => wayOf(args).plan(context, args.type, args.id),
    run: (args, context, precondition) => wayOf(args).run(context, args.type, args.id, precondition),
  }
}
