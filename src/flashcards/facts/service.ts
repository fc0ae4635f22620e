import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, errorBody, type Fault, invalid } from '../../http/api-error'
import { type Precondition, requireRevision, type Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { refuseTrashed } from '../../http/resource'
import { loadDeck, requireLivingDeck } from '../deck-tree'
import { duplicateKey, type FactMembers, factColumns, factMembers, patchFact, readFact, toFact } from '../fact'
import type { FactsWriter } from '../fact-bulk-writer'
import type { BatchFacts, BatchFactsOutcome, CreateFact, Fact, OnDuplicate, UpdateFact } from '../fact-schema'
import { type FactRow, findFactByDuplicateKey, getFact, getFactsByKeys, listFactsOfNote } from '../fact-store'
import type { FactWriter } from '../fact-writer'
import { readPage, readStudyFilter, toStudyPage } from '../filter/filter'
import type { ListStudy } from '../filter/schema'
import { listFacts } from '../filter/store'
import { readStudy } from '../study'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly factWriter: FactWriter
  readonly factsWriter: FactsWriter
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** What a request for a new fact came to. */
interface AddedFact {
  /** 201 for a new one, 200 for one that was there. */
  readonly status: 200 | 201
  readonly fact: Tagged<Fact>
  /** The id of the fact that was there before. */
  readonly duplicateOf: string | null
}

export type Facts = ReturnType<typeof createFacts>

/** What callers may do with facts. Every write is one transaction. */
export function createFacts({ now, ids, factWriter, factsWriter, missingNotes }: Deps) {
  /** Runs `work` on the fact as it is, in a transaction. Throws not_found, precondition_failed. */
  function within<T>(
    session: Session,
    id: string,
    precondition: Precondition,
    work: (fact: FactRow, within: Session) => Promise<T>,
  ): Promise<T> {
    return session.db.transaction(async (db) => {
      const fact = await requireFact({ ...session, db }, id)
      requireRevision(precondition, toFact(fact).resource)
      return work(fact, { ...session, db })
    })
  }

  async function requireNotes(session: Session, { note_ids }: FactMembers, old?: FactRow): Promise<void> {
    if (note_ids.length === 0 || JSON.stringify(note_ids) === old?.note_ids) return
    const [missing] = await missingNotes(session, note_ids)
    if (missing !== undefined)
      throw invalid(`/note_ids/${note_ids.indexOf(missing)}`, 'unknown_note', 'note_ids must be ids of notes')
  }

  /** Stores the fact with these members. */
  async function save(session: Session, old: FactRow, members: FactMembers, deck = old.deck): Promise<FactRow> {
    await requireNotes(session, members, old)
    return factWriter.save(session, old, { ...factColumns(members), deck })
  }

  async function insert(session: Session, id: string, members: FactMembers, deck: number): Promise<FactRow> {
    await requireNotes(session, members)
    const at = now()
    const stamps = { id, revision: 1, created_at: at, updated_at: at, deleted_at: null, trashed_with: null }
    return factWriter.insert(session, { ...stamps, ...factColumns(members), deck })
  }

  return {
    /**
     * Makes a fact with its cards, or does what `on_duplicate` says with the first one like it that is not in the trash.
     * @throws ApiError conflict if the id or the source is taken, duplicate_fact, invalid_request
     */
    add(session: Session, input: CreateFact, onDuplicate: OnDuplicate = 'create'): Promise<AddedFact> {
      const { id = ids(), deck_id, ...content } = input
      const members = readFact(content)
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const deck = await requireLivingDeck(within, deck_id, '/deck_id')
        const twin = await findFactByDuplicateKey(db, session.workspace.id, duplicateKey(members))
        const duplicateOf = twin?.id ?? null
        if (!twin || onDuplicate === 'create')
          return { status: 201, fact: toFact(await insert(within, id, members, deck.key)), duplicateOf }
        if (onDuplicate === 'error')
          throw new ApiError('duplicate_fact', 'There is such a fact already.', { duplicate_of: twin.id })
        if (onDuplicate === 'skip') return { status: 200, fact: toFact(twin), duplicateOf }
        const updated = await save(within, twin, patchFact(factMembers(twin), content))
        return { status: 200, fact: toFact(updated), duplicateOf }
      })
    },

    /** Also from the trash; `deleted_at` tells. Throws not_found. */
    get: async (session: Session, id: string): Promise<Tagged<Fact>> => toFact(await requireFact(session, id)),

    /** One page of facts by id. Throws invalid_cursor, invalid_request, not_found for a deck. */
    async list(session: Session, query: ListStudy): Promise<Page<Fact>> {
      const page = readPage('facts', query)
      const filter = await readStudyFilter(session, query, await readStudy(session, now()))
      const rows = await listFacts(session.db, session.workspace.id, { ...page, filter, limit: page.limit + 1 })
      const items = rows.map((row) => ({ resource: toFact(row).resource, bytes: row.size_bytes }))
      return toStudyPage(items, page)
    },

    /** Applies a merge patch; cards follow. Throws conflict while it is in the trash, and what checks a fact. */
    update(session: Session, id: string, patch: UpdateFact, precondition: Precondition = null): Promise<Tagged<Fact>> {
      return within(session, id, precondition, async (old, within) => {
        if (old.deleted_at !== null) throw new ApiError('conflict', 'The fact is in the trash. Restore it first.')
        const { deck_id, ...content } = patch
        const deck =
          deck_id === undefined || deck_id === old.deck_id ? null : await requireLivingDeck(within, deck_id, '/deck_id')
        return toFact(await save(within, old, patchFact(factMembers(old), content), deck?.key))
      })
    },

    /** Moves the fact with its cards to the trash. */
    trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return within(session, id, precondition, async (fact, within) => {
        if (fact.deleted_at === null) await factWriter.save(within, fact, { deleted_at: now() })
      })
    },

    /** Brings the fact back with the cards that it has, schedules intact. Throws conflict if its deck is in the trash. */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Fact>> {
      return within(session, id, precondition, async (fact, within) => {
        if (fact.deleted_at === null) return toFact(fact)
        refuseTrashed(await loadDeck(within, fact.deck_id), 'deck')
        return toFact(await factWriter.save(within, fact, { deleted_at: null, trashed_with: null }))
      })
    },

    /** Erases the fact with its cards and their reviews for good, from the trash or not. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return within(session, id, precondition, (fact, within) => factsWriter.erase(within, [fact]))
    },

    /** Takes a note that is erased for good off the facts that belong to it. `session.db` must be a transaction. */
    async forgetNote(session: Session, note: string): Promise<void> {
      const { db, workspace } = session
      for (const fact of await getFactsByKeys(db, workspace.id, await listFactsOfNote(db, workspace.id, note)))
        await factWriter.save(session, fact, {
          note_ids: JSON.stringify(JSON.parse(fact.note_ids).filter((id: string) => id !== note)),
        })
    },
  }
}

