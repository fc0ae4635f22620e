import { Bindings, type Reader, type Session } from '../../db/database'
import { byIndex, integersIn } from '../../db/dialect'
import {
  createTable,
  type DraftOf,
  derived,
  fixed,
  int,
  keysOf,
  type RowOf,
  readInSteps,
  real,
  STORED,
  text,
  type Walk,
} from '../../db/table'

/** The size of a review in the quota, which a million of them fit into. */
export const REVIEW_BYTES = 200

/**
 * The table of reviews: instants are milliseconds, days whole days since 1970-01-01; see the schema for the rest. Keys
 * ascend in the order of arrival. What can change does when a review is undone, or recomputed because an earlier one was
 * added or undone.
 */
export const reviewTable = createTable('study_reviews', {
  ...STORED,
  created_at: fixed(int()),
  /** The key of its card, and its id. */
  card: fixed(int()),
  card_id: derived<string>('(SELECT id FROM study_cards WHERE key = study_reviews.card)'),
  kind: text<'learning' | 'review' | 'relearning' | 'manual' | 'import'>(),
  rating: fixed(int<number | null>()),
  reviewed_at: fixed(int()),
  study_day: fixed(int()),
  duration_ms: fixed(int()),
  elapsed_days: int(),
  predicted_retrievability: real<number | null>(),
  params_id: text<string | null>(),
  /** 0 or 1. */
  was_new: int(),
  interval_days: int(),
  /** JSON: snapshots. */
  before: text(),
  after: text(),
  undone_at: int<number | null>(),
  fingerprint: fixed(text<string | null>()),
})

export type ReviewRow = RowOf<typeof reviewTable>
export type ReviewDraft = DraftOf<typeof reviewTable>

/** Returns the columns that the change feed records of reviews that are erased with their cards. */
export function listReviewsOfCards(
  { db, workspace }: Session,
  cards: readonly number[],
): Promise<Pick<ReviewRow, 'id' | 'revision'>[]> {
  const sql = `SELECT id, revision FROM study_reviews
    WHERE +workspace = $1 AND card IN ${integersIn('$2')} ORDER BY key`
  return db.all(sql, [workspace.id, JSON.stringify(cards)])
}

export const { get: getReview } = reviewTable

const REVIEW = reviewTable.columns

/** Returns the latest review of the card that is not undone, by order of arrival. */
export function getLatestReviewOfCard({ db, workspace }: Reader, card: number): Promise<ReviewRow | null> {
  const sql = `SELECT ${REVIEW} FROM study_reviews
    WHERE +workspace = $1 AND card = $2 AND undone_at IS NULL ORDER BY key DESC LIMIT 1`
  return db.get<ReviewRow>(sql, [workspace.id, card])
}

/** Returns the latest review of the workspace that is not undone, by order of arrival. */
export function getLatestReview({ db, workspace }: Reader): Promise<ReviewRow | null> {
  const sql = `SELECT ${REVIEW} FROM study_reviews
    WHERE workspace = $1 AND undone_at IS NULL ORDER BY key DESC LIMIT 1`
  return db.get<ReviewRow>(sql, [workspace.id])
}

/** The place of a review in the log of its card, which is ordered by time, then by id. */
export type LogPlace = Pick<ReviewRow, 'reviewed_at' | 'id'>

/** The columns that memory is replayed from. */
export type LoggedRow = LogPlace &
  Pick<ReviewRow, 'card' | 'kind' | 'rating' | 'study_day' | 'elapsed_days' | 'before' | 'after'>

/** The logs of these cards without undone reviews, card by card: first the imported ones, then the others, by time. */
export function listLogOfCards({ db, workspace }: Reader, cards: readonly number[]): Promise<LoggedRow[]> {
  const sql = `SELECT card, id, kind, rating, reviewed_at, study_day, elapsed_days, before, after FROM study_reviews
    WHERE +workspace = $1 AND card IN ${integersIn('$2')} AND undone_at IS NULL
    ORDER BY card, kind <> 'import', reviewed_at, CASE WHEN kind = 'import' THEN key ELSE 0 END, id`
  return db.all(sql, [workspace.id, JSON.stringify(cards)])
}

/** What tells one answer of a card from another. */
export type LoggedAnswer = Pick<ReviewRow, 'card' | 'reviewed_at' | 'rating' | 'duration_ms'>

