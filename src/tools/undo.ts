import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import type { Precondition } from '../http/responses'
import { giveAnswer } from './answer-card'
import { createResources, type LoadedResource, showsFact, targetOf } from './find'
import { previewChange, writeMembers } from './fit'
import { eitherError, quoteTitle } from './notes'
import { type ActionTarget, type ChangePreview, closedObject, type UndoStep } from './schema'
import type { ToolServices } from './services'
import { type ChangeTool, notInScope, resourceIdSchema, resourcePath, type ToolContext } from './tool'
import { nameKind } from './trash'
import { findAgentUndos, joinUndos, revisionOf } from './undos'

type Kind = ActionTarget['type']

/** What a request is for; reviews and cards are shown as their flashcard. */
type StepType = Kind | 'review' | 'card'

/** What a request of an undo does. */
type Verb = 'trash' | 'restore' | 'change' | 'restore_text' | 'reopen' | 'complete' | 'take_back' | 'answer'

interface ParsedStep {
  readonly verb: Verb
  readonly type: StepType
  readonly id: string
  /** The completion or the revision that the path names; '' for none. */
  readonly detail: string
  readonly body: Readonly<Record<string, unknown>>
  readonly precondition: Precondition
}

interface Current extends Omit<LoadedResource, 'isTrashed'> {
  /** The revision that preconditions are about: that of the target, unless the request is for a review. */
  readonly revision: number
}

interface StepOutcome {
  readonly target: ActionTarget
  readonly inverse: UndoStep
}

const KINDS: Readonly<Record<string, StepType>> = {
  ...{ notes: 'note', tasks: 'task' },
  ...{ 'flashcards/facts': 'fact', 'flashcards/decks': 'deck' },
  ...{ 'flashcards/reviews': 'review', 'flashcards/cards': 'card' },
}

/** By the method, and what the path has after the id. */
const VERBS: Readonly<Record<string, Verb>> = {
  'DELETE ': 'trash',
  'POST restore': 'restore',
  'PATCH ': 'change',
  'POST revisions': 'restore_text',
  'DELETE completions': 'reopen',
  'POST complete': 'complete',
  'POST undo': 'take_back',
  'POST reviews': 'answer',
}

/** Reads a request of an undo as what it does. Throws for one that no tool makes, which is a bug. */
function parseStep({ method, path, body, if_match }: UndoStep): ParsedStep {
  const [, kind = '', id = '', action = '', detail = ''] =
    /^\/api\/((?:flashcards\/)?\w+)\/([^/]+)(?:\/(\w+)(?:\/([^/]+))?)?/.exec(path) ?? []
  const [type, verb] = [KINDS[kind], VERBS[`${method} ${action}`]]
  if (!type || !verb) throw new Error(`an undo by ${method} ${path}`)
  const held = revisionOf(if_match)
  return { verb, type, id, detail, body: body ?? {}, precondition: held === null ? null : [held] }
}

const WORDS: Readonly<Record<Verb, readonly [string, string]>> = {
  trash: ['Move', 'Moved'],
  restore: ['Restore', 'Restored'],
  change: ['Change back', 'Changed back'],
  restore_text: ['Bring back the text of', 'Brought back the text of'],
  reopen: ['Reopen', 'Reopened'],
  complete: ['Complete', 'Completed'],
  take_back: ['Take back the answer of', 'Took back the answer of'],
  answer: ['Answer again', 'Answered again'],
}

function describeStep({ verb, body }: ParsedStep, target: ActionTarget, isDone: boolean): string {
  const names = Object.keys(body).map((name) => (name === 'project_id' ? 'project' : name))
  const what = verb === 'change' ? ` the ${names.join(', ')} of` : ''
  const where = verb === 'trash' ? ' to the trash' : ''
  return `${WORDS[verb][isDone ? 1 : 0]}${what} the ${nameKind(target.type)} ${quoteTitle(target)}${where}`
}

/** Weighs how long a request takes in its transaction, in thirds of a millisecond. */
function weighStep({ verb, type }: ParsedStep): number {
  if (type === 'review' || type === 'card') return 5
  if (type === 'note' || type === 'deck') return 3
  return verb === 'complete' || verb === 'reopen' ? 2 : 1
}

