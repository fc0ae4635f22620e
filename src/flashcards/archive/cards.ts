import { type ArchivedType, readPages } from '../../archive/archived-type'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { writeTrashStamps } from '../../http/resource'
import { createValidator } from '../../http/validation'
import { readCivilDate, readInstant, readOptional, writeInstant } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { toScheduleColumns, toStoredSnapshot } from '../cards/card'
import { type CardDraft, type CardRow, getCard, listCardsAfter, listCardsOfFact } from '../cards/card-store'
import type { StudyContext } from '../context'
import { listOrdinals } from '../facts/fact'
import { type FactRow, getFact } from '../facts/fact-store'
import { readSnapshot, toReview } from '../reviews/review'
import {
  getLastReview,
  getReview,
  getReviewsByKeys,
  type LoggedReview,
  listReviewKeysAfter,
  type ReviewRow,
} from '../reviews/review-store'
import type { ReviewWriter, StoredReview } from '../reviews/review-writer'
import { showSnapshot } from '../scheduling/snapshot'
import { CardLine, ReviewLine, readLineStamps, readSnapshotAt, requireSchedule } from './lines'

const CARDS_READ = 500
const UNDO_BATCH = 50

const toCard = createValidator(CardLine, 'the card')

/** The archive of cards with their schedules. A card is in the deck of its fact. */
export function archivedCards({ cardWriter, reviewWriter }: StudyContext): ArchivedType {
  return {
    type: 'card',

    async *items(reader) {
      const list = (after: string) => listCardsAfter(reader, after, CARDS_READ)
      for await (const rows of readPages('', list, ({ id }) => id)) for (const row of rows) yield cardLine(row)
    },

    async merge(session, item) {
      const card = toCard(item)
      requireSchedule(card, '')
      const old = await getCard(session, card.id)
      if (old && old.revision >= card.revision) return 'unchanged'
      const fact = await getFact(session, card.fact_id)
      if (!fact) throw invalid('/fact_id', 'unknown_fact', 'fact_id must be the id of a fact')
      const holder = (await listCardsOfFact(session, fact.key)).find(({ ordinal }) => ordinal === card.ordinal)
      if (holder?.id !== old?.id)
        throw new ApiError(
          'conflict',
          'The fact has another card of this ordinal, or the id is that of another card.',
          {
            existing_id: holder?.id ?? card.id,
          },
        )
      const row = readCard(card, fact)
      await (old ? cardWriter.replace(session, old, row) : cardWriter.insert(session, row))
      return old ? { action: 'updated', pending: true } : 'created'
    },

    async relate(session, item, left) {
      return (await undoLocalReviews(session, reviewWriter, toCard(item))) ? { pending: left } : []
    },
  }
}

/**
 * Undoes the answers given here that the archived card does not include. The log must end in the card's present state,
 * or undoing the last answer would restore a state that never existed. Returns true while there may be more.
 */
async function undoLocalReviews(session: Session, writer: ReviewWriter, { id }: CardLine): Promise<boolean> {
  const card = await getCard(session, id)
  if (!card) return false
  for (let count = 0; count < UNDO_BATCH; count++) {
    const last = await getLastReview(session, card.key)
    if (!last || isResultOf(last, card)) return false
    await writer.undo(session, last)
  }
  return true
}

/** Whether the card is as the review left it, apart from members that change without an answer. */
function isResultOf({ after }: ReviewRow, card: CardRow): boolean {
  const { state, reps, lapses, last_reviewed_at } = readSnapshot(after)
  const isSame = state === card.state && reps === card.reps && lapses === card.lapses
  return isSame && last_reviewed_at === card.last_reviewed_at
}

function cardLine(row: CardRow): CardLine {
  const { fact_id, ordinal, flag, position } = row
  return {
    ...writeTrashStamps(row),
    fact_id,
    ordinal,
    ...showSnapshot(toStoredSnapshot(row)),
    flag,
    position,
  }
}