/** Returns all answers of these cards, also imported and undone ones, by time. */
export function listAnswersOfCards({ db, workspace }: Session, cards: readonly number[]): Promise<LoggedAnswer[]> {
  const sql = `SELECT card, reviewed_at, rating, duration_ms FROM study_reviews
    WHERE +workspace = $1 AND card IN ${integersIn('$2')} AND rating IS NOT NULL ORDER BY reviewed_at, key`
  return db.all(sql, [workspace.id, JSON.stringify(cards)])
}

/** Reviews of one card that stand in its log: neither undone nor imported. What was imported comes before all others. */
const STANDING = "+workspace = $1 AND card = $2 AND undone_at IS NULL AND kind <> 'import'"

export function getLastPlace({ db, workspace }: Reader, card: number): Promise<LogPlace | null> {
  const sql = `SELECT reviewed_at, id FROM study_reviews WHERE ${STANDING} ORDER BY reviewed_at DESC, id DESC LIMIT 1`
  return db.get<LogPlace>(sql, [workspace.id, card])
}

/** Returns the last review of the card that is neither undone nor imported, by time. */
export async function getLastReview(session: Session, card: number): Promise<ReviewRow | null> {
  const place = await getLastPlace(session, card)
  return place && getReview(session, place.id)
}

/** Returns the reviews of the card after this place, in the order of the log, neither undone nor imported. */
export function listReviewsAfter(
  { db, workspace }: Reader,
  card: number,
  { reviewed_at, id }: LogPlace,
  limit: number,
): Promise<ReviewRow[]> {
  const sql = `SELECT ${REVIEW} FROM study_reviews WHERE ${STANDING} AND (reviewed_at, id) > ($3, $4)
    ORDER BY reviewed_at, id LIMIT $5`
  return db.all<ReviewRow>(sql, [workspace.id, card, reviewed_at, id, limit])
}

/** Whether a later answer of the card came before this one. */
export async function wasMerged({ db, workspace }: Session, review: ReviewRow): Promise<boolean> {
  const sql = `SELECT 1 FROM study_reviews
    WHERE ${STANDING} AND key < $3 AND (reviewed_at, id) > ($4, $5) LIMIT 1`
  return (await db.get(sql, [workspace.id, review.card, review.key, review.reviewed_at, review.id])) !== null
}

/** Whether the card, which is suspended, was suspended by an answer (as a leech) and not by hand. */
export async function isSuspendedByAnswer({ db, workspace }: Reader, card: number): Promise<boolean> {
  const sql = `SELECT CAST(after ->> 'suspended' AS bigint) AS suspended FROM study_reviews
    WHERE ${STANDING} AND CAST(before ->> 'suspended' AS bigint) = 0 ORDER BY reviewed_at DESC, id DESC LIMIT 1`
  return (await db.get<{ suspended: number }>(sql, [workspace.id, card]))?.suspended === 1
}

/** Counts the reviews of the workspace, including undone ones. It reads an index entry for each. */
export async function countReviews({ db, workspace }: Session): Promise<number> {
  const sql = 'SELECT count(*) AS count FROM study_reviews WHERE workspace = $1'
  return (await db.get<{ count: number }>(sql, [workspace.id]))?.count ?? 0
}

interface ReviewListing {
  /** The key of a card, and the keys of decks; null: all. */
  readonly card: number | null
  readonly decks: readonly number[] | null
  /** Milliseconds since 1970: `from` is included, `to` is not. */
  readonly from: number | null
  readonly to: number | null
  readonly kind: ReviewRow['kind'] | null
  readonly undone: boolean | null
  /** The last instant and id of the page before, or null for the first page. */
  readonly after: readonly (string | number | null)[] | null
  readonly limit: number
}

/** Reviews that are sorted at most. More of some decks are met often on the way through the log. */
const MAX_SORTED = 2000
/** Returns a page of reviews, the latest answer first. */
export async function listReviews(reader: Reader, listing: ReviewListing): Promise<readonly ReviewRow[]> {
  const { card, decks, kind, undone, after, limit } = listing
  const found = card === null ? decks && (await findCards(reader, decks)) : [card]
  if (found)
    return listWithin(reader, listing, limit, (bind) => {
      const cards = integersIn(bind.add(JSON.stringify(found)))
      return `study_reviews WHERE +workspace = $1 AND card IN ${cards}`
    })
  const walk: Walk = { from: (bind) => buildWalk(listing, bind), columns: ['reviewed_at', 'id'], descends: true }
  if (decks === null && undone !== false && kind !== 'review') return listWithin(reader, listing, limit, walk.from)
  return readInSteps<ReviewRow>(
    reader,
    walk,
    after,
    async (before, within) => [...before, ...(await listWithin(reader, listing, limit - before.length, within))],
    ({ length }) => length === limit,
  )
}

