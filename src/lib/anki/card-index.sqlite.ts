import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { AnkiCard, AnkiReview } from './collection'
import { LAST_SECOND } from './collection'
import type { Collection } from './collection.sqlite'

/**
 * An index of a collection: its cards by note, and its review log by card. It is a separate file, since half a million
 * rows are too many for memory, and the indexes of the collection itself cannot be trusted.
 */
export interface CardIndex {
  /** Lists the cards of a note, in the order of the collection. */
  listCards(note: number): AnkiCard[]
  /** Lists the reviews of a card by time, no two at the same millisecond: the time identifies a review. */
  listReviews(card: number): AnkiReview[]
  close(): void
}

// Without types, since a number of the collection may be larger than SQLite's integers.
const SCHEMA = `
  CREATE TABLE cards (note, card TEXT NOT NULL);
  CREATE TABLE log (card, id, ease, factor, time, type);`
const INDEXES = 'CREATE INDEX cards_of_note ON cards (note); CREATE INDEX log_of_card ON log (card)'

/** Creates the index. @param path the file to create; an existing one is overwritten */
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
      const addReview = db.query('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)')
      for (const { cid, id, ease, factor, time, type } of orderReviews(collection.reviews()))
        addReview.run(cid, id, ease, factor, time, type)
    })()
    db.run(INDEXES)
  } catch (error) {
    db.close()
    throw error
  }
  const cards = db.query<{ card: string }, [number]>('SELECT card FROM cards WHERE note = ? ORDER BY rowid')
  const log = db.query<AnkiReview, [number]>(
    'SELECT id, card AS cid, ease, factor, time, type FROM log WHERE card = ? ORDER BY rowid',
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
