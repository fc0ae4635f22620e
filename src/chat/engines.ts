import { type Context, payerOf, type Session } from '../db/database'
import type { LimitedPlaces } from '../db/places'
import { ApiError } from '../http/api-error'
import type { Engine } from './engine'
import type { ParsedRequest } from './request'
import { addTokens, getTokens } from './store'
import { createWaitingLine } from './waiting-line'

/** The name of the embedded engine as a model. */
export const LOCAL_MODEL = 'satchel-local'

interface EnginesDeps {
  readonly local: Engine
  /** Null if no model is configured. */
  readonly upstream: Engine | null
  /** The limits of the use of the model. */
  readonly budget: Budget
}

/** The chosen engine, and a warning if it is not the requested one. */
interface EngineChoice {
  readonly engine: Engine
  readonly warning: string | null
  /** Gives the place among the concurrent requests to the next. To be called once the engine has answered or failed. */
  readonly leave: () => void
}

export type Engines = ReturnType<typeof createEngines>

/**
 * Chooses the engine that answers: the embedded one, or the configured model if it is allowed and within its budget.
 */
export function createEngines({ local, upstream, budget }: EnginesDeps) {
  /** Callers without a key have no model, since the operator pays for it. */
  const findModel = ({ workspace }: Session) => (workspace.kind === 'key' ? upstream : null)
  /** The embedded engine answers in milliseconds, so nothing waits for it. */
  const useLocal = (warning: string | null): EngineChoice => ({ engine: local, warning, leave: () => {} })

  return {
    local,

    /** The models that a caller may use. */
    models(session: Session): string[] {
      const model = findModel(session)?.model
      return model === undefined ? [LOCAL_MODEL] : [LOCAL_MODEL, model]
    },

    /**
     * Chooses the engine of a request, and waits until the model has time for it. A model that is named is used or
     * refused, never replaced.
     * @param signal aborted when the caller disconnects
     * @throws ApiError model_not_found, quota_exceeded, unavailable
     */
    async choose(
      session: Session,
      { model }: Pick<ParsedRequest, 'model'>,
      signal: AbortSignal,
    ): Promise<EngineChoice> {
      const mine = findModel(session)
      if (!['auto', LOCAL_MODEL, mine?.model].includes(model)) throw noSuchModel(this.models(session))
      if (!mine || model === LOCAL_MODEL) return useLocal(null)
      const { usedUp, leave } = await budget.enter(session, signal)
      if (!usedUp) return { engine: mine, warning: null, leave }
      if (model === 'auto') return useLocal('daily_tokens_exhausted')
      throw new ApiError('quota_exceeded', `${usedUp} ${LOCAL_NEEDS_NONE}`)
    },

    spend: budget.addTokens,
  }
}

const LOCAL_NEEDS_NONE = `The model ${LOCAL_MODEL} does not need any.`

/** Creates the error model_not_found, with the names of the models that may be used. */
export function noSuchModel(models: readonly string[]): ApiError {
  const detail = `There is no such model. Use ${['auto', ...models].join(', ').replace(/, ([^,]*)$/, ' or $1')}.`
  return new ApiError('model_not_found', detail, { errors: [{ pointer: '/model', code: 'model_not_found', detail }] })
}

interface BudgetDeps extends Pick<Context, 'now'> {
  /** Names the model among those with a budget. */
  readonly name: string
  /** Counts the concurrent requests, in all processes that share it. */
  readonly places: LimitedPlaces
  /** Tokens a day (UTC) for each key or address, of all models together. */
  readonly tokensPerDay: number
  /** Concurrent requests with the model. */
  readonly concurrency: number
}

/** A place among the concurrent requests, or a sentence if the tokens of the day are used up. */
interface Place {
  readonly usedUp: string | null
  /** Gives the place to the next; does nothing if there is none. */
  readonly leave: () => void
}

export type Budget = ReturnType<typeof createBudget>

/**
 * Limits the use of one model: tokens a day (UTC), and concurrent requests, of which each key or address may have two.
 * Both may begin with the last tokens of a day, so the answers of a day may exceed it by two.
 */
export function createBudget({ name, places, tokensPerDay, concurrency, now }: BudgetDeps) {
  const line = createWaitingLine({ name, places, concurrency })
  const today = () => new Date(now()).toISOString().slice(0, 10)

  async function findUsedUp({ db, workspace }: Session): Promise<Place | null> {
    const used = await getTokens(db, payerOf(workspace), today())
    if (used < tokensPerDay) return null
    return { usedUp: `The ${tokensPerDay} tokens of this day are used up.`, leave: () => {} }
  }

  return {
    /**
     * Waits for a place among the concurrent requests. Count the tokens before you leave it, since the next request of
     * the same caller may use what is left of the day.
     * @throws ApiError unavailable
     */
    async enter(session: Session, signal: AbortSignal): Promise<Place> {
      const before = await findUsedUp(session)
      if (before) return before
      const leave = await line.enter(payerOf(session.workspace), signal)
      try {
        const after = await findUsedUp(session)
        if (after) leave()
        return after ?? { usedUp: null, leave }
      } catch (error) {
        leave()
        throw error
      }
    },

    async addTokens({ db, workspace }: Session, tokens: number): Promise<void> {
      await addTokens(db, payerOf(workspace), today(), tokens)
    },
  }
}

/** Models as Ollama's clients treat them: each has a tag, and is loaded before it is used. */

const TAG = ':latest'

/** Returns the name of a model with its tag, as Ollama lists it. */
export function withTag(name: string): string {
  return name.includes(':') ? name : name + TAG
}

/**
 * Returns the name by which a model is known here. In Ollama a name without a tag means the tag `latest`, so clients
 * send either.
 * @param requested `auto` if absent
 * @param models the names of the models here
 * @returns the requested name if no model has it
 */
export function resolveModel(requested: string | undefined, models: readonly string[]): string {
  const known = ['auto', ...models]
  if (requested === undefined) return 'auto'
  if (known.includes(requested)) return requested
  return known.find((name) => withTag(name) === withTag(requested)) ?? requested
}

/** Resolves the name of a model that must be here, or `auto`. @throws ApiError model_not_found */
export function requireModel(requested: string | undefined, models: readonly string[]): string {
  const name = resolveModel(requested, models)
  if (name !== 'auto' && !models.includes(name)) throw noSuchModel(models)
  return name
}

interface LoadRequest {
  readonly model?: string
  /** The time for which Ollama keeps the model loaded; 0 unloads it. A number is in seconds. */
  readonly keep_alive?: unknown
}

/**
 * Answers a request to load a model or to unload it. Clients make one before the first question, or to see whether
 * there is such a model; nothing is loaded here.
 * @param models those that the caller may use
 * @throws ApiError model_not_found
 */
export function answerLoad({ model, keep_alive }: LoadRequest, models: readonly string[], now: number) {
  const isUnload = /^0+(\.0*)?([a-zµ]+)?$/.test(String(keep_alive ?? ''))
  return {
    model: requireModel(model, models),
    created_at: new Date(now).toISOString(),
    done: true as const,
    done_reason: isUnload ? ('unload' as const) : ('load' as const),
  }
}
