import type { Change, RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { titleKey } from '../lib/text'
import { toScheduleColumns } from './card'
import { MAX_POSITION } from './card-schema'
import { type CardRow, getLastPosition, listCardsOfFact } from './card-store'
import type { CardWriter } from './card-writer'
import { type CardFaces, duplicateKey, factTagKey, listOrdinals, makeCardFaces } from './fact'
import {
  type FactDraft,
  type FactRow,
  findFactBySource,
  insertFact,
  putFactText,
  putNotes,
  putTags,
  updateFact,
} from './fact-store'
import { NEW_SNAPSHOT } from './scheduling/snapshot'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly cardWriter: CardWriter
}

/**
 * The one way to write facts. Each call keeps tags, notes, the text that `q` searches and cards in step, and records the change.
 * `session.db` must be a transaction.
 */
export interface FactWriter {
  /** Stores a new fact with its cards, all new. Throws conflict if its id or its source is taken. */
  insert(session: Session, draft: UnsizedFact): Promise<FactRow>
  /**
   * Stores the fact with these members, at the next revision if one differs. Its cards follow: what it has no more goes
   * to the trash, what it has again comes back with its schedule, what is new is made; they move, go to the trash and
   * come back with it. A card gets its next revision where it, its prompt or its answer changed. Throws conflict if the
   * source is taken.
   */
  save(session: Session, old: FactRow, members: Partial<UnsizedFact>): Promise<FactRow>
  /** Stores a new fact whose cards come from elsewhere: `settle` must be called behind them. Throws like `insert`. */
  insertAlone(session: Session, draft: UnsizedFact): Promise<FactRow>
  /**
   * Stores the fact as it is elsewhere: at that revision, which is higher, with those instants. Its cards come from there
   * as well: `settle` must be called behind them. Throws like `save`.
   */
  replace(session: Session, old: FactRow, next: UnsizedFact): Promise<FactRow>
  /**
   * Brings the cards in step with their fact, as `save` does.
   * @param isTouched whether what a card shows of its fact differs, so that it gets its next revision anyway
   */
  settle(session: Session, fact: FactRow, isTouched: (card: CardRow) => boolean): Promise<void>
}

/** A fact without what follows from the rest of it. */
export type UnsizedFact = Omit<FactDraft, 'duplicate_key' | 'size_bytes'>