/** The fact, living or in the trash. Throws not_found. */
async function requireFact({ db, workspace }: Session, id: string): Promise<FactRow> {
  const fact = await getFact(db, workspace.id, id)
  if (!fact) throw new ApiError('not_found', 'There is no fact with this id.')
  return fact
}

interface BatchDeps {
  readonly facts: Pick<Facts, 'add'>
}

type Outcome = BatchFactsOutcome['items'][number]

export type FactBatches = ReturnType<typeof createFactBatches>

/** Many new facts in one request. */
export function createFactBatches({ facts }: BatchDeps) {
  async function add(session: Session, index: number, item: CreateFact, onDuplicate?: OnDuplicate): Promise<Outcome> {
    const { status, fact, duplicateOf } = await facts.add(session, item, onDuplicate)
    return { index, status, id: fact.resource.id, duplicate_of: duplicateOf, error: null }
  }

  return {
    /**
     * Adds the facts in order, in one transaction. Atomic: throws the first refusal, with `failed_index`, and nothing is
     * changed. Else each is a savepoint, and a refusal is its outcome.
     * @param requestId ties a problem to the log
     */
    run(session: Session, { atomic = false, on_duplicate, items }: BatchFacts, requestId: string): Promise<Outcome[]> {
      return session.db.transaction(async (db) => {
        const outcomes: Outcome[] = []
        for (const [index, item] of items.entries()) {
          try {
            outcomes.push(await add({ ...session, db }, index, item, on_duplicate))
          } catch (error) {
            if (!(error instanceof ApiError)) throw error
            const refusal = pointedAt(error, index)
            if (atomic) throw new ApiError(refusal.code, refusal.detail, { ...refusal.extra, failed_index: index })
            outcomes.push(refused(refusal, index, item, requestId))
          }
        }
        return outcomes
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

/** The refusal with its pointers leading into the item. */
function pointedAt(refusal: ApiError, index: number): ApiError {
  const { errors, ...extra } = refusal.extra
  if (!Array.isArray(errors)) return refusal
  const moved = (errors as Fault[]).map((fault) => ({ ...fault, pointer: `/items/${index}${fault.pointer}` }))
  return new ApiError(refusal.code, refusal.detail, { ...extra, errors: moved }, refusal.headers)
}
