import { Elysia, t } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ApiError, errorBody, invalid, refuses } from '../http/api-error'
import { runEach } from '../http/batch'
import type { Page } from '../http/cursor'
import { createResourceReader, newStamps, refuseTrashed } from '../http/resource'
import { changed, created, ifMatch, type Precondition, type Tagged } from '../http/responses'
import { Id, NoContent, nameSchemas, Problem, Source, SourceInput } from '../http/schema'
import { showCards } from './cards/card'
import { CreatedFact } from './cards/card-schema'
import { listCardsOfFact } from './cards/card-store'
import type { StudyContext } from './context'
import { loadDeck, requireUntrashedDeck } from './decks/deck'
import { readStudy } from './decks/study'
import { duplicateKey, type FactMembers, patchFact, readFact, toFact, toFactColumns, toFactMembers } from './facts/fact'
import {
  BatchFacts,
  BatchFactsOutcome,
  CreateFact,
  CreateFactQuery,
  DeleteFact,
  Fact,
  FactPage,
  type OnDuplicate,
  UpdateFact,
} from './facts/fact-schema'
import { type FactRow, findFactByDuplicateKey, getFact, getFactsByKeys, listFactsOfNote } from './facts/fact-store'
import { loadNoteTypes } from './facts/note-type-store'
import { ListStudy, readPage, readStudyFilter, toStudyPage } from './filter/filter'
import type { FindFacts } from './filter/query'
import { listFacts } from './filter/store'

interface Deps extends StudyContext {
  readonly findFacts: FindFacts
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
export function createFacts({ now, ids, factWriter, factsWriter, missingNotes, findFacts }: Deps) {
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
      const twin = await findFactByDuplicateKey(tx, duplicateKey(members))
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

    create(session: Session, input: CreateFact, onDuplicate?: OnDuplicate) {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const { status, fact } = await add(tx, input, onDuplicate)
        const row = await getFact(tx, fact.resource.id)
        const rows = row ? await listCardsOfFact(tx, row.key) : []
        const living = rows.filter(({ deleted_at }) => deleted_at === null)
        const shown = await showCards(tx, await readStudy(tx, now()), living)
        const resource: CreatedFact = { ...fact.resource, cards: shown.map((card) => card.resource) }
        return { status, fact: { ...fact, resource } }
      })
    },

    /**
     * Adds facts in order; see runEach.
     * @param requestId the id of the request, for problems and the server's log
     */
    addEach(session: Session, { atomic = false, on_duplicate, items }: BatchFacts, requestId: string) {
      return runEach<CreateFact, Outcome>(session, items, {
        atomic,
        pointer: (index) => `/items/${index}`,
        async run(inside, item, index) {
          const { status, fact, duplicateOf } = await add(inside, item, on_duplicate)
          return { index, status, id: fact.resource.id, duplicate_of: duplicateOf, error: null }
        },
        refused: (error, item, index) => refused(error, index, item, requestId),
      })
    },

    get: factReader.get,

    /** By id. Throws invalid_cursor, invalid_request, not_found for a deck. */
    async list(session: Session, query: ListStudy): Promise<Page<Fact>> {
      const page = readPage('facts', query)
      const filter = await readStudyFilter(session, query, await readStudy(session, now()), findFacts)
      const rows = await listFacts(session, { ...page, filter, limit: page.limit + 1 })
      const items = rows.map((row) => ({ resource: toFact(row).resource, bytes: row.size_bytes }))
      return toStudyPage(items, page)
    },

    /** Throws conflict if the fact is in the trash, invalid_request. */
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

    /** Whether it is in the trash or not. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return factReader.withRow(session, id, precondition, (tx, fact) => factsWriter.erase(tx, [fact]))
    },

    /** Removes an erased note from the facts that belong to it. `session.db` must be a transaction. */
    async forgetNote(session: Session, note: string): Promise<void> {
      for (const fact of await getFactsByKeys(session, await listFactsOfNote(session, note)))
        await factWriter.save(session, fact, {
          note_ids: JSON.stringify(JSON.parse(fact.note_ids).filter((id: string) => id !== note)),
        })
    },
  }
}

const factReader = createResourceReader({ noun: 'fact', show: toFact, get: getFact })

type Outcome = BatchFactsOutcome['items'][number]

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

