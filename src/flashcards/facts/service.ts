import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, errorBody, invalid } from '../../http/api-error'
import { runEach } from '../../http/batch'
import type { Precondition, Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { createResourceReader, newStamps, refuseTrashed } from '../../http/resource'
import { showCards } from '../card'
import type { CreatedFact } from '../card-schema'
import { listCardsOfFact } from '../card-store'
import { loadDeck, requireUntrashedDeck } from '../deck-tree'
import { duplicateKey, type FactMembers, readFact, toFact, toFactColumns } from '../fact'
import type { FactBulkWriter } from '../fact-bulk-writer'
import { patchStoredFact } from '../fact-patch'
import type { BatchFacts, BatchFactsOutcome, CreateFact, Fact, OnDuplicate, UpdateFact } from '../fact-schema'
import { type FactRow, findFactByDuplicateKey, getFact, getFactsByKeys, listFactsOfNote } from '../fact-store'
import type { FactWriter } from '../fact-writer'
import { readPage, readStudyFilter, toStudyPage } from '../filter/filter'
import type { ListStudy } from '../filter/schema'
import { listFacts } from '../filter/store'
import { readStudy } from '../study'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly factWriter: FactWriter
  readonly factsWriter: FactBulkWriter
  /** Returns the ids that are not ids of notes in the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

interface AddedFact {
  /** 201 for a new fact, 200 for an existing one. */
  readonly status: 200 | 201
  readonly fact: Tagged<Fact>
  /** The id of the fact that existed before. */
  readonly duplicateOf: string | null
}

export type Facts = ReturnType<typeof createFacts>

