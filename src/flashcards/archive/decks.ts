import type { ArchivedType } from '../../archive/archived-type'
import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { Id, nullable } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readStamps, readZone, writeInstant } from '../../http/values'
import { findFreeName, titleKey } from '../../lib/text'
import { archivedResource } from '../../resources/archived'
import type { StudyContext } from '../context'
import {
  checkDescription,
  type Deck,
  deckResource,
  MAX_DECK_NAME_CHARS,
  patchOverrides,
  readDeckName,
  requireDeckLevels,
  toOverrides,
} from '../decks/deck'
import { type DeckRow, findSiblingId, getDeck, getDecksByKeys, listDeckKeysByLevel } from '../decks/deck-store'
import { DEFAULT_STUDY_SETTINGS, getSettings, type SettingsRow, type UnsizedSettings } from '../decks/study'
import type { MemoryRenewal } from '../reviews/memory'
import { readLineStamps, readTrashState, SettingsLine } from './lines'

/** Decks that are read at a time, with at most 4 MiB of descriptions. */
const DECKS_READ = 100

const toSettings = createValidator(SettingsLine, 'the settings')

/** What is still to do for a merged deck: cards whose weights changed, and whether it went into or out of the trash. */
interface DeckRemainder {
  readonly reweighted: MemoryRenewal
  readonly isElsewhere: boolean
}

type DeckLine = Deck & Pick<DeckRow, 'trashed_with'>

export function archivedDecks({ deckWriter, contents, memories }: StudyContext): ArchivedType {
  /** Trashes the contents of a deck that went to the trash, or restores those that were trashed with it. */
  async function syncTrash(session: Session, id: string): Promise<void> {
    const deck = await getDeck(session, id)
    if (deck) await (deck.deleted_at === null ? contents.restore(session, deck) : contents.trash(session, deck))
  }

  return archivedResource(deckResource, deckWriter, {
    hidden: { parent_id: nullable(Id), trashed_with: nullable(Id) },

    /** Each after its parent. */
    async *rows(reader) {
      const keys = await listDeckKeysByLevel(reader)
      for (let i = 0; i < keys.length; i += DECKS_READ) {
        const some = keys.slice(i, i + DECKS_READ)
        const rows = new Map((await getDecksByKeys(reader, some)).map((row) => [row.key, row]))
        yield* some.flatMap((key) => rows.get(key) ?? [])
      }
    },

    async read(session, line: DeckLine, old) {
      const parent = line.parent_id === null ? null : await getDeck(session, line.parent_id)
      if (line.parent_id !== null && !parent)
        throw invalid('/parent_id', 'unknown_deck', 'parent_id must be the id of a deck')
      await requireDeckLevels(session, old, parent, '/parent_id')
      // A deck that is refused because of its name would lose its cards as well.
      const isNew = old === null && line.deleted_at === null
      const { deleted_at } = readStamps(line)
      return {
        ...readTrashState({ deleted_at, trashed_with: line.trashed_with }, parent),
        ...readDeckName(isNew ? await findFreeDeckName(session, parent, line.name) : line.name),
        parent: parent?.key ?? null,
        description: checkDescription(line.description),
        settings: patchOverrides('{}', line.settings, '/settings'),
      }
    },

    async replace(session, old, next): Promise<DeckRemainder> {
      const change = () => deckWriter.replace(session, old, next)
      const isKept = next.settings === old.settings && next.parent === old.parent
      let decks: readonly number[] = []
      await (isKept ? change() : memories.applyChange(session, old.key, change, (found) => (decks = found)))
      const isThere = (next.deleted_at === null) === (old.deleted_at === null) && next.trashed_with === old.trashed_with
      return { reweighted: { decks, after: '' }, isElsewhere: !isThere }
    },

    async relate(session, item, left) {
      const { reweighted, isElsewhere } = left as DeckRemainder
      const rest = await memories.continueRenewal(session, reweighted)
      if (rest) return { pending: { reweighted: rest, isElsewhere } satisfies DeckRemainder }
      if (isElsewhere) await syncTrash(session, (item as DeckLine).id)
      return []
    },
  })
}

function findFreeDeckName(session: Session, parent: DeckRow | null, name: string): Promise<string> {
  const place = { parent: parent?.key ?? null }
  return findFreeName(
    name,
    MAX_DECK_NAME_CHARS,
    async (candidate) => (await findSiblingId(session, { ...place, name_key: titleKey(candidate) })) !== null,
  )
}

/** The archive of the study settings; it has none if they were never changed. */
export function archivedSettings({ putSettings, memories }: StudyContext): ArchivedType {
  return {
    type: 'study_settings',

    async *items(reader): AsyncGenerator<SettingsLine> {
      const row = await getSettings(reader)
      if (row) yield settingsLine(row)
    },

    async merge(session, item) {
      const next = readSettings(toSettings(item))
      const old = await getSettings(session)
      if ((old ?? DEFAULT_STUDY_SETTINGS).revision >= next.revision) return 'unchanged'
      const change = () => putSettings(session, old, next)
      const isKept = (old ?? DEFAULT_STUDY_SETTINGS).deck_defaults === next.deck_defaults
      const merged = old ? 'updated' : 'created'
      let decks: readonly number[] = []
      await (isKept ? change() : memories.applyChange(session, null, change, (found) => (decks = found)))
      return isKept ? merged : { action: merged, pending: { decks, after: '' } satisfies MemoryRenewal }
    },

    async relate(session, _, left) {
      const rest = await memories.continueRenewal(session, left as MemoryRenewal)
      return rest ? { pending: rest } : []
    },
  }
}

function settingsLine({ size_bytes: _, ...row }: SettingsRow): SettingsLine {
  const stamps = { created_at: writeInstant(row.created_at), updated_at: writeInstant(row.updated_at) }
  return { ...row, ...stamps, deck_defaults: toOverrides(JSON.parse(row.deck_defaults)) }
}

/** Throws invalid_request. */
function readSettings(line: SettingsLine): UnsizedSettings {
  return {
    ...line,
    ...readLineStamps(line),
    time_zone: readZone(line.time_zone, '/time_zone'),
    deck_defaults: patchOverrides('{}', line.deck_defaults, '/deck_defaults'),
  }
}