export function createFactWriter({ now, ids, record, cardWriter }: Deps): FactWriter {
  async function insertCards(session: Session, fact: FactRow, ordinals: readonly number[], position: number) {
    const at = fact.updated_at
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

  async function settle(session: Session, fact: FactRow, isTouched: (card: CardRow) => boolean): Promise<void> {
    const has = new Set(listOrdinals(fact))
    const cards = await listCardsOfFact(session.db, session.workspace.id, fact.key)
    for (const card of cards) {
      const deleted_at = fact.deleted_at ?? (has.has(card.ordinal) ? null : fact.updated_at)
      // What lies in the trash already went there then, and not now.
      const kept = deleted_at === null ? null : (card.deleted_at ?? deleted_at)
      await cardWriter.save(session, card, { deleted_at: kept, deck: fact.deck }, kept === null && isTouched(card))
    }
    const known = new Set(cards.map(({ ordinal }) => ordinal))
    const missing = fact.deleted_at === null ? [...has].filter((ordinal) => !known.has(ordinal)) : []
    if (missing.length > 0)
      await insertCards(session, fact, missing, cards[0]?.position ?? (await nextPosition(session)))
  }

  async function insertAlone(session: Session, asked: UnsizedFact): Promise<FactRow> {
    await refuseTakenSource(session, asked)
    const draft = withDerivedColumns(asked)
    const fact = await insertFact(session.db, session.workspace.id, draft)
    if (!fact) throw taken('A fact with this id exists already.', draft.id)
    await record(session, changeOf(fact, 1, fact.size_bytes))
    await putTags(session.db, session.workspace.id, fact.key, JSON.parse(fact.tags).map(factTagKey))
    await putNotes(session.db, session.workspace.id, fact.key, JSON.parse(fact.note_ids))
    await putFactText(session.db, session.workspace.id, fact.key, searchedText(fact))
    return fact
  }

  async function replace(session: Session, old: FactRow, asked: UnsizedFact): Promise<FactRow> {
    const { db, workspace } = session
    const next = withDerivedColumns({ ...old, ...asked })
    if (next.source_system !== old.source_system || next.source_id !== old.source_id)
      await refuseTakenSource(session, next)
    const fact = await updateFact(db, workspace.id, next)
    await record(session, changeOf(fact, 0, fact.size_bytes - old.size_bytes))
    if (fact.tags !== old.tags) await putTags(db, workspace.id, fact.key, JSON.parse(fact.tags).map(factTagKey))
    if (fact.note_ids !== old.note_ids) await putNotes(db, workspace.id, fact.key, JSON.parse(fact.note_ids))
    if (searchedText(fact) !== searchedText(old)) await putFactText(db, workspace.id, fact.key, searchedText(fact))
    return fact
  }

  return {
    insertAlone,
    replace,
    settle,

    async insert(session, asked) {
      const fact = await insertAlone(session, asked)
      await insertCards(session, fact, listOrdinals(fact), await nextPosition(session))
      return fact
    },

    async save(session, old, members) {
      if (Object.entries(members).every(([name, value]) => Reflect.get(old, name) === value)) return old
      const next = { ...old, ...members, revision: old.revision + 1, updated_at: now() }
      const fact = await replace(session, old, next)
      const isOther = otherFaces(old, fact)
      await settle(session, fact, ({ ordinal }) => isOther(ordinal))
      return fact
    },
  }
}

/** Behind all cards of the workspace. */
async function nextPosition({ db, workspace }: Session): Promise<number> {
  const last = await getLastPosition(db, workspace.id)
  return last === null ? 1 : Math.min(last + 1, MAX_POSITION)
}

const SHOWN = ['type', 'front', 'back', 'text'] as const

/** Which cards, by ordinal, show something else of the one fact than of the other. */
export function otherFaces(old: FactRow, fact: FactRow): (ordinal: number) => boolean {
  if (SHOWN.every((name) => old[name] === fact[name])) return () => false
  const [before, after] = [byOrdinal(makeCardFaces(old)), byOrdinal(makeCardFaces(fact))]
  return (ordinal) => {
    const [one, other] = [before.get(ordinal), after.get(ordinal)]
    return one?.prompt !== other?.prompt || one?.answer !== other?.answer
  }
}

function byOrdinal(cards: readonly CardFaces[]): Map<CardRow['ordinal'], CardFaces> {
  return new Map(cards.map((faces) => [faces.ordinal, faces]))
}

/** All texts of a fact as `q` looks through them, a line each: no query matches across two lines. */
export function searchedText({ front, back, text, extra, hint, accepted }: UnsizedFact): string {
  const texts: (string | null)[] = [front, back, text, extra, hint, ...JSON.parse(accepted)]
  return texts.map((one) => titleKey(one ?? '')).join('\n')
}

/** With what follows from the rest of it. */
export function withDerivedColumns<Fact extends UnsizedFact>(fact: Fact) {
  const { front, back, text, extra, hint, accepted, tags, note_ids, source_system, source_id, source_url } = fact
  const texts = [front, back, text, extra, hint, accepted, tags, note_ids, source_system, source_id, source_url]
  const size_bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one ?? ''), 0)
  return { ...fact, duplicate_key: duplicateKey(fact), size_bytes }
}

async function refuseTakenSource({ db, workspace }: Session, { id, source_system, source_id }: UnsizedFact) {
  if (source_system === null || source_id === null) return
  const holder = await findFactBySource(db, workspace.id, source_system, source_id)
  if (holder !== null && holder.id !== id) throw taken('A fact with this source exists already.', holder.id)
}

function taken(detail: string, id: string): ApiError {
  return new ApiError('conflict', detail, { existing_id: id })
}

function changeOf(fact: FactRow, resources: number, bytes: number): Change {
  return {
    type: 'fact',
    id: fact.id,
    op: fact.deleted_at === null ? 'upsert' : 'delete',
    revision: fact.revision,
    at: fact.updated_at,
    resources,
    bytes,
  }
}