const needsConfirmation = ({ verb, type, body }: ParsedStep): boolean =>
  verb === 'trash' || verb === 'restore_text' || (type === 'note' && ('title' in body || 'folder' in body))

/** Creates the reader of resources, which may be in the trash. It throws not_found for what the scope hides. */
function createLoader(services: ToolServices) {
  const { flashcards } = services
  const { load } = createResources(services)

  /** Reads the flashcard of a card, and the revision of its review if the request is for one. */
  async function loadCard({ session, scope }: ToolContext, { type, id }: ParsedStep): Promise<Current> {
    const review = type === 'review' ? await flashcards.getReview(session, id) : null
    const { resource: card, etag } = await flashcards.getCard(session, review?.resource.card_id ?? id)
    const { resource: fact } = await flashcards.getFact(session, card.fact_id)
    if (!showsFact(scope, fact, card.id)) throw notInScope('flashcard')
    const target = targetOf.fact(fact)
    const text = writeMembers({ state: card.state, due_at: card.due_at })
    const { resource, etag: tag } = review ?? { resource: card, etag }
    return { target, revision: review?.resource.revision ?? target.revision, resource, etag: tag, text }
  }

  return async (context: ToolContext, step: ParsedStep): Promise<Current> => {
    const { type, id } = step
    if (type === 'review' || type === 'card') return loadCard(context, step)
    const loaded = await load(context, type, id)
    return { ...loaded, revision: loaded.target.revision }
  }
}

