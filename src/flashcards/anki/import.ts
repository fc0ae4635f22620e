import { isStorable } from '../../http/body'
import { ItemFault } from '../../http/item-fault'
import type { ParsedDeck, ParsedItem, ParsedMedia, ReportLine } from '../transfer/parsed'
import { daysOf } from './calendar'
import type { AnkiCard, AnkiReview } from './collection'
import { type Collection, openCollection } from './collection.sqlite'
import { deckId, factsOf } from './facts'
import { tooLarge } from './fault'
import type { PackageLimits } from './limits'
import { openPackage, type PackedMedia } from './package'
import { LAST_SECOND } from './schedule'

const MAX_NAME_BYTES = 255

/** Reads an .apkg or .colpkg: decks, then media, then facts, each as it is asked for. Throws PackageFault at any of them. */
export function* readPackage(bytes: Uint8Array, limits: PackageLimits): Generator<ParsedItem> {
  const opened = openPackage(bytes, limits)
  const collection = openCollection(opened.collection, limits)
  try {
    const cards = Map.groupBy(collection.cards(), ({ nid }) => nid)
    yield* decksOf(collection, cards)
    yield* mediaOf(opened.media)
    yield* allFacts(collection, cards, limits)
  } finally {
    collection.close()
  }
}

/** Decks without cards, as the one that Anki always has, are left out. */
function* decksOf(
  { decks }: Collection,
  cards: ReadonlyMap<number, readonly AnkiCard[]>,
): Generator<ParsedDeck | ReportLine> {
  const used = new Set([...cards.values()].flatMap((ofNote) => ofNote.map(deckId)))
  for (const id of used) {
    const deck = decks.get(id)
    if (deck) yield { kind: 'deck', path: deck.path, description: deck.description, settings: null }
    else yield { kind: 'line', where: `deck ${id}`, code: 'no_deck', detail: 'The package does not hold the deck.' }
  }
}

function* mediaOf(media: readonly PackedMedia[]): Generator<ParsedMedia | ReportLine> {
  const seen = new Set<string>()
  for (const file of media) {
    const name = file.name.normalize('NFC')
    try {
      if (!isMediaName(name)) throw new ItemFault('media_name', 'The name of the media file cannot be one here.')
      if (seen.has(name)) throw new ItemFault('duplicate_name', 'A media file of this name came before.')
      seen.add(name)
      yield { kind: 'media', name, bytes: file.read(), sha256: null }
    } catch (error) {
      if (!(error instanceof ItemFault)) throw error
      yield { kind: 'line', where: `media ${printable(file.name)}`, code: error.code, detail: error.detail }
    }
  }
}

/** 1 to 255 bytes, no slash, backslash, control character or leading dot. */
function isMediaName(name: string): boolean {
  const bytes = Buffer.byteLength(name)
  return bytes >= 1 && bytes <= MAX_NAME_BYTES && !/^\.|[/\\\p{Cc}]/u.test(name) && isStorable(name)
}

/** A report is stored, and its lines are short. */
function printable(name: string): string {
  return name
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
    .slice(0, 100)
    .toWellFormed()
}

function* allFacts(
  collection: Collection,
  cards: ReadonlyMap<number, readonly AnkiCard[]>,
  limits: PackageLimits,
): Generator<ParsedItem> {
  const logs = Map.groupBy(inOrder(collection.reviews()), ({ cid }) => cid)
  const around = {
    notetypes: collection.notetypes,
    decks: collection.decks,
    days: daysOf(collection.calendar),
    modified: Math.trunc(collection.calendar.modified * 1000),
    log: ({ id }: AnkiCard) => logs.get(id) ?? [],
  }
  let count = 0
  for (const note of collection.notes()) {
    for (const item of factsOf(note, cards.get(note.id) ?? [], around)) {
      if (item.kind === 'fact' && ++count > limits.facts)
        throw tooLarge(`The package holds more than ${limits.facts} facts.`)
      yield item
    }
  }
}

/** By time, and no two at the same millisecond: a log is told apart by its times. */
function inOrder(reviews: Iterable<AnkiReview>): AnkiReview[] {
  let last = 0
  return [...reviews]
    .filter(({ id }) => id > 0 && id <= LAST_SECOND * 1000)
    .sort((a, b) => a.id - b.id)
    .map((review) => {
      last = Math.max(review.id, last + 1)
      return { ...review, id: last }
    })
}