/** The card is in the trash if its fact is, or lacks its side or number. Throws invalid_request. */
function readCard(card: CardLine, fact: FactRow): CardDraft {
  const { id, revision, created_at, updated_at, deleted_at, fact_id: _, ordinal, flag, position, ...schedule } = card
  const stamps = readLineStamps({ created_at, updated_at })
  const gone = readOptional(deleted_at, '/deleted_at')
  const isLost = fact.deleted_at !== null || !listOrdinals(fact).includes(ordinal)
  return {
    id,
    revision,
    ...stamps,
    deleted_at: isLost ? (gone ?? fact.deleted_at ?? stamps.updated_at) : null,
    fact: fact.key,
    deck: fact.deck,
    ordinal,
    ...toScheduleColumns(readSnapshotAt(schedule, '')),
    flag,
    position,
  }
}

const KEYS_READ = 20_000
const REVIEWS_READ = 200

const toLine = createValidator(ReviewLine, 'the review')

/**
 * The archive of the log, in the order of arrival. A review is only merged if its card has the archived revision: a
 * card that was changed here has another log, and one more answer in it would break undo and memory.
 */
export function archivedReviews({ reviewWriter }: StudyContext): ArchivedType {
  return {
    type: 'review',

    async *items(reader) {
      const list = (after: number) => listReviewKeysAfter(reader, after, KEYS_READ)
      for await (const keys of readPages(0, list, (key) => key))
        for (let i = 0; i < keys.length; i += REVIEWS_READ)
          for (const row of await getReviewsByKeys(reader, keys.slice(i, i + REVIEWS_READ))) yield reviewLine(row)
    },

    async merge(session, item) {
      const review = toLine(item)
      const next = readReview(review)
      const old = await getReview(session, review.id)
      if (old && old.revision >= review.revision) return 'unchanged'
      const card = await getCard(session, review.card_id)
      if (!card) throw invalid('/card_id', 'unknown_card', 'card_id must be the id of a card')
      requireSameReview(review, card, old)
      if (old) await reviewWriter.replace(session, old, next)
      else await reviewWriter.insertStored(session, card, next)
      return old ? 'updated' : 'created'
    },
  }
}

/** Throws conflict if the id belongs to another review, or if the card has another log here. */
function requireSameReview(review: ReviewLine, card: CardRow, old: ReviewRow | null) {
  const { card_revision, card_updated_at, reviewed_at, rating } = review
  if (card.revision !== card_revision || writeInstant(card.updated_at) !== card_updated_at)
    throw new ApiError('conflict', 'The card is another here, and has a log of its own.')
  const isSame = old?.card === card.key && old.rating === rating && writeInstant(old.reviewed_at) === reviewed_at
  if (old && !isSame) throw new ApiError('conflict', 'The id is that of another review.', { existing_id: old.id })
}

function reviewLine(row: LoggedReview): ReviewLine {
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
    undone_at,
    fingerprint: row.fingerprint,
  }
}

/** Throws invalid_request. */
function readReview(review: ReviewLine): StoredReview {
  const { card_id: _, card_revision: __, card_updated_at: ___, ...rest } = review
  requireKind(review)
  return {
    ...rest,
    ...readLineStamps(review),
    reviewed_at: readInstant(review.reviewed_at, '/reviewed_at'),
    study_day: toDay(readCivilDate(review.study_day, '/study_day')),
    before: readSnapshotAt(review.before, '/before'),
    after: readSnapshotAt(review.after, '/after'),
    undone_at: readOptional(review.undone_at, '/undone_at'),
  }
}

/** Checks kind and snapshots, but not of imported reviews, which are incomplete. Throws invalid_request. */
function requireKind({ kind, rating, before, after }: ReviewLine): void {
  if (kind === 'import') return
  if ((rating === null) !== (kind === 'manual'))
    throw invalid('/rating', 'invalid_value', 'rating must be null for manual, and only for that or import')
  if (kind !== 'manual' && kind !== (before.state === 'new' ? 'learning' : before.state))
    throw invalid('/kind', 'invalid_value', 'kind must be the state before, and learning for new')
  requireSchedule(before, '/before')
  requireSchedule(after, '/after')
}