function createStepRunner(services: ToolServices) {
  const { notes, tasks, flashcards } = services
  const { trash, restore } = createResources(services)
  const load = createLoader(services)

  /** Takes back the answer of a card, or gives it again. */
  async function runCardStep(
    context: ToolContext,
    { verb, id, body, precondition }: ParsedStep,
    { target }: Current,
  ): Promise<StepOutcome> {
    const { session } = context
    if (verb === 'take_back') {
      const { review } = await flashcards.undoReview(session, id, precondition)
      const { card_id, rating, reviewed_at } = review
      const path = `/api/flashcards/cards/${card_id}/reviews`
      return { target, inverse: { method: 'POST', path, body: { rating, reviewed_at }, if_match: null } }
    }
    const { undo } = await giveAnswer(flashcards, context, id, body as Parameters<typeof flashcards.answer>[2])
    return { target, inverse: undo }
  }

  return async (context: ToolContext, step: ParsedStep, current: Current): Promise<StepOutcome> => {
    const { session, timeZone } = context
    const { verb, type, id, detail, body, precondition } = step
    if (type === 'review' || type === 'card') return runCardStep(context, step, current)
    const path = resourcePath({ type, id })
    const before = Object.fromEntries(Object.keys(body).map((name) => [name, Reflect.get(current.resource, name)]))
    const inverses: Record<Exclude<Verb, 'take_back' | 'answer'>, () => Promise<Omit<UndoStep, 'if_match'>>> = {
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
    const inverse = await inverses[verb as keyof typeof inverses]()
    const { target, etag } = await load(context, step)
    return { target, inverse: { ...inverse, if_match: etag } }
  }
}

/**
 * The weight of all requests of one undo that an agent asks for, so that its transaction takes less than 20 ms: 50
 * simple ones, or 16 that change notes.
 */
const MAX_UNDO_WEIGHT = 50

const input = closedObject({
  ids: Type.Optional(Type.Array(resourceIdSchema(), { minItems: 1, maxItems: MAX_UNDO_WEIGHT })),
  since: Type.Optional(resourceIdSchema()),
})

/** The arguments of callers, or requests: these come from the store of undos alone, so no caller may give them. */
type UndoArguments = (typeof input)['static'] | { readonly steps: readonly UndoStep[] }

const MAX_SUMMARIES = 20

function joinSummaries(summaries: readonly string[]): string {
  const more = summaries.length - MAX_SUMMARIES
  return [...summaries.slice(0, MAX_SUMMARIES), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

interface ResolvedUndo {
  readonly steps: readonly ParsedStep[]
  /** The undo ids of what they undo; none for an answer of chat. */
  readonly ids: readonly string[]
}

/** Finds the requests that undo what arguments name. Throws invalid_request, not_found, precondition_failed. */
async function resolveUndo(args: UndoArguments, { session, now }: ToolContext): Promise<ResolvedUndo> {
  if ('steps' in args) return { steps: args.steps.map(parseStep), ids: [] }
  const { ids, since } = args
  if ((ids === undefined) === (since === undefined)) throw eitherError('ids', 'since')
  const found = await findAgentUndos(session, since === undefined ? (ids ?? []) : { since }, now)
  const undos = joinUndos(found).map(({ undo_id, steps }) => ({ undo_id, steps: steps.map(parseStep) }))
  if (undos.length === 0) throw new ApiError('not_found', 'All of that is undone already.')
  let weight = 0
  for (const [i, { steps }] of undos.entries()) {
    weight += steps.reduce((sum, step) => sum + weighStep(step), 0)
    if (weight > MAX_UNDO_WEIGHT && i > 0)
      throw invalid(
        since === undefined ? '/ids' : '/since',
        'too_many',
        `That is too much for one call. Begin with the newest, since: ${undos[i - 1]?.undo_id}`,
      )
  }
  return { steps: undos.flatMap(({ steps }) => steps), ids: undos.map(({ undo_id }) => undo_id) }
}

/** In one transaction: all of it, or nothing if one part has changed. */
export function undoTool(services: ToolServices): ChangeTool<typeof input> {
  const load = createLoader(services)
  const runStep = createStepRunner(services)

  /** Loads what a request changes. Throws precondition_failed if it has changed since. */
  async function loadUnchanged(context: ToolContext, step: ParsedStep): Promise<Current> {
    const current = await load(context, step)
    if (Array.isArray(step.precondition) && !step.precondition.includes(current.revision))
      throw new ApiError(
        'precondition_failed',
        `The ${nameKind(current.target.type)} ${quoteTitle(current.target)} has changed since, so nothing was undone.`,
      )
    return current
  }

  async function previewStep({ session }: ToolContext, step: ParsedStep, current: Current): Promise<ChangePreview> {
    if (step.verb === 'trash') return previewChange(current.text, null)
    if (step.verb === 'restore_text') {
      const { resource } = await services.notes.getRevision(session, step.id, Number(step.detail))
      return previewChange(current.text, resource.body)
    }
    if (step.verb === 'take_back' || step.verb === 'answer') return previewChange(current.text, 'rescheduled')
    const now = Object.keys(step.body).map((name) => [name, Reflect.get(current.resource, name)])
    return previewChange(writeMembers(Object.fromEntries(now)), writeMembers(step.body))
  }

  /** Returns the tool that goes on with requests that were found already. */
  function goOn(resolved: ResolvedUndo | null): ChangeTool<typeof input> {
    return {
      ...described,
      async prepare(args, context) {
        return goOn(await resolveUndo(args, context))
      },
      async plan(args, context) {
        const { steps } = resolved ?? (await resolveUndo(args, context))
        const found: { step: ParsedStep; current: Current }[] = []
        for (const step of steps) found.push({ step, current: await loadUnchanged(context, step) })
        const [first] = found
        if (!first) throw new Error('an undo without requests')
        const summaries = found.map(({ step, current }) => describeStep(step, current.target, false))
        return {
          target: first.current.target,
          summary: joinSummaries(summaries),
          confirm: found.length > 1 || needsConfirmation(first.step),
          preview: () =>
            found.length > 1
              ? previewChange(summaries.join('\n'), null)
              : previewStep(context, first.step, first.current),
        }
      },
      async run(args, context) {
        const { steps, ids } = resolved ?? (await resolveUndo(args, context))
        const done: { summary: string; outcome: StepOutcome }[] = []
        for (const step of steps) {
          const current = await load(context, step)
          const outcome = await runStep(context, step, current)
          done.push({ summary: describeStep(step, outcome.target, true), outcome })
        }
        const [first] = done
        if (!first) throw new Error('an undo without requests')
        return {
          result: { undone: done.length, ...(ids.length > 0 && { ids }) },
          target: first.outcome.target,
          summary: joinSummaries(done.map(({ summary }) => summary)),
          undo: done.map(({ outcome }) => outcome.inverse).toReversed(),
        }
      },
    }
  }

  return goOn(null)
}

const described = {
  name: 'undo',
  title: 'Undo',
  description: 'Undoes changes of a day by undo_id, all or none; or since: that one and every later one.',
  risk: 'update',
  input,
} as const
