import { Type } from '@sinclair/typebox'
import { ApiError } from '../http/api-error'
import type { Precondition } from '../http/conditional'
import { showsDeck, showsFact, showsNote, showsTask, targetOf } from './find'
import { clip } from './fit'
import { quoteTitle } from './notes'
import { previewChange, writeMembers } from './preview'
import type { ActionTarget, ChangePreview, UndoStep } from './schema'
import { closedObject } from './schema'
import { notInScope } from './scope'
import type { ToolServices } from './services'
import { type ChangeTool, resourcePath, type ToolContext } from './tool'

/** Not of the catalogue: its arguments are requests, so they come from the store of undos alone. */
const input = closedObject({ steps: Type.Array(Type.Unsafe<UndoStep>({})) })

type Kind = ActionTarget['type']

/** What a request of an undo does. */
type Verb = 'trash' | 'restore' | 'change' | 'restore_text' | 'reopen' | 'complete'

interface ParsedStep {
  readonly verb: Verb
  readonly type: Kind
  readonly id: string
  /** The completion or the revision that the path names; '' for none. */
  readonly detail: string
  readonly body: Readonly<Record<string, unknown>>
  readonly precondition: Precondition
}

/** A resource as it is now. */
interface Current {
  readonly target: ActionTarget
  readonly resource: object
  readonly etag: string
  /** Its text for the preview. */
  readonly text: string
}

/** What one request did, and the request that takes it back. */
interface StepOutcome {
  readonly target: ActionTarget
  readonly inverse: UndoStep
}

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const PATH = new RegExp(
  `^/api/(?<kind>notes|tasks|flashcards/facts|flashcards/decks)/(?<id>${ID})` +
    `(?:/(?<tail>restore|complete|completions/(?<completion>${ID})|revisions/(?<revision>\\d+)/restore))?$`,
)
const KINDS: Readonly<Record<string, Kind>> = {
  ...{ notes: 'note', tasks: 'task' },
  ...{ 'flashcards/facts': 'fact', 'flashcards/decks': 'deck' },
}

/** Reads a request of an undo as what it does. Throws for one that no tool makes, which is a bug. */
function parseStep({ method, path, body, if_match }: UndoStep): ParsedStep {
  const { kind = '', id = '', tail, completion, revision } = PATH.exec(path)?.groups ?? {}
  const type = KINDS[kind]
  const verb = readVerb(method, tail, { completion, revision })
  if (!type || !verb) throw new Error(`an undo by ${method} ${path}`)
  const held = /^"(\d+)/.exec(if_match ?? '')?.[1]
  const precondition = held === undefined ? null : [Number(held)]
  return { verb, type, id, detail: completion ?? revision ?? '', body: body ?? {}, precondition }
}

function readVerb(
  method: UndoStep['method'],
  tail: string | undefined,
  named: { readonly completion: string | undefined; readonly revision: string | undefined },
): Verb | null {
  if (named.completion !== undefined) return method === 'DELETE' ? 'reopen' : null
  if (named.revision !== undefined) return 'restore_text'
  if (tail !== undefined) return tail === 'complete' ? 'complete' : 'restore'
  return method === 'DELETE' ? 'trash' : method === 'PATCH' ? 'change' : null
}

/** The words of a verb, as planned and as done. */
const WORDS: Readonly<Record<Verb, readonly [string, string]>> = {
  trash: ['Move', 'Moved'],
  restore: ['Restore', 'Restored'],
  change: ['Change back', 'Changed back'],
  restore_text: ['Bring back the text of', 'Brought back the text of'],
  reopen: ['Reopen', 'Reopened'],
  complete: ['Complete', 'Completed'],
}
const KIND_NAMES: Readonly<Record<Kind, string>> = { note: 'note', task: 'task', fact: 'flashcard', deck: 'deck' }

function describeStep({ verb, type, body }: ParsedStep, target: ActionTarget, isDone: boolean): string {
  const names = Object.keys(body).map((name) => (name === 'project_id' ? 'project' : name))
  const what = verb === 'change' ? ` the ${names.join(', ')} of` : ''
  const where = verb === 'trash' ? ' to the trash' : ''
  return `${WORDS[verb][isDone ? 1 : 0]}${what} the ${KIND_NAMES[type]} ${quoteTitle(target)}${where}`
}

/** Whether a request removes or replaces so much, or changes so many resources, that it has to be confirmed. */
const needsConfirmation = ({ verb, type, body }: ParsedStep): boolean =>
  verb === 'trash' || verb === 'restore_text' || (type === 'note' && ('title' in body || 'folder' in body))

