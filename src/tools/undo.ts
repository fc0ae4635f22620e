import { Type } from '@sinclair/typebox'
import { ApiError, invalid } from '../http/api-error'
import { eitherError, quoteTitle } from './notes'
import { previewChange, writeMembers } from './preview'
import { nameKind } from './restore'
import { type ChangePreview, closedObject, type UndoStep } from './schema'
import type { ToolServices } from './services'
import { type ChangeTool, changeOutput, resourceIdSchema, type ToolContext } from './tool'
import {
  type Current,
  createLoader,
  createStepRunner,
  describeStep,
  needsConfirmation,
  type ParsedStep,
  parseStep,
  type StepOutcome,
  weighStep,
} from './undo-steps'
import { findAgentUndos, joinUndos } from './undos'

/**
 * The weight of all requests of one undo that an agent asks for, so that its transaction takes less than 20 ms: 50
 * simple ones, or 16 that change notes.
 */
export const MAX_UNDO_WEIGHT = 50

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
  output: changeOutput({ undone: Type.Integer(), ids: Type.Array(Type.String()) }),
} as const
