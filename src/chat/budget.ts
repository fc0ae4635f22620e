import { payerOf, type Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { addTokens, getTokens } from './tokens/store'

export interface BudgetDeps {
  /** For each key or address, of all models together. */
  readonly tokensPerDay: number
  /** Requests with the model at once. */
  readonly concurrency: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Budget = ReturnType<typeof createBudget>

/** How much of one model everybody may have: tokens in a day (UTC), and requests at once, one for each key or address. */
export function createBudget({ tokensPerDay, concurrency, now }: BudgetDeps) {
  const running = new Set<string>()
  const today = () => new Date(now()).toISOString().slice(0, 10)

  return {
    /** The sentence that says that the day's tokens are used up, or null. */
    async usedUp({ db, workspace }: Session): Promise<string | null> {
      const used = await getTokens(db, payerOf(workspace), today())
      return used < tokensPerDay ? null : `The ${tokensPerDay} tokens of this day are used up.`
    },

    /**
     * Takes a place among the requests with the model; call what comes back when the request is over.
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

function busy(sentence: string): ApiError {
  return new ApiError(
    'unavailable',
    `${sentence} Try again in a moment; nothing was changed.`,
    {},
    { 'Retry-After': '5' },
  )
}
