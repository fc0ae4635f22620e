import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Precondition, Tagged } from '../http/conditional'
import { type ScopedFinder, showsDeck, showsFact, showsNote, showsTask, targetOf } from './find'
import { quoteTitle } from './notes'
import { previewChange } from './preview'
import { type ActionTarget, closedObject } from './schema'
import type { ToolServices } from './services'
import {
  type ChangePlan,
  type ChangeTool,
  changeOutput,
  choiceSchema,
  resourceIdSchema,
  resourcePath,
  type ToolContext,
  type WriteOutcome,
  wordSchema,
} from './tool'

const KINDS = ['note', 'task', 'fact', 'deck'] as const
type Kind = (typeof KINDS)[number]

export const itemResult = () => ({ type: wordSchema(KINDS), id: Type.String(), title: Type.String() })

export const nameKind = (kind: Kind): string => (kind === 'fact' ? 'flashcard' : kind)

/** Creates what restores from the trash, within a scope. */
export function createRestoring({ notes, tasks, flashcards }: ToolServices) {
  /** Reads a resource, in the trash or not; null if the scope hides it. */
  async function read({ session, scope }: ToolContext, kind: Kind, id: string) {
    if (kind === 'note') {
      const { resource } = await notes.get(session, id)
      return showsNote(scope, resource) ? { target: targetOf.note(resource), at: resource.deleted_at } : null
    }
    if (kind === 'task') {
      const { resource } = await tasks.get(session, id)
      return showsTask(scope, resource) ? { target: targetOf.task(resource), at: resource.deleted_at } : null
    }
    if (kind === 'fact') {
      const { resource } = await flashcards.getFact(session, id)
      return showsFact(scope, resource) ? { target: targetOf.fact(resource), at: resource.deleted_at } : null
    }
    const { resource } = await flashcards.getDeck(session, id)
    return showsDeck(scope, resource) ? { target: targetOf.deck(resource), at: resource.deleted_at } : null
  }

  const restore = {
    note: notes.restore,
    task: tasks.restore,
    fact: flashcards.restoreFact,
    deck: async (session: ToolContext['session'], id: string, precondition: Precondition) => {
      await flashcards.restoreDeck(session, id, precondition)
      return flashcards.getDeck(session, id)
    },
  }

  /** Finds what is in the trash. Throws not_found if it is not there, or the scope hides it. */
  async function findTrashed(context: ToolContext, kind: Kind, id: string): Promise<ActionTarget> {
    const found = await read(context, kind, id)
    if (!found || found.at === null) throw new ApiError('not_found', `There is no such ${nameKind(kind)} in the trash.`)
    return found.target
  }

  return {
    async plan(context: ToolContext, kind: Kind, id: string): Promise<ChangePlan> {
      const target = await findTrashed(context, kind, id)
      const summary = `Restore the ${nameKind(kind)} ${quoteTitle(target)}`
      return { target, summary, confirm: false, preview: () => previewChange('', target.title) }
    },

    async run(context: ToolContext, kind: Kind, id: string, precondition: Precondition): Promise<WriteOutcome> {
      const old = await findTrashed(context, kind, id)
      const { resource, etag }: Tagged<{ revision: number }> = await restore[kind](context.session, id, precondition)
      const target = { ...old, revision: resource.revision }
      return {
        result: { type: kind, id, title: target.title },
        target,
        summary: `Restored the ${nameKind(kind)} ${quoteTitle(target)}`,
        undo: [{ method: 'DELETE', path: resourcePath(target), body: null, if_match: etag }],
      }
    },
  }
}

const input = closedObject({
  type: choiceSchema(KINDS),
  id: resourceIdSchema(),
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'Of a note' })),
})

/** Creates the tool that restores from the trash, or brings back an earlier text of a note. */
export function restoreItemTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof input> {
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
    input,
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
      const { resource: note, etag } = await notes.restoreRevision(context.session, id, revision, precondition)
      const path = `/api/notes/${id}/revisions/${old.revision}/restore`
      return {
        result: { type, id, title: note.title, revision: note.revision },
        target: targetOf.note(note),
        summary: `Brought back the text of revision ${revision} of the note ${quoteTitle(note)}`,
        undo: note.revision === old.revision ? [] : [{ method: 'POST', path, body: null, if_match: etag }],
      }
    },
  }
}
