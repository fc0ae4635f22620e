import type { Context } from '../db/context'
import { payerOf, type Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { Engine } from './engine'
import type { ParsedRequest } from './request'
import { addTokens, getTokens } from './store'

/** The name of the embedded engine as a model. */
export const LOCAL_MODEL = 'satchel-local'

interface EnginesDeps {
  readonly local: Engine
  /** Null if no model is configured. */
  readonly upstream: Engine | null
  /** Whether callers without a key may use the model. */
  readonly anonymous: boolean
  /** The limits of the use of the model. */
  readonly budget: Budget
}

/** The chosen engine, and a warning if it is not the requested one. */
interface EngineChoice {
  readonly engine: Engine
  readonly warning: string | null
}

export type Engines = ReturnType<typeof createEngines>

/**
 * Chooses the engine that answers: the embedded one, or the configured model if it is allowed and within its budget.
 */
export function createEngines({ local, upstream, anonymous, budget }: EnginesDeps) {
  const findModel = ({ workspace }: Session) => (workspace.kind === 'key' || anonymous ? upstream : null)

  return {
    local,

    /** The models that a caller may use. */
    models(session: Session): string[] {
      const model = findModel(session)?.model
      return model === undefined ? [LOCAL_MODEL] : [LOCAL_MODEL, model]
    },

    /**
     * Chooses the engine of a request. A model that is named is used or refused, never replaced.
     * @throws ApiError model_not_found, quota_exceeded
     */
    async choose(session: Session, { model }: Pick<ParsedRequest, 'model'>): Promise<EngineChoice> {
      const mine = findModel(session)
      if (model === LOCAL_MODEL) return { engine: local, warning: null }
      if (model !== 'auto' && model !== mine?.model) throw noSuchModel(this.models(session))
      if (!mine) return { engine: local, warning: null }
      const used = await budget.describeUsedUp(session)
      if (!used) return { engine: mine, warning: null }
      if (model === 'auto') return { engine: local, warning: 'daily_tokens_exhausted' }
      throw new ApiError('quota_exceeded', `${used} ${LOCAL_NEEDS_NONE}`)
    },

    enter: budget.reservePlace,
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
  /** Tokens a day (UTC) for each key or address, of all models together. */
  readonly tokensPerDay: number
  /** Concurrent requests with the model. */
  readonly concurrency: number
}

export type Budget = ReturnType<typeof createBudget>

/**
 * Limits the use of one model: tokens a day (UTC), and concurrent requests, of which each key or address may have one.
 */
export function createBudget({ tokensPerDay, concurrency, now }: BudgetDeps) {
  const running = new Set<string>()
  const today = () => new Date(now()).toISOString().slice(0, 10)

  return {
    /** Returns a sentence if the tokens of the day are used up, else null. */
    async describeUsedUp({ db, workspace }: Session): Promise<string | null> {
      const used = await getTokens(db, payerOf(workspace), today())
      return used < tokensPerDay ? null : `The ${tokensPerDay} tokens of this day are used up.`
    },

    /**
     * Reserves a place among the concurrent requests. Call the returned function when the request is over.
     * @throws ApiError unavailable
     */
    reservePlace({ workspace }: Session): () => void {
      const payer = payerOf(workspace)
      if (running.has(payer)) throw busy('Your request before this one is still being answered by the model.')
      if (running.size >= concurrency) throw busy('The model is answering as many requests as it may.')
      running.add(payer)
      return () => void running.delete(payer)
    },

    async addTokens({ db, workspace }: Session, tokens: number): Promise<void> {
      await addTokens(db, payerOf(workspace), today(), tokens)
    },
  }
}

function busy(sentence: string): ApiError {
  return new ApiError(
    'unavailable',
    `${sentence} Try again in a moment; nothing was changed.`,
    {},
    { 'Retry-After': '5' },
  )
}
