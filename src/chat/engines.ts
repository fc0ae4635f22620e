import { payerOf, type Session } from '../db/database'
import { Refusal } from '../http/problem'
import type { Ask } from './request'
import type { Engine } from './run'
import { addTokens, getTokens } from './tokens/store'

/** Who answers: the embedded engine, or the configured model where it is there, allowed and paid for. */

export const LOCAL_MODEL = 'satchel-local'

export interface EnginesDeps {
  readonly local: Engine
  /** Null where no model is configured. */
  readonly upstream: Engine | null
  /** Whether callers without a key may use the model. */
  readonly anonymous: boolean
  /** Of a workspace, for the model. */
  readonly tokensPerDay: number
  /** Runs with the model at once. */
  readonly concurrency: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** An engine, and why it is not the one that was asked for. */
export interface Choice {
  readonly engine: Engine
  readonly warning: string | null
}

export type Engines = ReturnType<typeof createEngines>

export function createEngines(deps: EnginesDeps) {
  const { local, upstream, anonymous, tokensPerDay, concurrency, now } = deps
  const running = new Set<string>()
  const today = () => new Date(now()).toISOString().slice(0, 10)
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
    async choose(session: Session, { model }: Pick<Ask, 'model'>): Promise<Choice> {
      const mine = modelFor(session)
      if (model === LOCAL_MODEL) return { engine: local, warning: null }
      if (model !== 'auto' && model !== mine?.model) throw noSuchModel(this.models(session))
      if (!mine) return { engine: local, warning: null }
      if ((await getTokens(session.db, payerOf(session.workspace), today())) < tokensPerDay)
        return { engine: mine, warning: null }
      if (model === 'auto') return { engine: local, warning: 'daily_tokens_exhausted' }
      throw new Refusal('quota_exceeded', `The ${tokensPerDay} tokens of this day are used up. ${ELSE}`)
    },

    /**
     * Takes a place among the runs with the model, one for each key or address; call what comes back when the run is over.
     * @throws Refusal unavailable
     */
    enter({ workspace }: Session): () => void {
      const payer = payerOf(workspace)
      if (running.has(payer)) throw busy('Your request before this one is still being answered by the model.')
      if (running.size >= concurrency) throw busy('The model is answering as many requests as it may.')
      running.add(payer)
      return () => void running.delete(payer)
    },

    async spend({ db, workspace }: Session, tokens: number): Promise<void> {
      await addTokens(db, payerOf(workspace), today(), tokens)
    },
  }
}

const ELSE = `The model ${LOCAL_MODEL} needs none.`

/** @throws Refusal model_not_found */
export function noSuchModel(models: readonly string[]): Refusal {
  const detail = `There is no such model. Use ${['auto', ...models].join(', ').replace(/, ([^,]*)$/, ' or $1')}.`
  return new Refusal('model_not_found', detail, { errors: [{ pointer: '/model', code: 'model_not_found', detail }] })
}

function busy(sentence: string): Refusal {
  return new Refusal(
    'unavailable',
    `${sentence} Try again in a moment; nothing was changed.`,
    {},
    { 'Retry-After': '5' },
  )
}
