import type { RecordChange } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import { createRefuseTakenSource, createResourceWriter, hasMembers, revise, textBytes } from '../http/resource'
import { stripHtml } from '../lib/text'
import type { CardWriter } from './cards/card'
import { toScheduleColumns } from './cards/card'
import { MAX_POSITION } from './cards/card-schema'
import { type CardRow, getLastPosition, listCardsOfFact } from './cards/card-store'
import { type CardFaces, duplicateKey, factTagKey, listOrdinals, makeCardFaces } from './facts/fact'
import { type FactDraft, type FactRow, factTable, findFactBySource, putNames } from './facts/fact-store'
import { NEW_SNAPSHOT } from './scheduling/snapshot'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly cardWriter: CardWriter
}

export type UnsizedFact = Omit<FactDraft, 'duplicate_key' | 'size_bytes'>

/** Keeps tags, notes, the text that `q` searches and cards in step. Throws conflict if an id or a source is taken. */
export function createFactWriter({ now, ids, record, cardWriter }: Deps) {
  const rows = createResourceWriter<FactRow, FactDraft>({
    ...{ now, record },
    type: 'fact',
    noun: 'fact',
    store: factTable,
    refuseTaken: createRefuseTakenSource('fact', async (...source) => (await findFactBySource(...source))?.id ?? null),
  })

  async function insertCards(session: Session, fact: FactRow, ordinals: readonly number[], position: number) {
    const at = now()
    const common = {
      ...toScheduleColumns(NEW_SNAPSHOT),
      revision: 1,
      created_at: at,
      updated_at: at,
      deleted_at: null,
      flag: 0,
      position,
    }
    for (const ordinal of ordinals) {
      const draft = { ...common, id: ids(), fact: fact.key, deck: fact.deck, ordinal }
      await cardWriter.insert(session, draft)
    }
  }

  /**
   * Brings the cards in step with their fact, as `save` does.
   * @param isTouched whether the faces of a card changed, so that it gets its next revision even if no member differs
   */
  async function syncCards(session: Session, fact: FactRow, isTouched: (card: CardRow) => boolean): Promise<void> {
    const has = new Set(listOrdinals(fact))
    const cards = await listCardsOfFact(session, fact.key)
    for (const card of cards) {
      const deleted_at = fact.deleted_at ?? (has.has(card.ordinal) ? null : now())
      // A card that is in the trash already keeps the instant at which it was trashed.
      const kept = deleted_at === null ? null : (card.deleted_at ?? deleted_at)
      await cardWriter.save(session, card, { deleted_at: kept, deck: fact.deck }, kept === null && isTouched(card))
    }
    const known = new Set(cards.map(({ ordinal }) => ordinal))
    const missing = fact.deleted_at === null ? [...has].filter((ordinal) => !known.has(ordinal)) : []
    if (missing.length > 0)
      await insertCards(session, fact, missing, cards[0]?.position ?? (await getNextPosition(session)))
  }

  /** Stores the tags and notes that filters use, if they differ from `old`. */
  async function updateSearchRows(session: Session, old: FactRow | null, fact: FactRow): Promise<FactRow> {
    if (fact.tags !== old?.tags) await putNames(session, 'tags', fact.key, JSON.parse(fact.tags).map(factTagKey))
    if (fact.note_ids !== old?.note_ids) await putNames(session, 'notes', fact.key, JSON.parse(fact.note_ids))
    return fact
  }

  /** Stores a new fact whose cards are inserted separately. `syncCards` must be called after that. */
  async function insertWithoutCards(session: Session, draft: UnsizedFact): Promise<FactRow> {
    return updateSearchRows(session, null, await rows.insert(session, withDerivedColumns(draft)))
  }

  /** Stores the fact at a higher revision. `syncCards`, which writes its cards, must be called after that. */
  async function replace(session: Session, old: FactRow, next: UnsizedFact): Promise<FactRow> {
    return updateSearchRows(session, old, await rows.replace(session, old, withDerivedColumns({ ...old, ...next })))
  }

  return {
    insertWithoutCards,
    replace,
    syncCards,

    async insert(session: Session, draft: UnsizedFact): Promise<FactRow> {
      const fact = await insertWithoutCards(session, draft)
      await insertCards(session, fact, listOrdinals(fact), await getNextPosition(session))
      return fact
    },

    /**
     * Stores the fact with these members, at the next revision if one differs. Its cards are kept in step: those that
     * it no longer has are trashed, those that it has again are restored with their schedules, and missing ones are
     * created. Cards are moved, trashed and restored with it. A card gets its next revision if it, its prompt or its
     * answer changed.
     * @param at when the fact was edited, in milliseconds since 1970: now, or where it was imported from
     */
    async save(session: Session, old: FactRow, members: Partial<UnsizedFact>, at = now()): Promise<FactRow> {
      if (hasMembers(old, members)) return old
      const fact = await replace(session, old, revise(old, members, at))
      const isOther = compareFaces(old, fact)
      await syncCards(session, fact, ({ ordinal }) => isOther(ordinal))
      return fact
    },
  }
}

async function getNextPosition(session: Session): Promise<number> {
  const last = await getLastPosition(session)
  return last === null ? 1 : Math.min(last + 1, MAX_POSITION)
}

const FACE_COLUMNS = ['type', 'front', 'back', 'text', 'note_type', 'fields'] as const

/** Whether the prompt or answer of the card with an ordinal differs. Any field of a custom fact may be on any card. */
export function compareFaces(old: FactRow, fact: FactRow): (ordinal: number) => boolean {
  if (FACE_COLUMNS.every((name) => old[name] === fact[name])) return () => false
  if (old.type === 'custom' || fact.type === 'custom') return () => true
  const [before, after] = [byOrdinal(makeCardFaces(old)), byOrdinal(makeCardFaces(fact))]
  return (ordinal) => {
    const [old, next] = [before.get(ordinal), after.get(ordinal)]
    return old?.prompt !== next?.prompt || old?.answer !== next?.answer
  }
}

function byOrdinal(cards: readonly CardFaces[]): Map<CardRow['ordinal'], CardFaces> {
  return new Map(cards.map((faces) => [faces.ordinal, faces]))
}

/** Returns the texts of the fields of a note without their tags, in order. */
export function listFieldTexts(fields: string | null): string[] {
  const values: string[] = fields === null ? [] : Object.values(JSON.parse(fields))
  return values.map(stripHtml)
}

export function withDerivedColumns<Fact extends UnsizedFact>(fact: Fact) {
  const { front, back, text, extra, hint, accepted, tags, note_ids, source_system, source_id, source_url } = fact
  const texts = [
    front,
    back,
    text,
    extra,
    hint,
    fact.fields,
    accepted,
    tags,
    note_ids,
    source_system,
    source_id,
    source_url,
  ]
  return { ...fact, duplicate_key: duplicateKey(fact), size_bytes: textBytes(...texts) }
}