/** Returns the keys of the cards of decks that have few answers; null if there are more. */
async function findCards({ db, workspace }: Reader, decks: readonly number[]): Promise<readonly number[] | null> {
  const limit = MAX_SORTED + 1
  const ofDecks = `SELECT key FROM study_cards ${byIndex('study_cards_of_deck')}
    WHERE +workspace = $1 AND deck IN ${integersIn('$2')} LIMIT $3`
  const cards = keysOf(await db.all<{ key: number }>(ofDecks, [workspace.id, JSON.stringify(decks), limit]))
  if (cards.length === limit) return null
  const answers = `SELECT count(*) AS n FROM
    (SELECT 1 FROM study_reviews ${byIndex('study_reviews_by_card')} WHERE card IN ${integersIn('$1')} LIMIT $2) AS few`
  return ((await db.get<{ n: number }>(answers, [JSON.stringify(cards), limit]))?.n ?? 0) < limit ? cards : null
}

/** Leads through the log from the latest on, or through what is undone of it, or of some kind. */
function buildWalk({ kind, undone, from, to }: ReviewListing, bind: Bindings): string {
  const [index, only] = undone
    ? ['undone', 'AND undone_at IS NOT NULL']
    : kind === null || kind === 'review'
      ? ['by_time', '']
      : ['by_kind', `AND kind <> 'review' AND kind = ${bind.add(kind)}`]
  const first = from === null ? '' : `AND reviewed_at >= ${bind.add(from)}`
  const last = to === null ? '' : `AND reviewed_at < ${bind.add(to)}`
  return `study_reviews ${byIndex(`study_reviews_${index}`)} WHERE workspace = $1 ${only} ${first} ${last}`
}

function listWithin(
  { db, workspace }: Reader,
  { decks, kind, undone, from, to, after }: ReviewListing,
  limit: number,
  within: Walk['from'],
): Promise<ReviewRow[]> {
  const bind = new Bindings(workspace.id)
  const where = [
    within(bind),
    ...(from === null ? [] : [`reviewed_at >= ${bind.add(from)}`]),
    ...(to === null ? [] : [`reviewed_at < ${bind.add(to)}`]),
    ...(kind === null ? [] : [`+kind = ${bind.add(kind)}`]),
    ...(undone === null ? [] : [`undone_at IS ${undone ? 'NOT ' : ''}NULL`]),
    ...(after === null ? [] : [`(reviewed_at, id) < (${after.map((key) => bind.add(key)).join(', ')})`]),
    ...(decks === null
      ? []
      : [
          `EXISTS (SELECT 1 FROM study_cards WHERE key = study_reviews.card
             AND deck IN ${integersIn(bind.add(JSON.stringify(decks)))})`,
        ]),
  ]
  const sql = `SELECT ${REVIEW} FROM ${where.join(' AND ')}
    ORDER BY reviewed_at DESC, id DESC LIMIT ${bind.add(limit)}`
  return db.all<ReviewRow>(sql, bind.values)
}

/** Returns the keys of the next reviews in the order of arrival. Reads only an index. */
export async function listReviewKeysAfter({ db, workspace }: Reader, after: number, limit: number): Promise<number[]> {
  const sql = `SELECT key FROM study_reviews ${byIndex('study_reviews_by_time')}
    WHERE workspace = $1 AND key > $2 ORDER BY key LIMIT $3`
  return (await db.all<{ key: number }>(sql, [workspace.id, after, limit])).map(({ key }) => key)
}

/** A review, and the present revision of its card and its instant. */
export type LoggedReview = ReviewRow & { readonly card_revision: number; readonly card_updated_at: number }

/** Returns the reviews with these keys, in the order of arrival. */
export function getReviewsByKeys({ db, workspace }: Reader, keys: readonly number[]) {
  const sql = `SELECT ${REVIEW}, study_cards.revision AS card_revision, study_cards.updated_at AS card_updated_at
    FROM study_reviews JOIN study_cards ON study_cards.key = study_reviews.card
    WHERE +study_reviews.workspace = $1 AND study_reviews.key IN ${integersIn('$2')}
    ORDER BY study_reviews.key`
  return db.all<LoggedReview>(sql, [workspace.id, JSON.stringify(keys)])
}
