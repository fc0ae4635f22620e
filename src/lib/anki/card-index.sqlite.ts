import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { type AnkiCard, type AnkiReview, homeDeckId, LAST_SECOND } from './collection'
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
  /** Lists the ids of the decks that cards of notes belong to. */
  listDecks(): number[]
  /** Counts the cards whose note is missing, and the reviews whose card is. */
  countOrphans(): { readonly cards: number; readonly reviews: number }
  close(): void
}

// Without types, since a number of the collection may be larger than SQLite's integers.
const SCHEMA = `
  CREATE TABLE notes (id);
  CREATE TABLE cards (note, id, deck, card TEXT NOT NULL);
  CREATE TABLE log (card, id, ease, time, type, factor);`
const INDEXES = `
  CREATE INDEX cards_of_note ON cards (note);
  CREATE INDEX log_of_card ON log (card);
  CREATE INDEX notes_by_id ON notes (id);
  CREATE INDEX cards_by_id ON cards (id);`
const ORPHANS = `
  SELECT (SELECT count(*) FROM cards WHERE note NOT IN (SELECT id FROM notes)) AS cards,
    (SELECT count(*) FROM log WHERE card NOT IN (SELECT id FROM cards)) AS reviews`

/** @param path the file to create; an existing one is overwritten */
export function indexCards(collection: Collection, path: string): CardIndex {
  closeSync(openSync(path, 'w', 0o600))
  const db = new Database(path, { strict: true, readwrite: true })
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.run(SCHEMA)
    db.transaction(() => {
      const addNote = db.query('INSERT INTO notes VALUES (?)')
      for (const note of collection.noteIds()) addNote.run(note)
      const addCard = db.query('INSERT INTO cards VALUES (?, ?, ?, ?)')
      for (const card of collection.cards()) addCard.run(card.nid, card.id, homeDeckId(card), JSON.stringify(card))
      const addReview = db.query('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)')
      for (const { cid, id, ease, time, type, factor } of orderReviews(collection.reviews()))
        addReview.run(cid, id, ease, time, type, factor)
    })()
    db.run(INDEXES)
  } catch (error) {
    db.close()
    throw error
  }
  const cards = db.query<{ card: string }, [number]>('SELECT card FROM cards WHERE note = ? ORDER BY rowid')
  const log = db.query<AnkiReview, [number]>(
    'SELECT id, card AS cid, ease, time, type, factor FROM log WHERE card = ? ORDER BY rowid',
  )
  const decks = db.query<{ deck: number }, []>(
    'SELECT deck FROM cards WHERE note IN (SELECT id FROM notes) GROUP BY deck ORDER BY min(rowid)',
  )
  const orphans = db.query<{ cards: number; reviews: number }, []>(ORPHANS)
  return {
    listCards: (note) => cards.all(note).map(({ card }) => JSON.parse(card)),
    listReviews: (card) => log.all(card),
    listDecks: () => decks.all().map(({ deck }) => deck),
    countOrphans: () => orphans.get() ?? { cards: 0, reviews: 0 },
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