/** Every write is one transaction. */
export function createFacts({ now, ids, factWriter, factsWriter, missingNotes }: Deps) {
  async function requireNotes(session: Session, { note_ids }: FactMembers, old?: FactRow): Promise<void> {
    if (note_ids.length === 0 || JSON.stringify(note_ids) === old?.note_ids) return
    const [missing] = await missingNotes(session, note_ids)
    if (missing !== undefined)
      throw invalid(`/note_ids/${note_ids.indexOf(missing)}`, 'unknown_note', 'note_ids must be ids of notes')
  }

  async function save(session: Session, old: FactRow, members: FactMembers, deck = old.deck): Promise<FactRow> {
    await requireNotes(session, members, old)
    return factWriter.save(session, old, { ...toFactColumns(members), deck })
  }

  async function insert(session: Session, id: string, members: FactMembers, deck: number): Promise<FactRow> {
    await requireNotes(session, members)
    return factWriter.insert(session, { ...newStamps(id, now()), trashed_with: null, ...toFactColumns(members), deck })
  }

  /**
   * Creates a fact with its cards, or applies `on_duplicate` to the first duplicate that is not in the trash.
   * @throws ApiError conflict if the id or the source is taken, duplicate_fact, invalid_request
   */
  function add(session: Session, input: CreateFact, onDuplicate: OnDuplicate = 'create'): Promise<AddedFact> {
    const { id = ids(), deck_id, ...content } = input
    const members = readFact(content)
    return session.db.transaction(async (db) => {
      const tx = { ...session, db }
      const deck = await requireUntrashedDeck(tx, deck_id, '/deck_id')
      const twin = await findFactByDuplicateKey(db, session.workspace.id, duplicateKey(members))
      const duplicateOf = twin?.id ?? null
      if (!twin || onDuplicate === 'create')
        return { status: 201, fact: toFact(await insert(tx, id, members, deck.key)), duplicateOf }
      if (onDuplicate === 'error')
        throw new ApiError('duplicate_fact', 'There is such a fact already.', { duplicate_of: twin.id })
      if (onDuplicate === 'skip') return { status: 200, fact: toFact(twin), duplicateOf }
      const updated = await save(tx, twin, await patchStoredFact(tx, twin, content))
      return { status: 200, fact: toFact(updated), duplicateOf }
    })
  }

  return {
    add,

    /** Adds a fact; see `add`. Also returns its cards. */
    create(session: Session, input: CreateFact, onDuplicate?: OnDuplicate) {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const { status, fact } = await add(tx, input, onDuplicate)
        const row = await getFact(db, session.workspace.id, fact.resource.id)
        const rows = row ? await listCardsOfFact(db, session.workspace.id, row.key) : []
        const living = rows.filter(({ deleted_at }) => deleted_at === null)
        const shown = await showCards(tx, await readStudy(tx, now()), living)
        const resource: CreatedFact = { ...fact.resource, cards: shown.map((card) => card.resource) }
        return { status, fact: { ...fact, resource } }
      })
    },

    get: factReader.get,

    /** Returns one page of facts, by id. Throws invalid_cursor, invalid_request, not_found for a deck. */
    async list(session: Session, query: ListStudy): Promise<Page<Fact>> {
      const page = readPage('facts', query)
      const filter = await readStudyFilter(session, query, await readStudy(session, now()))
      const rows = await listFacts(session.db, session.workspace.id, { ...page, filter, limit: page.limit + 1 })
      const items = rows.map((row) => ({ resource: toFact(row).resource, bytes: row.size_bytes }))
      return toStudyPage(items, page)
    },

    /** Applies a merge patch and updates the cards. Throws conflict if the fact is in the trash, invalid_request. */
    update(session: Session, id: string, patch: UpdateFact, precondition: Precondition = null): Promise<Tagged<Fact>> {
      return factReader.withRow(session, id, precondition, async (tx, old) => {
        refuseTrashed(old, 'fact')
        const { deck_id } = patch
        const deck =
          deck_id === undefined || deck_id === old.deck_id ? null : await requireUntrashedDeck(tx, deck_id, '/deck_id')
        return toFact(await save(tx, old, await patchStoredFact(tx, old, patch), deck?.key))
      })
    },

    trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return factReader.withRow(session, id, precondition, async (tx, fact) => {
        if (fact.deleted_at === null) await factWriter.save(tx, fact, { deleted_at: now() })
      })
    },

    /** Restores the fact with its cards and their schedules. Throws conflict if its deck is in the trash. */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Fact>> {
      return factReader.withRow(session, id, precondition, async (tx, fact) => {
        if (fact.deleted_at === null) return toFact(fact)
        refuseTrashed(await loadDeck(tx, fact.deck_id), 'deck')
        return toFact(await factWriter.save(tx, fact, { deleted_at: null, trashed_with: null }))
      })
    },

    /** Erases the fact with its cards and their reviews, whether it is in the trash or not. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return factReader.withRow(session, id, precondition, (tx, fact) => factsWriter.erase(tx, [fact]))
    },

    /** Removes an erased note from the facts that belong to it. `session.db` must be a transaction. */
    async forgetNote(session: Session, note: string): Promise<void> {
      const { db, workspace } = session
      for (const fact of await getFactsByKeys(db, workspace.id, await listFactsOfNote(db, workspace.id, note)))
        await factWriter.save(session, fact, {
          note_ids: JSON.stringify(JSON.parse(fact.note_ids).filter((id: string) => id !== note)),
        })
    },
  }
}

const factReader = createResourceReader({ noun: 'fact', show: toFact, get: getFact })

interface BatchDeps {
  readonly facts: Pick<Facts, 'add'>
}

type Outcome = BatchFactsOutcome['items'][number]

export type FactBatches = ReturnType<typeof createFactBatches>

export function createFactBatches({ facts }: BatchDeps) {
  async function add(session: Session, index: number, item: CreateFact, onDuplicate?: OnDuplicate): Promise<Outcome> {
    const { status, fact, duplicateOf } = await facts.add(session, item, onDuplicate)
    return { index, status, id: fact.resource.id, duplicate_of: duplicateOf, error: null }
  }

  return {
    /**
     * Adds the facts in order; see runEach.
     * @param requestId the id of the request, for problems and the server's log
     */
    run(session: Session, { atomic = false, on_duplicate, items }: BatchFacts, requestId: string): Promise<Outcome[]> {
      return runEach<CreateFact, Outcome>(session, items, {
        atomic,
        pointer: (index) => `/items/${index}`,
        run: (inside, item, index) => add(inside, index, item, on_duplicate),
        refused: (error, item, index) => refused(error, index, item, requestId),
      })
    },
  }
}

function refused(refusal: ApiError, index: number, { id = null }: { id?: string | null }, requestId: string): Outcome {
  const { duplicate_of: twin } = refusal.extra
  return {
    index,
    status: refusal.status,
    id,
    duplicate_of: typeof twin === 'string' ? twin : null,
    error: errorBody(refusal, requestId),
  }
}
