import type { Session } from '../../db/database'
import { newStamps } from '../../http/resource'
import type { StudyContext } from '../context'
import {
  MAX_DECK_LEVELS,
  MAX_DECK_NAME_CHARS,
  MAX_DESCRIPTION_CHARS,
  readDeckName,
  requireUntrashedDeck,
} from '../decks/deck'
import { type DeckRow, findSiblingId, getDeck, listDecksUpwards } from '../decks/deck-store'
import type { ParsedDeck } from '../formats/parsed'
import { ItemReport } from './item-report'

/** The deck for facts without a deck, if the request names none either. */
const DEFAULT_DECK_NAME = 'Imported'

export type OpenDeckPaths = ReturnType<typeof createDeckPaths>
export type DeckPaths = Awaited<ReturnType<OpenDeckPaths>>

/**
 * Creates what finds and creates the decks of one step of an import, by their paths in the file, in a deck or at the top.
 * `session.db` must be a transaction.
 */
export function createDeckPaths({ now, ids, deckWriter }: StudyContext) {
  return async (session: Session, baseId: string | undefined) => {
    const base = baseId === undefined ? null : await requireUntrashedDeck(session, baseId, '/deck_id')
    const levelsLeft = MAX_DECK_LEVELS - (base === null ? 0 : (await listDecksUpwards(session, [base.key])).length)
    const known = new Map<string, DeckRow>()

    async function findDeck(parent: DeckRow | null, name_key: string): Promise<DeckRow | null> {
      const id = await findSiblingId(session, { parent: parent?.key ?? null, name_key })
      return id === null ? null : getDeck(session, id)
    }

    async function createDeck(parent: DeckRow | null, name: string, described: ParsedDeck | null, report: ItemReport) {
      const stamps = { ...newStamps(ids(), now()), trashed_with: null }
      const members = { ...readDeckName(name), ...toDeckColumns(described, report), parent: parent?.key ?? null }
      report.addCount('deck', 1)
      return deckWriter.insert(session, { ...stamps, ...members })
    }

    async function findOrCreateChild(
      parent: DeckRow | null,
      name: string,
      described: ParsedDeck | null,
      report: ItemReport,
    ) {
      const { name_key } = readDeckName(name)
      const cacheKey = `${parent?.key ?? 0} ${name_key}`
      const deck =
        known.get(cacheKey) ?? (await findDeck(parent, name_key)) ?? (await createDeck(parent, name, described, report))
      known.set(cacheKey, deck)
      return deck
    }

    async function findOrCreatePath(
      path: readonly string[],
      report: ItemReport,
      described: ParsedDeck | null,
    ): Promise<DeckRow> {
      const names = toDeckNames(path, levelsLeft, report)
      let deck = base
      for (const [index, name] of names.entries())
        deck = await findOrCreateChild(deck, name, index === names.length - 1 ? described : null, report)
      return deck ?? findOrCreateChild(null, DEFAULT_DECK_NAME, null, report)
    }

    return {
      findOrCreate: (path: readonly string[], report: ItemReport) => findOrCreatePath(path, report, null),

      /** The description is only stored if the deck is new. */
      async importDeck(described: ParsedDeck, report: ItemReport): Promise<void> {
        const pathReport = new ItemReport()
        const { id } = await findOrCreatePath(described.path, pathReport, described)
        const { warnings, counts } = pathReport.line
        for (const { code, detail } of warnings ?? []) report.warn(code, detail)
        const created = counts?.deck ?? 0
        report.setResult(created > 0 ? 'created' : 'unchanged', id)
        // The item itself already counts as one deck.
        report.addCount('deck', created - 1)
      },
    }
  }
}

/** Returns valid names for a path. Names beyond the deepest level are joined into one. */
function toDeckNames(path: readonly string[], levelsLeft: number, report: ItemReport): string[] {
  const names = path.map(sanitizeDeckName)
  if (names.length <= levelsLeft) return names
  report.warn('too_deep', `Decks nest at most ${MAX_DECK_LEVELS} deep.`)
  return levelsLeft === 0
    ? []
    : [...names.slice(0, levelsLeft - 1), sanitizeDeckName(names.slice(levelsLeft - 1).join(' - '))]
}

/** Makes a valid name of one line, without `::`, which separates levels. */
function sanitizeDeckName(raw: string): string {
  const line = raw
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/::+/g, ':')
  return [...line.trim()].slice(0, MAX_DECK_NAME_CHARS).join('').trim() || 'Unnamed'
}

function toDeckColumns(described: ParsedDeck | null, report: ItemReport): Pick<DeckRow, 'description' | 'settings'> {
  if (!described) return { description: '', settings: '{}' }
  const text = described.description.replaceAll('\0', '').toWellFormed()
  const description = [...text].slice(0, MAX_DESCRIPTION_CHARS).join('')
  if (description !== text) report.warn('too_long', `The description was cut to ${MAX_DESCRIPTION_CHARS} characters.`)
  return { description, settings: '{}' }
}
