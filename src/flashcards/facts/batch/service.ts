import type { Session } from '../../../db/database'
import { ApiError, errorBody, type Fault } from '../../../http/api-error'
import type { CreateFact } from '../../schema'
import type { BatchFacts, BatchFactsOutcome, OnDuplicate } from '../schema'
import type { Facts } from '../service'

interface Deps {
  readonly facts: Pick<Facts, 'add'>
}

type Outcome = BatchFactsOutcome['items'][number]

export type FactBatches = ReturnType<typeof createFactBatches>

/** Many new facts in one request. */
export function createFactBatches({ facts }: Deps) {
  async function add(session: Session, index: number, item: CreateFact, onDuplicate?: OnDuplicate): Promise<Outcome> {
    const { status, fact, duplicateOf } = await facts.add(session, item, onDuplicate)
    return { index, status, id: fact.resource.id, duplicate_of: duplicateOf, error: null }
  }

  return {
    /**
     * Adds the facts in order, in one transaction. Atomic: throws the first refusal, with `failed_index`, and nothing is
     * changed. Else each is a savepoint, and a refusal is its outcome.
     * @param requestId ties a problem to the log
     */
    run(session: Session, { atomic = false, on_duplicate, items }: BatchFacts, requestId: string): Promise<Outcome[]> {
      return session.db.transaction(async (db) => {
        const outcomes: Outcome[] = []
        for (const [index, item] of items.entries()) {
          try {
            outcomes.push(await add({ ...session, db }, index, item, on_duplicate))
          } catch (error) {
            if (!(error instanceof ApiError)) throw error
            const refusal = pointedAt(error, index)
            if (atomic) throw new ApiError(refusal.code, refusal.detail, { ...refusal.extra, failed_index: index })
            outcomes.push(refused(refusal, index, item, requestId))
          }
        }
        return outcomes
      })
    },
  }
}

function refused(refusal: ApiError, index: number, { id = null }: { id?: string | null }, requestId: string): Outcome {
  const { duplicate_of: twin } = refusal.extra
  return {
    index,
    status: refusal.status,
    id,
    duplicate_of: typeof twin === 'string' ? twin : null,
    error: errorBody(refusal, requestId),
  }
}

/** The refusal with its pointers leading into the item. */
function pointedAt(refusal: ApiError, index: number): ApiError {
  const { errors, ...extra } = refusal.extra
  if (!Array.isArray(errors)) return refusal
  const moved = (errors as Fault[]).map((fault) => ({ ...fault, pointer: `/items/${index}${fault.pointer}` }))
  return new ApiError(refusal.code, refusal.detail, { ...extra, errors: moved }, refusal.headers)
}
