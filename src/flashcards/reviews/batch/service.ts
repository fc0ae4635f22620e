import type { Session } from '../../../db/database'
import { ApiError, errorBody } from '../../../http/api-error'
import { pointedAt } from '../../../http/batch'
import { readInstant } from '../../../http/values'
import type { BatchAnswers, BatchAnswersOutcome } from '../schema'
import type { Reviews } from '../service'

interface Deps {
  readonly reviews: Pick<Reviews, 'answer'>
}

type Item = BatchAnswers['items'][number]
type Outcome = BatchAnswersOutcome['items'][number]

export type AnswerBatches = ReturnType<typeof createAnswerBatches>

/** Answers of a client that was offline. */
export function createAnswerBatches({ reviews }: Deps) {
  async function answer(session: Session, index: number, item: Item, requestId: string): Promise<Outcome> {
    const { card_id, ...body } = item
    try {
      const { status, body: done } = await session.db.transaction((db) =>
        reviews.answer({ ...session, db }, card_id, body),
      )
      return { index, status, ...done, error: null }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const problem = errorBody(pointedAt(error, `/items/${index}`), requestId)
      return { index, status: error.status, review: null, card: null, error: problem }
    }
  }

  return {
    /**
     * Answers in the order of reviewed_at, then of the request, in one transaction; each is a savepoint, and a refusal
     * is its outcome. The outcomes are in the order of the request.
     * @param requestId ties a problem to the log
     */
    run(session: Session, { items }: BatchAnswers, requestId: string): Promise<Outcome[]> {
      const order = items.map((item, index) => ({ index, item, at: instantOf(item) })).toSorted((a, b) => a.at - b.at)
      return session.db.transaction(async (db) => {
        const outcomes: Outcome[] = []
        for (const { index, item } of order) outcomes.push(await answer({ ...session, db }, index, item, requestId))
        return outcomes.toSorted((a, b) => a.index - b.index)
      })
    },
  }
}

/** What is no instant comes first: its turn refuses it. */
function instantOf({ reviewed_at }: Item): number {
  try {
    return readInstant(reviewed_at, '/reviewed_at')
  } catch {
    return Number.MIN_SAFE_INTEGER
  }
}
