import { readPages } from '../../archive/archived-type'
import type { Reader } from '../../db/database'
import { integersIn } from '../../db/dialect'
import { keysOf } from '../../db/table'
import { fromDay } from '../../lib/civil/day'
import { yieldTurn } from '../../lib/steps'
import type { ExportedFact as AnkiFact, ExportedReview as AnkiReview } from '../anki/write-package'
import { toSnapshot } from '../cards/card'
import { CARD, type CardRow } from '../cards/card-store'
import { DECK, type DeckRow } from '../decks/deck-store'
import type { Study } from '../decks/study'
import { toFact, writePartId } from '../facts/fact'
import type { GivenFactType } from '../facts/fact-schema'
import { type FactRow, listFactsInDeck } from '../facts/fact-store'
import type { NoteTypeContent } from '../facts/note-type'
import { loadNoteTypes } from '../facts/note-type-store'
import type { ParsedCard } from '../formats/parsed'
import { estimateEase } from '../import/schedule'
import { listFieldMediaNames, listMediaNames } from '../media/media-file'
import { listMedia, type MediaRow } from '../media/store'
import { type ReviewRow, reviewTable } from '../reviews/review-store'
import { DEFAULT_WEIGHTS, type DeckSettings, inheritSettings } from '../scheduling/settings'
import type { CardSnapshot } from '../scheduling/snapshot'
import type { StudyClock } from '../scheduling/study-day'

// The queries of exports, which run on one snapshot.

/** Without the trash, by name. */
function listExportedDecks({ db: read, workspace }: Reader): Promise<DeckRow[]> {
  const sql = `SELECT ${DECK} FROM study_decks WHERE workspace = $1 AND deleted_at IS NULL ORDER BY name_key, id`
  return read.all<DeckRow>(sql, [workspace.id])
}

/** Without the trash, by ordinal. */
function listExportedCards({ db: read, workspace }: Reader, facts: readonly number[]): Promise<CardRow[]> {
  const sql = `SELECT ${CARD} FROM study_cards
    WHERE +workspace = $1 AND fact IN ${integersIn('$2')} AND deleted_at IS NULL ORDER BY fact, ordinal`
  return read.all<CardRow>(sql, [workspace.id, JSON.stringify(facts)])
}

/** The id of the card is known. */
const LOGGED = reviewTable.columnsBut('card_id')

