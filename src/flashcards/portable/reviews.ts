import { toDay } from '../../civil/day'
import type { Portable } from '../../db/portable'
import { readCivilDate } from '../../http/civil'
import { invalid, Refusal } from '../../http/problem'
import { createShape } from '../../http/shape'
import { readInstant, readOptional, writeInstant } from '../../http/values'
import { type CardRow, getCard } from '../cards/store'
import { readSnapshot, toReview } from '../reviews/review'
import { getReview, type ReviewRow } from '../reviews/store'
import type { ReviewWriter, StoredReview } from '../reviews/writer'
import { PortableReview } from './schema'
import { type LoggedReview, reviewKeysAfter, reviewsByKeys } from './store'
import { readSnapshotAt, readStamps, requireSchedule, toldSnapshot } from './values'

/** Keys, and rows, that are read at a time. */
const KEYS_READ = 20_000
const READ = 200

const toShape = createShape(PortableReview, 'the review')

/**
 * The log, in the order of arrival. A review comes only with its card: one that has moved on here, or never came, has
 * another log, and an answer in between would make undo and memory tell of what never was.
 */
export function portableReviews(reviewWriter: ReviewWriter): Portable {
  return {
    type: 'review',

    async *items(db, workspace) {
      for (let after: number | undefined = 0; after !== undefined; ) {
        const keys: number[] = await reviewKeysAfter(db, workspace, after, KEYS_READ)
        for (let i = 0; i < keys.length; i += READ)
          for (const row of await reviewsByKeys(db, workspace, keys.slice(i, i + READ))) yield told(row)
        after = keys.length < KEYS_READ ? undefined : keys.at(-1)
      }
    },

    async merge(session, item) {
      const review = toShape(item)
      const next = rowOf(review)
      const { db, workspace } = session
      const old = await getReview(db, workspace.id, review.id)
      if (old && old.revision >= review.revision) return 'unchanged'
      const card = await getCard(db, workspace.id, review.card_id)
      if (!card) throw invalid('/card_id', 'unknown_card', 'card_id must be the id of a card')
      requireSame(review, card, old)
      if (old) await reviewWriter.replace(session, old, next)
      else await reviewWriter.insertStored(session, card, next)
      return old ? 'updated' : 'created'
    },
  }
}

/** Throws conflict where the review is another one, or of a card with another log. */
function requireSame(review: PortableReview, card: CardRow, old: ReviewRow | null) {
  const { card_revision, card_updated_at, reviewed_at, rating } = review
  if (card.revision !== card_revision || writeInstant(card.updated_at) !== card_updated_at)
    throw new Refusal('conflict', 'The card is another here, and has a log of its own.')
  const isSame = old?.card === card.key && old.rating === rating && writeInstant(old.reviewed_at) === reviewed_at
  if (old && !isSame) throw new Refusal('conflict', 'The id is that of another review.', { existing_id: old.id })
}

function told(row: LoggedReview): PortableReview {
  const { id, revision, created_at, updated_at, card_id, undone_at, ...answer } = toReview(row).resource
  return {
    id,
    revision,
    created_at,
    updated_at,
    card_id,
    card_revision: row.card_revision,
    card_updated_at: writeInstant(row.card_updated_at),
    ...answer,
    before: toldSnapshot(readSnapshot(row.before)),
    after: toldSnapshot(readSnapshot(row.after)),
    undone_at,
    fingerprint: row.fingerprint,
  }
}

/** Throws invalid_request. */
function rowOf(review: PortableReview): StoredReview {
  const { card_id: _, card_revision: __, card_updated_at: ___, ...rest } = review
  requireKind(review)
  return {
    ...rest,
    ...readStamps(review),
    reviewed_at: readInstant(review.reviewed_at, '/reviewed_at'),
    study_day: toDay(readCivilDate(review.study_day, '/study_day')),
    before: readSnapshotAt(review.before, '/before'),
    after: readSnapshotAt(review.after, '/after'),
    undone_at: readOptional(review.undone_at, '/undone_at'),
  }
}

/** Of what was imported from elsewhere little is known, and it is never brought back. Throws invalid_request. */
function requireKind({ kind, rating, before, after }: PortableReview): void {
  if (kind === 'import') return
  if ((rating === null) !== (kind === 'manual'))
    throw invalid('/rating', 'invalid_value', 'rating must be null for manual, and only for that or import')
  if (kind !== 'manual' && kind !== (before.state === 'new' ? 'learning' : before.state))
    throw invalid('/kind', 'invalid_value', 'kind must be the state before, and learning for new')
  requireSchedule(before, '/before')
  requireSchedule(after, '/after')
}
