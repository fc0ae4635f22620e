import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { Budget } from './budget'
import type { ParsedRequest } from './request'
import type { Engine } from './run'

/** Who answers: the embedded engine, or the configured model where it is there, allowed and paid for. */

export const LOCAL_MODEL = 'satchel-local'

export interface EnginesDeps {
  readonly local: Engine
  /** Null where no model is configured. */
  readonly upstream: Engine | null
  /** Whether callers without a key may use the model. */
  readonly anonymous: boolean
  /** What the model may be used. */
  readonly budget: Budget
}

/** An engine, and why it is not the one that was asked for. */
export interface EngineChoice {
  readonly engine: Engine
  readonly warning: string | null
}

export type Engines = ReturnType<typeof createEngines>

export function createEngines({ local, upstream, anonymous, budget }: EnginesDeps) {
  const modelFor = ({ workspace }: Session) => (workspace.kind === 'key' || anonymous ? upstream : null)

  return {
    local,

    /** The models that a caller may use. */
    models(session: Session): string[] {
      const model = modelFor(session)?.model
      return model === undefined ? [LOCAL_MODEL] : [LOCAL_MODEL, model]
    },

    /**
     * A named model is used or refused, never replaced.
     * @throws Refusal model_not_found, quota_exceeded
     */
    async choose(session: Session, { model }: Pick<ParsedRequest, 'model'>): Promise<EngineChoice> {
      const mine = modelFor(session)
      if (model === LOCAL_MODEL) return { engine: local, warning: null }
      if (model !== 'auto' && model !== mine?.model) throw noSuchModel(this.models(session))
      if (!mine) return { engine: local, warning: null }
      const used = await budget.usedUp(session)
      if (!used) return { engine: mine, warning: null }
      if (model === 'auto') return { engine: local, warning: 'daily_tokens_exhausted' }
      throw new ApiError('quota_exceeded', `${used} ${ELSE}`)
    },

    enter: budget.enter,
    spend: budget.spend,
  }
}

const ELSE = `The model ${LOCAL_MODEL} needs none.`

/** @throws Refusal model_not_found */
export function noSuchModel(models: readonly string[]): ApiError {
  const detail = `There is no such model. Use ${['auto', ...models].join(', ').replace(/, ([^,]*)$/, ' or $1')}.`
  return new ApiError('model_not_found', detail, { errors: [{ pointer: '/model', code: 'model_not_found', detail }] })
}