/** Creates the tool that undoes what an answer did, in one transaction: all of it, or nothing if one part has changed. */
export function undoTool(services: ToolServices): ChangeTool<typeof input> {
  const load = createLoader(services)
  const runStep = createStepRunner(services)

  /** Loads what a request changes. Throws precondition_failed if it has changed since. */
  async function loadUnchanged(context: ToolContext, step: ParsedStep): Promise<Current> {
    const current = await load(context, step)
    if (Array.isArray(step.precondition) && !step.precondition.includes(current.target.revision))
      throw new ApiError(
        'precondition_failed',
        `The ${KIND_NAMES[step.type]} ${quoteTitle(current.target)} has changed since, so nothing was undone.`,
      )
    return current
  }

  async function previewStep({ session }: ToolContext, step: ParsedStep, current: Current): Promise<ChangePreview> {
    if (step.verb === 'trash') return previewChange(current.text, null)
    if (step.verb === 'restore_text') {
      const { resource } = await services.notes.getRevision(session, step.id, Number(step.detail))
      return previewChange(current.text, resource.body)
    }
    const now = Object.keys(step.body).map((name) => [name, Reflect.get(current.resource, name)])
    return previewChange(writeMembers(Object.fromEntries(now)), writeMembers(step.body))
  }

  return {
    name: 'undo',
    title: 'Undo',
    description: 'Undoes what an answer did.',
    risk: 'update',
    input,
    async plan({ steps }, context) {
      const parsed = steps.map(parseStep)
      const found: { step: ParsedStep; current: Current }[] = []
      for (const step of parsed) found.push({ step, current: await loadUnchanged(context, step) })
      const [first] = found
      if (!first) throw new Error('an undo without requests')
      const summaries = found.map(({ step, current }) => describeStep(step, current.target, false))
      return {
        target: first.current.target,
        summary: summaries.join('; '),
        confirm: found.length > 1 || needsConfirmation(first.step),
        preview: () =>
          found.length > 1
            ? previewChange(summaries.join('\n'), null)
            : previewStep(context, first.step, first.current),
      }
    },
    async run({ steps }, context) {
      const done: { summary: string; outcome: StepOutcome }[] = []
      for (const step of steps.map(parseStep)) {
        const current = await load(context, step)
        const outcome = await runStep(context, step, current)
        done.push({ summary: describeStep(step, outcome.target, true), outcome })
      }
      const [first] = done
      if (!first) throw new Error('an undo without requests')
      return {
        result: { undone: done.length },
        target: first.outcome.target,
        summary: done.map(({ summary }) => summary).join('; '),
        undo: done.map(({ outcome }) => outcome.inverse).toReversed(),
      }
    },
  }
}

/** Creates the reader of resources, which may be in the trash. It throws not_found for what the scope hides. */
function createLoader({ notes, tasks, flashcards }: ToolServices) {
  return async ({ session, scope }: ToolContext, { type, id }: ParsedStep): Promise<Current> => {
    const shown = (isShown: boolean) => {
      if (!isShown) throw notInScope(KIND_NAMES[type])
    }
    if (type === 'note') {
      const { resource, etag } = await notes.get(session, id)
      shown(showsNote(scope, resource))
      return { target: targetOf.note(resource), resource, etag, text: resource.body }
    }
    if (type === 'task') {
      const { resource, etag } = await tasks.get(session, id)
      shown(showsTask(scope, resource))
      const { title, notes: text } = resource
      return { target: targetOf.task(resource), resource, etag, text: writeMembers({ title, notes: text }) }
    }
    if (type === 'fact') {
      const { resource, etag } = await flashcards.getFact(session, id)
      shown(showsFact(scope, resource))
      const { front, back, text } = resource
      return { target: targetOf.fact(resource), resource, etag, text: writeMembers({ front, back, text }) }
    }
    const { resource, etag } = await flashcards.getDeck(session, id)
    shown(showsDeck(scope, resource))
    return { target: targetOf.deck(resource), resource, etag, text: clip(resource.name) }
  }
}

/** Creates what does one request of an undo. */
function createStepRunner(services: ToolServices) {
  const { notes, tasks, flashcards } = services
  const load = createLoader(services)
  const trash = {
    note: notes.trash,
    task: tasks.trash,
    fact: flashcards.trashFact,
    deck: flashcards.trashDeck,
  }
  const restore = {
    note: notes.restore,
    task: tasks.restore,
    fact: flashcards.restoreFact,
    deck: flashcards.restoreDeck,
  }

  return async (context: ToolContext, step: ParsedStep, current: Current): Promise<StepOutcome> => {
    const { session, timeZone } = context
    const { verb, type, id, detail, body, precondition } = step
    const path = resourcePath({ type, id })
    const before = Object.fromEntries(Object.keys(body).map((name) => [name, Reflect.get(current.resource, name)]))
    const inverses: Record<Verb, () => Promise<Omit<UndoStep, 'if_match'>>> = {
      trash: async () => {
        await trash[type](session, id, precondition)
        return { method: 'POST', path: `${path}/restore`, body: null }
      },
      restore: async () => {
        await restore[type](session, id, precondition)
        return { method: 'DELETE', path, body: null }
      },
      change: async () => {
        await (type === 'note' ? notes.update : tasks.update)(session, id, body, precondition)
        return { method: 'PATCH', path, body: before }
      },
      restore_text: async () => {
        await notes.restoreRevision(session, id, Number(detail), precondition)
        return { method: 'POST', path: `${path}/revisions/${current.target.revision}/restore`, body: null }
      },
      reopen: async () => {
        await tasks.undoCompletion(session, { id, cid: detail }, false, precondition)
        return { method: 'POST', path: `${path}/complete`, body: { time_zone: timeZone } }
      },
      complete: async () => {
        const { completion } = (await tasks.complete(session, id, { time_zone: timeZone }, precondition)).resource
        return { method: 'DELETE', path: `${path}/completions/${completion?.id}`, body: null }
      },
    }
    const inverse = await inverses[verb]()
    const { target, etag } = await load(context, step)
    return { target, inverse: { ...inverse, if_match: etag } }
  }
}