/** Returns the members of a stored fact after a merge patch; see patchFact and patchNote. Throws invalid_request. */
export async function patchStoredFact(
  session: Session,
  fact: FactRow,
  { deck_id: _, ...patch }: UpdateFact,
): Promise<FactMembers> {
  const old = toFactMembers(fact)
  if (fact.note_type === null) {
    const { fields, ...others } = patch
    if (fields != null) throw invalid('/fields', 'not_allowed', 'fields belongs to facts with a note type')
    return patchFact(old, others)
  }
  const noteType = (await loadNoteTypes(session, [fact])).get(fact.note_type)
  if (!noteType) throw new Error(`fact ${fact.id} has no note type`)
  // Only notes need the HTML libraries, so they are loaded on first use.
  const { patchNote } = await import('./facts/note')
  return patchFact(old, patchNote(noteType, old, patch))
}

const COLLECTION = '/api/flashcards/facts'
const One = t.Object({ id: Id })

nameSchemas({
  CreatedFact,
  Fact,
  FactPage,
  Source,
  SourceInput,
  CreateFact,
  UpdateFact,
  FactBatch: BatchFacts,
  FactBatchReport: BatchFactsOutcome,
})

export function factsRoutes({ facts, api }: { facts: Facts; api: RequestPlugin }) {
  return new Elysia({ prefix: COLLECTION, tags: ['Facts and cards'] })
    .use(api)
    .get('', ({ session, query }) => facts.list(session, query), {
      query: ListStudy,
      response: { 200: FactPage, 404: Problem },
      detail: {
        operationId: 'listFacts',
        ...refuses('invalid_cursor'),
        summary: 'List facts',
        description:
          'In the order of their ids; those of a filter, of which one card is as it says. The trash is listed alone.',
      },
    })
    .post(
      '',
      ({ once, body, query }) =>
        once(async (session) => {
          const { status, fact } = await facts.create(session, body, query.on_duplicate)
          return status === 201 ? created(COLLECTION, fact) : changed(fact)
        }),
      {
        idempotent: true,
        body: CreateFact,
        query: CreateFactQuery,
        response: { 200: CreatedFact, 201: CreatedFact },
        detail: {
          operationId: 'createFact',
          ...refuses('duplicate_fact'),
          summary: 'Create a fact',
          description: 'Also creates its cards, and returns them. 200 if `on_duplicate` led to an existing fact.',
        },
      },
    )
    .post(
      '/batch',
      ({ once, body, reply }) =>
        once(async (session) => {
          const items = await facts.addEach(session, body, reply.requestId)
          return { status: 200, headers: {}, body: { items } }
        }),
      {
        idempotent: true,
        body: BatchFacts,
        response: { 200: BatchFactsOutcome },
        detail: {
          operationId: 'createFacts',
          summary: 'Create many facts',
          description:
            'Up to 500 in order, as one request. Each answers for itself, unless `atomic`: then all, or the problem of the first that failed, with `failed_index`.',
        },
      },
    )
    .get('/:id', async ({ session, params, reply }) => reply.read(await facts.get(session, params.id)), {
      params: One,
      response: { 200: Fact, 304: NoContent },
      detail: {
        operationId: 'getFact',
        summary: 'Get a fact',
        description: 'Also from the trash: then `deleted_at` is set.',
      },
    })
    .patch(
      '/:id',
      async ({ session, request, params, body, reply }) =>
        reply.changed(await facts.update(session, params.id, body, ifMatch(request))),
      {
        params: One,
        body: UpdateFact,
        response: { 200: Fact },
        detail: {
          operationId: 'updateFact',
          ...refuses('conflict'),
          summary: 'Change a fact',
          description:
            'Schedules stay. A side or number that it has no more takes its card to the trash, and brings it back when it returns.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ session, request, params, query, reply }) => {
        await facts[query.permanent === 'true' ? 'erase' : 'trash'](session, params.id, ifMatch(request))
        reply.deleted()
      },
      {
        params: One,
        query: DeleteFact,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteFact',
          summary: 'Delete a fact',
          description:
            'Moves it with its cards to the trash for 30 days; `permanent=true` erases them at once, with their reviews.',
        },
      },
    )
    .post(
      '/:id/restore',
      ({ once, params, request }) =>
        once(async (session) => changed(await facts.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: One,
        response: { 200: Fact },
        detail: {
          operationId: 'restoreFact',
          summary: 'Restore a fact',
          description: 'Restores the fact and its cards from the trash.',
        },
      },
    )
}
