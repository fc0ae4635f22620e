import type { Reader, Session } from '../../db/database'
import { byIndex, integersIn } from '../../db/dialect'
import type { LinkedDeck } from '../decks/deck-store'

/** The columns of a candidate card that decide whether and when it is shown. */
export interface QueueCard {
  readonly key: number
  readonly id: string
  readonly fact: number
  readonly deck: number
  /** The sort key before the id: due instant, due day or position, depending on the query. */
  readonly sort_key: number
}

/** A candidate card and the columns that give its chance of recall. */
export interface RememberedQueueCard extends QueueCard {
  readonly stability: number | null
  readonly last_reviewed_at: number | null
}

export interface AnsweredCard {
  readonly key: number
  readonly fact: number
  readonly deck: number
  /** 1 if the card was new then, else 0. */
  readonly first_seen: number
  /** 1 if it was in state review then, else 0. */
  readonly reviewed: number
}

export function listQueueDecks({ db, workspace }: Session): Promise<LinkedDeck[]> {
  const sql = 'SELECT key, id, parent, settings FROM study_decks WHERE workspace = $1 AND deleted_at IS NULL'
  return db.all<LinkedDeck>(sql, [workspace.id])
}

/** Returns the cards answered on a study day, without undone reviews; also cards that were trashed since. */
export function listAnsweredOn({ db, workspace }: Reader, day: number): Promise<AnsweredCard[]> {
  return db.all<AnsweredCard>(
    `SELECT study_cards.key, max(study_cards.fact) AS fact, max(study_cards.deck) AS deck,
       max(study_reviews.was_new) AS first_seen, max(CASE study_reviews.kind WHEN 'review' THEN 1 ELSE 0 END) AS reviewed
     FROM study_reviews ${byIndex('study_reviews_by_day')}
     JOIN study_cards ON study_cards.key = study_reviews.card
     WHERE study_reviews.workspace = $1 AND study_reviews.study_day = $2 AND study_reviews.undone_at IS NULL
       AND study_reviews.kind IN ('learning', 'review', 'relearning')
     GROUP BY study_reviews.card, study_cards.key`,
    [workspace.id, day],
  )
}

const ACTIVE = 'workspace = $1 AND deleted_at IS NULL AND suspended = 0'
const NOT_BURIED = 'coalesce(buried_until, $2) <= $2'

/** Returns the cards in learning and relearning, by due_at. `today` is a study day. */
export function listLearningCards({ db, workspace }: Reader, today: number): Promise<QueueCard[]> {
  const sql = `SELECT key, id, fact, deck, due_at AS sort_key FROM study_cards ${byIndex('study_cards_learning')}
    WHERE ${ACTIVE} AND state IN ('learning', 'relearning') AND ${NOT_BURIED} ORDER BY due_at, id`
  return db.all<QueueCard>(sql, [workspace.id, today])
}

const QUEUED = {
  due: `SELECT key, id, fact, deck, due_day AS sort_key, stability, last_reviewed_at
    FROM study_cards ${byIndex('study_cards_review')}
    WHERE ${ACTIVE} AND state = 'review' AND due_day <= $2 AND ${NOT_BURIED}`,
  new: `SELECT key, id, fact, deck, position AS sort_key FROM study_cards ${byIndex('study_cards_new')}
    WHERE ${ACTIVE} AND state = 'new' AND ${NOT_BURIED}`,
}

interface Queued {
  readonly due: RememberedQueueCard
  readonly new: QueueCard
}

/** Returns the first cards of a deck, without its subdecks, by their sort key. */
export function listFirstQueued<Kind extends keyof Queued>(
  { db, workspace }: Reader,
  kind: Kind,
  today: number,
  { deck, limit }: { readonly deck: number; readonly limit: number },
): Promise<Queued[Kind][]> {
  return db.all(`${QUEUED[kind]} AND deck = $3 ORDER BY sort_key, id LIMIT $4`, [workspace.id, today, deck, limit])
}

/** Returns all cards of these decks, in no order. */
export function listAllQueued<Kind extends keyof Queued>(
  { db, workspace }: Reader,
  kind: Kind,
  today: number,
  decks: readonly number[],
): Promise<Queued[Kind][]> {
  return db.all(`${QUEUED[kind]} AND deck IN ${integersIn('$3')}`, [workspace.id, today, JSON.stringify(decks)])
}
