import type { Session } from '../../db/database'
import { ApiError, errorBody } from '../../http/api-error'
import { prefixPointers } from '../../http/batch'
import type { FindOutcome, Outcome, RunOnce } from '../../http/responses'
import { readInstant } from '../../http/values'
import { yieldTurn } from '../../lib/steps'
import type { AskBatchOutcome, BatchAnswers, BatchAnswersOutcome } from './review-schema'
import type { ReplayBudget, Reviews } from './reviews'

/** The most reviews that all late answers of one batch recompute. */
const MAX_REPLAYED = 5000
/** A transaction takes no further answer once so many reviews are recomputed: up to 15 ms, with those of the last. */
const MAX_ROWS = 100
/** One answer takes the time in which so many reviews are recomputed. */
const ROWS_PER_ANSWER = 8

interface Deps {
  readonly reviews: Pick<Reviews, 'answer' | 'preview'>
  readonly runOnce: RunOnce
  readonly findOutcome: FindOutcome
}

type Item = BatchAnswers['items'][number]
type BatchAnswer = BatchAnswersOutcome['items'][number]

interface Asked {
  readonly requestId: string
  /** Whether each outcome has the results that the next ratings would have. */
  readonly preview: boolean
}

export type AnswerBatches = ReturnType<typeof createAnswerBatches>

/** Creates the service that stores the answers of a client that was offline. */
export function createAnswerBatches({ reviews, runOnce, findOutcome }: Deps) {
  async function answer(
    session: Session,
    index: number,
    item: Item,
    { requestId, preview }: Asked,
    budget: ReplayBudget,
  ): Promise<BatchAnswer> {
    const { card_id, ...body } = item
    try {
      const { status, body: done } = await reviews.answer(session, card_id, body, null, budget)
      const isShown = preview && done.card.deleted_at === null
      return { index, status, ...done, preview: isShown ? await reviews.preview(session, card_id) : null, error: null }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const problem = errorBody(prefixPointers(error, `/items/${index}`), requestId)
      return { index, status: error.status, review: null, card: null, preview: null, merged: false, error: problem }
    }
  }

  /** Stores the answers in transactions of some milliseconds; others have their turn between. */
  async function answerAll(session: Session, { items }: BatchAnswers, asked: Asked): Promise<BatchAnswer[]> {
    const left = items.map((item, index) => ({ index, item, at: instantOf(item) })).toSorted((a, b) => a.at - b.at)
    const budget = { left: MAX_REPLAYED }
    const outcomes: BatchAnswer[] = []
    while (outcomes.length < items.length) {
      const done = await session.db.transaction(async (db) => {
        const found: BatchAnswer[] = []
        const end = budget.left - MAX_ROWS
        for (const { index, item } of left.slice(outcomes.length)) {
          found.push(await answer({ ...session, db }, index, item, asked, budget))
          if (budget.left - found.length * ROWS_PER_ANSWER <= end) break
        }
        return found
      })
      outcomes.push(...done)
      await yieldTurn()
    }
    return outcomes.toSorted((a, b) => a.index - b.index)
  }

  return {
    /**
     * Stores the answers by reviewed_at, then by their order in the request. A refused one has its error as outcome.
     * The outcomes are in the order of the request. If the server stops halfway, sending them again stores the rest:
     * each is stored once for its id.
     */
    async run(
      request: Request,
      session: Session,
      body: BatchAnswers,
      { preview }: AskBatchOutcome,
      requestId: string,
    ): Promise<Outcome<BatchAnswersOutcome>> {
      const stored = await findOutcome<BatchAnswersOutcome>(request, session, body)
      if (stored) return stored
      const asked = { requestId, preview: preview === 'true' }
      const outcome = { status: 200, headers: {}, body: { items: await answerAll(session, body, asked) } }
      // What is to be sent again must not be answered by what was stored of this time.
      if (outcome.body.items.some(({ status }) => status === 503)) return outcome
      return runOnce(request, session, body, async () => outcome)
    },
  }
}

/** Returns the instant to sort by. An invalid one comes first, and is refused in its turn. */
function instantOf({ reviewed_at }: Item): number {
  try {
    return readInstant(reviewed_at, '/reviewed_at')
  } catch {
    return Number.MIN_SAFE_INTEGER
  }
}
