import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { newStamps } from '../../http/resource'
import { type DeckRow, findSiblingId, getDeck, listDecksUpwards } from '../deck-store'
import { DECK_NAME_LENGTH, DESCRIPTION_LENGTH, MAX_DECK_LEVELS, readDeckName, requireLivingDeck } from '../deck-tree'
import type { DeckWriter } from '../deck-writer'
import type { ParsedDeck } from '../formats/parsed'
import { ItemReport } from './item-report'

/** Where facts go that name no deck, if the import names none either. */
const FALLBACK = 'Imported'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly deckWriter: DeckWriter
}

/** The decks of one step of an import, by their paths in the file. */
export interface DeckPaths {
  /** The deck at a path, made if it is not there. */
  at(path: readonly string[], telling: ItemReport): Promise<DeckRow>
  /** The same for a deck that the file describes: it is as described if it is new. */
  place(deck: ParsedDeck, telling: ItemReport): Promise<void>
}

/** @param base an id: where decks of the file go; undefined: the top */
export type OpenDeckPaths = (session: Session, base: string | undefined) => Promise<DeckPaths>

/** Finds and makes decks by their names, below one deck or at the top. `session.db` must be a transaction. */
export function createDeckPaths({ now, ids, deckWriter }: Deps): OpenDeckPaths {
  return async (session, baseId) => {
    const { db, workspace } = session
    const base = baseId === undefined ? null : await requireLivingDeck(session, baseId, '/deck_id')
    const room = MAX_DECK_LEVELS - (base === null ? 0 : (await listDecksUpwards(db, workspace.id, [base.key])).length)
    const known = new Map<string, DeckRow>()

    async function found(parent: DeckRow | null, name_key: string): Promise<DeckRow | null> {
      const id = await findSiblingId(db, workspace.id, { parent: parent?.key ?? null, name_key })
      return id === null ? null : getDeck(db, workspace.id, id)
    }

    async function made(parent: DeckRow | null, name: string, said: ParsedDeck | null, telling: ItemReport) {
      const stamps = { ...newStamps(ids(), now()), trashed_with: null }
      const members = { ...readDeckName(name), ...saidOf(said, telling), parent: parent?.key ?? null }
      telling.add('deck', 1)
      return deckWriter.insert(session, { ...stamps, ...members })
    }

    async function below(parent: DeckRow | null, name: string, said: ParsedDeck | null, telling: ItemReport) {
      const { name_key } = readDeckName(name)
      const place = `${parent?.key ?? 0} ${name_key}`
      const deck = known.get(place) ?? (await found(parent, name_key)) ?? (await made(parent, name, said, telling))
      known.set(place, deck)
      return deck
    }

    async function at(path: readonly string[], telling: ItemReport, said: ParsedDeck | null): Promise<DeckRow> {
      const names = namesOf(path, room, telling)
      let deck = base
      for (const [index, name] of names.entries())
        deck = await below(deck, name, index === names.length - 1 ? said : null, telling)
      return deck ?? below(null, FALLBACK, null, telling)
    }

    return {
      at: (path, telling) => at(path, telling, null),

      async place(said, telling) {
        const known = new ItemReport()
        const { id } = await at(said.path, known, said)
        const { warnings, counts } = known.line
        for (const { code, detail } of warnings ?? []) telling.warn(code, detail)
        const made = counts?.deck ?? 0
        telling.became(made > 0 ? 'created' : 'unchanged', id)
        // The deck itself is counted as the item.
        telling.add('deck', made - 1)
      },
    }
  }
}

/** Names that decks can have here, no more than there is room for. */
function namesOf(path: readonly string[], room: number, telling: ItemReport): string[] {
  const names = path.map(fitting)
  if (names.length <= room) return names
  telling.warn('too_deep', `Decks nest at most ${MAX_DECK_LEVELS} deep.`)
  return room === 0 ? [] : [...names.slice(0, room - 1), fitting(names.slice(room - 1).join(' - '))]
}

function fitting(raw: string): string {
  const line = raw
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/::+/g, ':')
  return [...line.trim()].slice(0, DECK_NAME_LENGTH).join('').trim() || 'Unnamed'
}

function saidOf(said: ParsedDeck | null, telling: ItemReport): Pick<DeckRow, 'description' | 'settings'> {
  if (!said) return { description: '', settings: '{}' }
  const text = said.description.replaceAll('\0', '').toWellFormed()
  const description = [...text].slice(0, DESCRIPTION_LENGTH).join('')
  if (description !== text) telling.warn('too_long', `The description was cut to ${DESCRIPTION_LENGTH} characters.`)
  return { description, settings: '{}' }
}