function listLogOfCard(
  { db: read, workspace }: Reader,
  card: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ReviewRow[]> {
  return read.all<ReviewRow>(
    `SELECT ${LOGGED} FROM study_reviews
     WHERE +workspace = $1 AND card = $2 AND key > $3 ORDER BY key LIMIT $4`,
    [workspace.id, card, after, limit],
  )
}

// Reads what is exported, in any format, from one snapshot and in small batches.

// Rows that are read at a time. After each batch, other requests have their turn.
const FACTS_READ = 50
const ROWS_READ = 500
/** Media rows, without their bytes. */
const MEDIA_READ = 500

interface DeckWithPath extends DeckRow {
  /** The names of its ancestors from the top, and its own. */
  readonly path: readonly string[]
  /** The deck, its parent, and so on to the top. */
  readonly chain: readonly DeckRow[]
}

export interface FactWithCards {
  readonly fact: FactRow
  /** Its note type, the same object for all its facts. */
  readonly noteType: NoteTypeContent | null
  readonly deck: DeckWithPath
  readonly cards: readonly { readonly card: CardRow; readonly log: readonly ReviewRow[] }[]
}

/**
 * Returns the decks that are not in the trash, each after its parent.
 * @param under the id of a deck, to return only it and its subdecks; null: all decks
 */
export async function listDecksWithPaths(reader: Reader, under: string | null): Promise<DeckWithPath[]> {
  const childrenByParent = Map.groupBy(await listExportedDecks(reader), ({ parent }) => parent)
  const placed: DeckWithPath[] = []
  const place = (deck: DeckRow, above: DeckWithPath | null): void => {
    const chain = [deck, ...(above?.chain ?? [])]
    const withPath = { ...deck, chain, path: [...(above?.path ?? []), deck.name] }
    placed.push(withPath)
    for (const next of childrenByParent.get(deck.key) ?? []) place(next, withPath)
  }
  for (const deck of childrenByParent.get(null) ?? []) place(deck, null)
  return under === null ? placed : placed.filter(({ chain }) => chain.some(({ id }) => id === under))
}

/**
 * Yields the facts of these decks, deck by deck, with their cards, without the trash.
 * @param withLog whether to read the reviews as well
 */
export async function* readFactsWithCards(
  reader: Reader,
  decks: readonly DeckWithPath[],
  withLog: boolean,
): AsyncGenerator<FactWithCards> {
  const noteTypes = new Map<number | null, NoteTypeContent>()
  for (const deck of decks) {
    const list = (after: string) => listFactsInDeck(reader, deck.key, { living: true, after, limit: FACTS_READ })
    for await (const facts of readPages('', list, ({ id }) => id)) {
      const missing = facts.filter(({ note_type }) => !noteTypes.has(note_type))
      for (const [key, noteType] of await loadNoteTypes(reader, missing)) noteTypes.set(key, noteType)
      const cards = Map.groupBy(await listExportedCards(reader, keysOf(facts)), (card) => card.fact)
      for (const fact of facts) {
        const own = (cards.get(fact.key) ?? []).map(async (card) => ({
          card,
          log: withLog ? await listReviewsOfCard(reader, card) : [],
        }))
        yield { fact, noteType: noteTypes.get(fact.note_type) ?? null, deck, cards: await Promise.all(own) }
      }
      await yieldTurn()
    }
  }
}

async function listReviewsOfCard(reader: Reader, { key }: CardRow): Promise<ReviewRow[]> {
  const log: ReviewRow[] = []
  for (;;) {
    const rows = await listLogOfCard(reader, key, { after: log.at(-1)?.key ?? 0, limit: ROWS_READ })
    log.push(...rows)
    if (rows.length < ROWS_READ) return log
    await yieldTurn()
  }
}

export async function* readAllMedia(reader: Reader): AsyncGenerator<MediaRow> {
  const list = (after: string | null) => listMedia(reader, { after, limit: MEDIA_READ })
  for await (const rows of readPages<MediaRow, string | null>(null, list, ({ name }) => name)) {
    yield* rows
    await yieldTurn()
  }
}

export function listMediaNamesOfFact({ front, back, text, extra, hint, fields }: FactRow): string[] {
  const names = [front, back, text, extra, hint].flatMap((markdown) => listMediaNames(markdown ?? ''))
  const html: string[] = fields === null ? [] : Object.values(JSON.parse(fields))
  return [...names, ...html.flatMap(listFieldMediaNames)]
}

// Converts facts, cards and rows of the log to the formats of exports.

/** What is written for a side of a card that shows nothing: a fact of texts must have both. */
const EMPTY_SIDE = '(empty)'

/** Returns the facts of texts that show a fact: itself, or one for each card of a custom one, which only its cards show. */
export async function toTextFacts({ fact, noteType, cards }: FactWithCards): Promise<TextFact[]> {
  const { resource } = toFact(fact)
  const { type, fields, source } = resource
  if (type !== 'custom') return [{ ...resource, type }]
  if (!noteType || !fields) throw new Error('a custom fact has no note type')
  // Only notes need the HTML libraries, so they are loaded on first use.
  const { renderNoteCard } = await import('../facts/note')
  return cards.map(({ card: { ordinal } }): TextFact => {
    const { prompt, answer } = renderNoteCard(noteType, fields, ordinal)
    const isPart = cards.length > 1 && source?.system === 'anki' && source.id !== null
    return {
      ...resource,
      ...{ type: 'basic', front: prompt || EMPTY_SIDE, back: answer || EMPTY_SIDE },
      source: isPart ? { ...source, id: writePartId(source.id ?? '', ordinal) } : source,
    }
  })
}

type TextFact = Omit<ReturnType<typeof toFact>['resource'], 'type'> & { readonly type: GivenFactType }

const day = (of: number | null) => (of === null ? null : fromDay(of))

/** Converts a fact for an Anki package. Without `scheduling`, its cards are new. */
export function toAnkiFact(
  { fact, deck, cards, noteType }: FactWithCards,
  study: Study,
  scheduling: boolean,
): AnkiFact {
  const content = toFact(fact).resource
  const settings = settingsOf(deck, study)
  const { desired_retention, weights } = settings
  return {
    id: fact.id,
    fact: content,
    ...(noteType && content.fields ? { note: { noteType, fields: content.fields } } : {}),
    deck: deck.path,
    created_at: fact.created_at,
    updated_at: modifiedAt(fact),
    cards: cards.map(({ card }) => (scheduling ? toAnkiCard(card, study.clock, weights) : newCard(card))),
    log: cards.flatMap(({ card, log }) => log.flatMap((review) => toAnkiReview(review, card.ordinal))),
    desired_retention,
    decay: (weights ?? DEFAULT_WEIGHTS).at(-1) ?? 0,
    steps: { learning: settings.learning_steps_minutes.length, relearning: settings.relearning_steps_minutes.length },
  }
}

/** When the fact was changed; an unchanged imported one, when it was changed there: reimporting it does nothing. */
function modifiedAt({ revision, external_modified_at, updated_at }: FactWithCards['fact']): number {
  return revision === 1 ? (external_modified_at ?? updated_at) : updated_at
}

export function settingsOf({ chain }: DeckWithPath, { defaults }: Pick<Study, 'defaults'>): DeckSettings {
  return inheritSettings(
    chain.map(({ id, settings }) => ({ id, overrides: JSON.parse(settings) })),
    defaults,
  ).effective
}

function toAnkiCard(card: CardRow, clock: StudyClock, weights: readonly number[] | null): ParsedCard {
  const { ordinal, flag, position, stability, difficulty } = card
  // Without FSRS, Anki needs an ease: one for all would make hard cards easy.
  const ease = stability === null || difficulty === null ? null : estimateEase({ stability, difficulty }, weights)
  const { due_day, buried_until, ...snapshot } = toSnapshot(card, clock)
  return { ...snapshot, ordinal, due_day: day(due_day), buried_until: day(buried_until), ease, flag, position }
}

function newCard({ ordinal, position }: CardRow): ParsedCard {
  return {
    ...{ ordinal, state: 'new', due_day: null, due_at: null, stability: null, difficulty: null, ease: null },
    ...{ scheduled_days: 0, step: 0, reps: 0, lapses: 0, last_reviewed_at: null },
    ...{ suspended: false, buried_until: null, flag: 0, leech: false, position },
  }
}

/** Converts a review; returns [] if it was undone or only holds memory, which Anki cannot express. */
function toAnkiReview(review: ReviewRow, ordinal: number): AnkiReview[] {
  const before: CardSnapshot = JSON.parse(review.before)
  const after: CardSnapshot = JSON.parse(review.after)
  const isSeed = review.kind === 'import' && review.rating === null && before.state === 'new'
  if (review.undone_at !== null || isSeed) return []
  const { reviewed_at, duration_ms } = review
  const rating = review.rating as AnkiReview['rating']
  const kind = rating === null ? 'manual' : before.state === 'new' ? 'learning' : before.state
  const intervals = { scheduled_days: after.scheduled_days, last_scheduled_days: before.scheduled_days }
  return [{ ordinal, reviewed_at, kind, rating, duration_ms, ...intervals }]
}
