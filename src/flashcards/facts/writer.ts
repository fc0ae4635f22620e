import type { Session } from '../../db/database'
import type { Change, RecordChange } from '../../db/journal'
import { Refusal } from '../../http/problem'
import { titleKey } from '../../http/title-key'
import { MAX_POSITION, scheduleOf } from '../cards/card'
import { type CardRow, cardsOfFact, lastPosition } from '../cards/store'
import type { CardWriter } from '../cards/writer'
import { isFoundAlike, putFound } from '../finding/finder'
import { FRESH } from '../scheduling/snapshot'
import { type CardFaces, cardsOf, duplicateKey } from './fact'
import { type FactDraft, type FactRow, factByExternalId, insertFact, putTags, putText, updateFact } from './store'
import { tagKey } from './tags'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly record: RecordChange
  readonly cardWriter: CardWriter
}

/**
 * The one way to write facts. Each call keeps tags, the text that `q` looks through, cards and the journal in step.
 * `session.db` must be a transaction.
 */
export interface FactWriter {
  /** Stores a new fact with its cards, all new. Throws conflict if its id or its external id is taken. */
  insert(session: Session, draft: UnsizedFact): Promise<FactRow>
  /**
   * Stores the fact with these members, at the next revision if one differs. Its cards follow: what it has no more goes
   * to the trash, what it has again comes back with its schedule, what is new is made; they move, go to the trash and
   * come back with it. A card gets its next revision where it, its prompt or its answer changed. Throws conflict if the
   * external id is taken.
   */
  save(session: Session, old: FactRow, members: Partial<UnsizedFact>): Promise<FactRow>
}

/** A fact without what follows from the rest of it. */
export type UnsizedFact = Omit<FactDraft, 'duplicate_key' | 'size_bytes'>

export function createFactWriter({ now, ids, record, cardWriter }: Deps): FactWriter {
  async function insertCards(session: Session, fact: FactRow, faces: readonly CardFaces[], position: number) {
    const at = fact.updated_at
    const common = {
      ...scheduleOf(FRESH),
      revision: 1,
      created_at: at,
      updated_at: at,
      trashed_at: null,
      flag: 0,
      position,
    }
    for (const { ordinal } of faces) {
      const draft = { ...common, id: ids(), fact: fact.key, deck: fact.deck, ordinal }
      await cardWriter.insert(session, draft)
    }
  }

  /** Brings the cards in step with their fact. */
  async function follow(session: Session, old: FactRow, fact: FactRow): Promise<void> {
    const [before, after] = [byOrdinal(cardsOf(old)), byOrdinal(cardsOf(fact))]
    const cards = await cardsOfFact(session.db, session.workspace.id, fact.key)
    for (const card of cards) {
      const faces = after.get(card.ordinal)
      const trashed_at = fact.trashed_at ?? (faces ? null : fact.updated_at)
      // What lies in the trash already went there then, and not now.
      const kept = trashed_at === null ? null : (card.trashed_at ?? trashed_at)
      const touched = kept === null && isOther(before.get(card.ordinal), faces)
      await cardWriter.save(session, card, { trashed_at: kept, deck: fact.deck }, touched)
    }
    const known = new Set(cards.map(({ ordinal }) => ordinal))
    const missing = fact.trashed_at === null ? [...after.values()].filter(({ ordinal }) => !known.has(ordinal)) : []
    if (missing.length > 0)
      await insertCards(session, fact, missing, cards[0]?.position ?? (await nextPosition(session)))
  }

  return {
    async insert(session, asked) {
      await refuseTakenExternalId(session, asked)
      const draft = withDerived(asked)
      const fact = await insertFact(session.db, session.workspace.id, draft)
      if (!fact) throw taken('A fact with this id exists already.', draft.id)
      await record(session, changeOf(fact, 1, fact.size_bytes))
      await putTags(session.db, session.workspace.id, fact.key, JSON.parse(fact.tags).map(tagKey))
      await putText(session.db, session.workspace.id, fact.key, textOf(fact))
      await putFound(session, [fact])
      await insertCards(session, fact, cardsOf(fact), await nextPosition(session))
      return fact
    },

    async save(session, old, members) {
      if (Object.entries(members).every(([name, value]) => Reflect.get(old, name) === value)) return old
      const { db, workspace } = session
      const next = withDerived({ ...old, ...members, revision: old.revision + 1, updated_at: now() })
      if (next.external_id !== old.external_id) await refuseTakenExternalId(session, next)
      const fact = await updateFact(db, workspace.id, next)
      await record(session, changeOf(fact, 0, fact.size_bytes - old.size_bytes))
      if (fact.tags !== old.tags) await putTags(db, workspace.id, fact.key, JSON.parse(fact.tags).map(tagKey))
      if (textOf(fact) !== textOf(old)) await putText(db, workspace.id, fact.key, textOf(fact))
      if (!isFoundAlike(fact, old)) await putFound(session, [fact])
      await follow(session, old, fact)
      return fact
    },
  }
}

/** Behind all cards of the workspace. */
async function nextPosition({ db, workspace }: Session): Promise<number> {
  const last = await lastPosition(db, workspace.id)
  return last === null ? 1 : Math.min(last + 1, MAX_POSITION)
}

function byOrdinal(cards: readonly CardFaces[]): Map<CardRow['ordinal'], CardFaces> {
  return new Map(cards.map((faces) => [faces.ordinal, faces]))
}

function isOther(before: CardFaces | undefined, after: CardFaces | undefined): boolean {
  return before?.prompt !== after?.prompt || before?.answer !== after?.answer
}

/** All texts of a fact as `q` looks through them, a line each: nothing that is asked for reaches from one to the next. */
export function textOf({ front, back, text, extra, hint, accepted }: UnsizedFact): string {
  const texts: (string | null)[] = [front, back, text, extra, hint, ...JSON.parse(accepted)]
  return texts.map((one) => titleKey(one ?? '')).join('\n')
}

/** With what follows from the rest of it. */
export function withDerived<Fact extends UnsizedFact>(fact: Fact) {
  const { front, back, text, extra, hint, accepted, tags, source_url, external_id } = fact
  const texts = [front, back, text, extra, hint, accepted, tags, source_url, external_id]
  const size_bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one ?? ''), 0)
  return { ...fact, duplicate_key: duplicateKey(fact), size_bytes }
}

async function refuseTakenExternalId({ db, workspace }: Session, fact: Pick<FactDraft, 'id' | 'external_id'>) {
  if (fact.external_id === null) return
  const holder = await factByExternalId(db, workspace.id, fact.external_id)
  if (holder !== null && holder.id !== fact.id) throw taken('A fact with this external_id exists already.', holder.id)
}

function taken(detail: string, id: string): Refusal {
  return new Refusal('conflict', detail, { existing_id: id })
}

function changeOf(fact: FactRow, resources: number, bytes: number): Change {
  return {
    type: 'fact',
    id: fact.id,
    op: fact.trashed_at === null ? 'upsert' : 'delete',
    revision: fact.revision,
    at: fact.updated_at,
    resources,
    bytes,
  }
}
