import { setImmediate } from 'node:timers/promises'
import type { ReadQueries } from '../../archive/archived-type'
import type { Workspace } from '../../db/database'
import type { CardRow } from '../card-store'
import type { DeckRow } from '../deck-store'
import { type FactRow, listFactsInDeck } from '../fact-store'
import { listMediaNames } from '../media/media-file'
import { listMedia, type MediaRow } from '../media/store'
import type { ReviewRow } from '../review-store'
import { listExportedCards, listExportedDecks, listLogOfCard } from './store'

/** What there is to export, read a little at a time from one snapshot, whatever it is written as. */

/** Facts, rows of the log and media that are read at a time; then others have their turn. */
const FACTS_READ = 50
const ROWS_READ = 500
const MEDIA_READ = 500

export interface ExportSource {
  readonly read: ReadQueries
  readonly workspace: Pick<Workspace, 'id'>
  /** Throws once the export has taken too long. */
  readonly throwIfTimedOut: () => void
}

/** A deck with the names of those above it and its own. */
export interface DeckWithPath extends DeckRow {
  readonly path: readonly string[]
  /** It, the deck above it, and so on to the top. */
  readonly chain: readonly DeckRow[]
}

export interface FactWithCards {
  readonly fact: FactRow
  readonly deck: DeckWithPath
  readonly cards: readonly { readonly card: CardRow; readonly log: readonly ReviewRow[] }[]
}

/**
 * Living decks, each behind the one above it.
 * @param under the id of the only deck to take, with its subdecks; null: all
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
 * The living facts of these decks, in their order, with their living cards.
 * @param withLog reads the log as well
 */
export async function* readFactsWithCards(
  source: ExportSource,
  decks: readonly DeckWithPath[],
  withLog: boolean,
): AsyncGenerator<FactWithCards> {
  const { read, workspace, throwIfTimedOut } = source
  for (const deck of decks) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      throwIfTimedOut()
      const page = { living: true, after, limit: FACTS_READ }
      const facts: FactRow[] = await listFactsInDeck(read, workspace.id, deck.key, page)
      const keys = facts.map(({ key }) => key)
      const cards = Map.groupBy(await listExportedCards(read, workspace.id, keys), (card) => card.fact)
      for (const fact of facts) {
        const own = (cards.get(fact.key) ?? []).map(async (card) => ({
          card,
          log: withLog ? await listReviewsOfCard(source, card) : [],
        }))
        yield { fact, deck, cards: await Promise.all(own) }
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

/** All media, or those that are named. */
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

/** The names of the media that a fact refers to. */
export function listMediaNamesOfFact({ front, back, text, extra, hint }: FactRow): string[] {
  return [front, back, text, extra, hint].flatMap((markdown) => listMediaNames(markdown ?? ''))
}
