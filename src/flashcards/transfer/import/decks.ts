import type { Session } from '../../../db/database'
import { Refusal } from '../../../http/problem'
import { checkedName, DESCRIPTION_LENGTH, NAME_LENGTH } from '../../decks/name'
import { type DeckRow, decksUpwards, getDeck, idOfSibling } from '../../decks/store'
import { LEVELS } from '../../decks/tree'
import type { DeckWriter } from '../../decks/writer'
import { patchedOverrides } from '../../settings/overrides'
import type { ParsedDeck } from '../parsed'
import type { Tally } from './report'

/** Where facts go that name no deck, if the import names none either. */
const FALLBACK = 'Imported'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly deckWriter: DeckWriter
}

/** The decks of one import, by their paths in the file. */
export interface DeckPaths {
  /** The deck at a path, made if it is not there; with what the file says of it if it is new. */
  at(path: readonly string[], said?: ParsedDeck): Promise<DeckRow>
}

export type OpenDeckPaths = (session: Session, base: DeckRow | null, tally: Tally) => Promise<DeckPaths>

/** Finds and makes decks by their names, below one deck or at the top. `session.db` must be a transaction. */
export function createDeckPaths({ now, ids, deckWriter }: Deps): OpenDeckPaths {
  return async (session, base, tally) => {
    const { db, workspace } = session
    const room = LEVELS - (base === null ? 0 : (await decksUpwards(db, workspace.id, [base.key])).length)
    const known = new Map<string, DeckRow>()

    async function found(parent: DeckRow | null, name_key: string): Promise<DeckRow | null> {
      const id = await idOfSibling(db, workspace.id, { parent: parent?.key ?? null, name_key })
      return id === null ? null : getDeck(db, workspace.id, id)
    }

    async function made(parent: DeckRow | null, name: string, said: ParsedDeck | undefined): Promise<DeckRow> {
      const at = now()
      const stamps = { id: ids(), revision: 1, created_at: at, updated_at: at, trashed_at: null, trashed_with: null }
      tally.decks += 1
      const members = { ...checkedName(name), ...saidOf(said, tally), parent: parent?.key ?? null }
      return deckWriter.insert(session, { ...stamps, ...members })
    }

    async function below(parent: DeckRow | null, name: string, said: ParsedDeck | undefined): Promise<DeckRow> {
      const { name_key } = checkedName(name)
      const place = `${parent?.key ?? 0} ${name_key}`
      const deck = known.get(place) ?? (await found(parent, name_key)) ?? (await made(parent, name, said))
      known.set(place, deck)
      return deck
    }

    return {
      async at(path, said) {
        const names = namesOf(path, room, tally)
        let deck = base
        for (const [index, name] of names.entries())
          deck = await below(deck, name, index === names.length - 1 ? said : undefined)
        return deck ?? below(null, FALLBACK, undefined)
      },
    }
  }
}

/** Names that decks can have here, no more than there is room for. */
function namesOf(path: readonly string[], room: number, tally: Tally): string[] {
  const names = path.map(fitting)
  if (names.length <= room) return names
  tally.line(`deck ${names.join('::').slice(0, 100).toWellFormed()}`, 'too_deep', `Decks nest at most ${LEVELS} deep.`)
  return room === 0 ? [] : [...names.slice(0, room - 1), fitting(names.slice(room - 1).join(' - '))]
}

function fitting(raw: string): string {
  const line = raw
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/::+/g, ':')
  return [...line.trim()].slice(0, NAME_LENGTH).join('').trim() || 'Unnamed'
}

function saidOf(said: ParsedDeck | undefined, tally: Tally): Pick<DeckRow, 'description' | 'settings'> {
  if (!said) return { description: '', settings: '{}' }
  const where = `deck ${said.path.join('::').slice(0, 100).toWellFormed()}`
  const text = said.description.replaceAll('\0', '').toWellFormed()
  const description = [...text].slice(0, DESCRIPTION_LENGTH).join('')
  if (description !== text)
    tally.line(where, 'too_long', `The description was cut to ${DESCRIPTION_LENGTH} characters.`)
  return { description, settings: settingsOf(said, where, tally) }
}

function settingsOf({ settings }: ParsedDeck, where: string, tally: Tally): string {
  if (settings === null || settings === undefined) return '{}'
  try {
    if (typeof settings === 'object' && !Array.isArray(settings)) return patchedOverrides('{}', settings, '/settings')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  tally.line(where, 'invalid_settings', 'The settings of the deck cannot be taken over.')
  return '{}'
}
