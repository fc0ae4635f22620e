import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { AnkiCard, AnkiReview } from './collection'
import { LAST_SECOND } from './collection'
import type { Collection } from './collection.sqlite'

/**
 * The cards of a collection by their notes, and its log by cards, in a file of our own: half a million rows are too
 * many for memory, and the indexes of the collection itself say what its author likes.
 */
export interface CardIndex {
  /** In the order of the collection. */
  listCards(note: number): AnkiCard[]
  /** Answers by time, no two at the same millisecond: the time identifies a row of the log. */
  listReviews(card: number): AnkiReview[]
  close(): void
}

// No types: a number of the collection may be larger than an integer of SQLite's.
const SCHEMA = `
  CREATE TABLE cards (note, card TEXT NOT NULL);
  CREATE TABLE log (card, id, ease, time, type);`
const INDEXES = 'CREATE INDEX cards_of_note ON cards (note); CREATE INDEX log_of_card ON log (card)'

/** @param path of the file to be made, in the place of one that is there */
export function indexCards(collection: Collection, path: string): CardIndex {
  closeSync(openSync(path, 'w', 0o600))
  const db = new Database(path, { strict: true, readwrite: true })
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.run(SCHEMA)
    db.transaction(() => {
      const addCard = db.query('INSERT INTO cards VALUES (?, ?)')
      for (const card of collection.cards()) addCard.run(card.nid, JSON.stringify(card))
      const addReview = db.query('INSERT INTO log VALUES (?, ?, ?, ?, ?)')
      for (const { cid, id, ease, time, type } of orderReviews(collection.reviews()))
        addReview.run(cid, id, ease, time, type)
    })()
    db.run(INDEXES)
  } catch (error) {
    db.close()
    throw error
  }
  const cards = db.query<{ card: string }, [number]>('SELECT card FROM cards WHERE note = ? ORDER BY rowid')
  const log = db.query<AnkiReview, [number]>(
    'SELECT id, card AS cid, ease, time, type FROM log WHERE card = ? ORDER BY rowid',
  )
  return {
    listCards: (note) => cards.all(note).map(({ card }) => JSON.parse(card)),
    listReviews: (card) => log.all(card),
    close: () => db.close(),
  }
}

function* orderReviews(reviews: Iterable<AnkiReview>): Generator<AnkiReview> {
  let last = 0
  for (const review of reviews) {
    if (review.id <= 0 || review.id > LAST_SECOND * 1000) continue
    last = Math.max(review.id, last + 1)
    yield { ...review, id: last }
  }
}
