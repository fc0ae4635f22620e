import { setImmediate } from 'node:timers/promises'
import type { ReadQueries } from '../../archive/archived-type'
import type { Workspace } from '../../db/database'
import type { CardRow } from '../card-store'
import type { DeckRow } from '../deck-store'
import { type FactRow, listFactsInDeck } from '../fact-store'
import { listFieldMediaNames } from '../html/field-media'
import { listMediaNames } from '../media/media-file'
import { listMedia, type MediaRow } from '../media/store'
import type { NoteTypeContent } from '../note-type'
import { getNoteTypesByKeys, type NoteTypeRow, noteTypeOfRow } from '../note-type-store'
import type { ReviewRow } from '../review-store'
import { listExportedCards, listExportedDecks, listLogOfCard } from './store'

// Reads what is exported, in any format, from one snapshot and in small batches.

// Rows that are read at a time. After each batch, other requests have their turn.
const FACTS_READ = 50
const ROWS_READ = 500
const MEDIA_READ = 500

export interface ExportSource {
  readonly read: ReadQueries
  readonly workspace: Pick<Workspace, 'id'>
  /** Throws once the export has taken longer than its limit. */
  readonly throwIfTimedOut: () => void
}

export interface DeckWithPath extends DeckRow {
  /** The names of its ancestors from the top, and its own. */
  readonly path: readonly string[]
  /** The deck, its parent, and so on to the top. */
  readonly chain: readonly DeckRow[]
}

export interface FactWithCards {
  readonly fact: FactRow
  /** Its note type, the same object for all its facts, and the row of that. */
  readonly noteType: { readonly row: NoteTypeRow; readonly content: NoteTypeContent } | null
  readonly deck: DeckWithPath
  readonly cards: readonly { readonly card: CardRow; readonly log: readonly ReviewRow[] }[]
}

/**
 * Returns the decks that are not in the trash, each after its parent.
 * @param under the id of a deck, to return only it and its subdecks; null: all decks
 */
export async function listDecksWithPaths(
  { read, workspace }: ExportSource,
  under: string | null,
): Promise<DeckWithPath[]> {
  const childrenByParent = Map.groupBy(await listExportedDecks(read, workspace.id), ({ parent }) => parent)
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
  source: ExportSource,
  decks: readonly DeckWithPath[],
  withLog: boolean,
): AsyncGenerator<FactWithCards> {
  const { read, workspace, throwIfTimedOut } = source
  const noteTypes = new Map<number | null, NonNullable<FactWithCards['noteType']>>()
  for (const deck of decks) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      throwIfTimedOut()
      const page = { living: true, after, limit: FACTS_READ }
      const facts: FactRow[] = await listFactsInDeck(read, workspace.id, deck.key, page)
      const keys = facts.map(({ key }) => key)
      const missing = new Set(facts.flatMap(({ note_type: key }) => (key === null || noteTypes.has(key) ? [] : [key])))
      if (missing.size > 0)
        for (const row of await getNoteTypesByKeys(read, workspace.id, [...missing]))
          noteTypes.set(row.key, { row, content: noteTypeOfRow(row) })
      const cards = Map.groupBy(await listExportedCards(read, workspace.id, keys), (card) => card.fact)
      for (const fact of facts) {
        const own = (cards.get(fact.key) ?? []).map(async (card) => ({
          card,
          log: withLog ? await listReviewsOfCard(source, card) : [],
        }))
        yield { fact, noteType: noteTypes.get(fact.note_type) ?? null, deck, cards: await Promise.all(own) }
      }
      await setImmediate()
      after = facts.length < FACTS_READ ? undefined : facts.at(-1)?.id
    }
  }
}

async function listReviewsOfCard(
  { read, workspace, throwIfTimedOut }: ExportSource,
  { key }: CardRow,
): Promise<ReviewRow[]> {
  const log: ReviewRow[] = []
  for (;;) {
    const rows = await listLogOfCard(read, workspace.id, key, { after: log.at(-1)?.key ?? 0, limit: ROWS_READ })
    log.push(...rows)
    if (rows.length < ROWS_READ) return log
    throwIfTimedOut()
    await setImmediate()
  }
}

/** Yields all media, or those with these names. */
export async function* listExportedMedia(
  { read, workspace, throwIfTimedOut }: ExportSource,
  names: ReadonlySet<string> | null,
) {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    throwIfTimedOut()
    const page: MediaRow[] = await listMedia(read, workspace.id, { after, limit: MEDIA_READ })
    for (const media of page) if (names === null || names.has(media.name)) yield media
    await setImmediate()
    after = page.length < MEDIA_READ ? undefined : page.at(-1)?.name
  }
}

export function listMediaNamesOfFact({ front, back, text, extra, hint, fields }: FactRow): string[] {
  const names = [front, back, text, extra, hint].flatMap((markdown) => listMediaNames(markdown ?? ''))
  const html: string[] = fields === null ? [] : Object.values(JSON.parse(fields))
  return [...names, ...html.flatMap(listFieldMediaNames)]
}
