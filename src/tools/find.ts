import { Type } from '@sinclair/typebox'
import { ApiError } from '../http/api-error'
import type { Tagged } from '../http/responses'
import { yieldTurn } from '../lib/steps'
import { titleKey } from '../lib/text'
import { clip, writeMembers } from './fit'
import type { ActionTarget } from './schema'
import type { ToolDeck, ToolFact, ToolFound, ToolNote, ToolNoteSummary, ToolServices, ToolTask } from './services'
import { factText } from './source'
import { allowsKind, isNarrow, notInScope, requireKind, showsResource, type ToolContext } from './tool'

/** Items of a list that are read at most. */
const MAX_LOOKED_AT = 2000
/** Items of a page, at most. */
const PAGE = 200

/** Finds resources within a scope. Those that are hidden or in the trash throw not_found. */
export type ScopedFinder = ReturnType<typeof createFinder>

export function createFinder({ notes, tasks, flashcards }: ToolServices) {
  function by<Resource extends { readonly deleted_at: string | null }>(
    kind: Kind,
    get: (session: ToolContext['session'], id: string) => Promise<Tagged<Resource>>,
    shows: (scope: Scope, resource: Resource) => boolean,
  ) {
    return async ({ session, scope }: ToolContext, id: string): Promise<Tagged<Resource>> => {
      requireKind(scope, kind)
      const tagged = await get(session, id)
      if (tagged.resource.deleted_at !== null || !shows(scope, tagged.resource)) throw notInScope(kind)
      return tagged
    }
  }

  const findNote = by('note', notes.get, showsNote)
  return {
    note: findNote,
    findTask: by('task', tasks.get, showsTask),

    /** Finds the note of this title, as titles are compared. Throws conflict if there are several. */
    async findNoteByTitle(context: ToolContext, title: string): Promise<Tagged<ToolNote>> {
      requireKind(context.scope, 'note')
      const named = await collectItems({
        page: (paging) => notes.list(context.session, { title, archived: 'any', ...paging }),
        keep: (note) => showsNote(context.scope, note),
      })
      if (named.length > 1) throw severalFound('notes', named)
      if (!named[0]) throw notInScope('note')
      return findNote(context, named[0].id)
    },

    /** Finds the deck of this id or name; null if there is none. Throws conflict if several have the name. */
    async findDeckByName(context: ToolContext, name: string): Promise<ToolDeck | null> {
      if (!allowsKind(context.scope, 'deck')) return null
      const shown = await collectItems({
        page: (paging) => flashcards.listDecks(context.session, paging),
        keep: (one) => (one.id === name || titleKey(one.name) === titleKey(name)) && showsDeck(context.scope, one),
      })
      if (shown.length > 1)
        throw severalFound(
          'decks',
          shown.map((one) => ({ id: one.id, title: one.name })),
        )
      return shown[0] ?? null
    },
  }
}

interface Listing<Item> {
  readonly page: (paging: { limit: string; cursor?: string }) => Promise<{
    readonly items: readonly Item[]
    readonly next_cursor: string | null
  }>
  readonly keep: (item: Item) => boolean
  readonly limit?: number
}

/** Creates the schema of the number of items that were collected: there may be more than were looked at. */
export const collectedSchema = () => Type.Integer({ description: `up to ${MAX_LOOKED_AT}` })

/** Collects the items of a list that `keep` accepts, page by page; only the first MAX_LOOKED_AT are read. */
export async function collectItems<Item>({ page, keep, limit: most = MAX_LOOKED_AT }: Listing<Item>): Promise<Item[]> {
  const kept: Item[] = []
  let looked = 0
  for (let cursor: string | null | undefined; cursor !== null && looked < MAX_LOOKED_AT && kept.length < most; ) {
    // Without a scope, the first page is enough. Others get a turn between two pages.
    const paging = cursor === undefined ? { limit: String(Math.min(PAGE, most)) } : { limit: String(PAGE), cursor }
    if (cursor !== undefined) await yieldTurn()
    const { items, next_cursor } = await page(paging)
    kept.push(...items.filter(keep))
    looked += items.length
    cursor = next_cursor
  }
  return kept.slice(0, most)
}

type Kind = ActionTarget['type']
type Scope = ToolContext['scope']

/** A resource of any kind, in the trash or not. */
export interface LoadedResource {
  readonly target: ActionTarget
  readonly resource: object
  readonly etag: string
  readonly isTrashed: boolean
  readonly text: string
}

/** Does what tools do with resources of all kinds alike. */
export function createResources({ notes, tasks, flashcards }: ToolServices) {
  type Read = (context: ToolContext, id: string) => Promise<LoadedResource | null>

  /** @param text shown of it before it goes to the trash */
  function reader<Resource extends { readonly deleted_at: string | null }>(
    get: (session: ToolContext['session'], id: string) => Promise<Tagged<Resource>>,
    shows: (scope: Scope, resource: Resource) => boolean,
    toTarget: (resource: Resource) => ActionTarget,
    toText: (resource: Resource) => string,
  ): Read {
    return async ({ session, scope }, id) => {
      const { resource, etag } = await get(session, id)
      if (!shows(scope, resource)) return null
      const isTrashed = resource.deleted_at !== null
      return { target: toTarget(resource), resource, etag, isTrashed, text: toText(resource) }
    }
  }

  const readers: Readonly<Record<Kind, Read>> = {
    note: reader(notes.get, showsNote, targetOf.note, ({ body }) => body),
    task: reader(tasks.get, showsTask, targetOf.task, ({ title, notes: text }) => writeMembers({ title, notes: text })),
    fact: reader(flashcards.getFact, showsFact, targetOf.fact, ({ front, back, text }) =>
      writeMembers({ front, back, text }),
    ),
    deck: reader(flashcards.getDeck, showsDeck, targetOf.deck, ({ name }) => clip(name)),
  }

  return {
    /** Returns null for what the scope hides. Throws not_found. */
    read: (context: ToolContext, kind: Kind, id: string) => readers[kind](context, id),

    /** Throws not_found, also for what the scope hides. */
    async load(context: ToolContext, kind: Kind, id: string): Promise<LoadedResource> {
      const found = await readers[kind](context, id)
      if (!found) throw notInScope(kind)
      return found
    },

    trash: {
      note: notes.trash,
      task: tasks.trash,
      fact: flashcards.trashFact,
      deck: flashcards.trashDeck,
    },
    restore: {
      note: notes.restore,
      task: tasks.restore,
      fact: flashcards.restoreFact,
      deck: flashcards.restoreDeck,
    },
  }
}

export const showsNote = (scope: Scope, note: Pick<ToolNoteSummary, 'id' | 'tags'>): boolean =>
  showsResource(scope, { kind: 'note', ids: [note.id], tags: note.tags })

export const showsTask = (scope: Scope, task: ToolTask): boolean =>
  showsResource(scope, { kind: 'task', ids: [task.id], tags: task.labels })

/** Whether a scope shows a fact. @param card the card that shows the fact, if one does */
export const showsFact = (scope: Scope, fact: ToolFact, card?: string): boolean =>
  showsResource(scope, { kind: 'fact', ids: card === undefined ? [fact.id] : [fact.id, card], tags: fact.tags })

export const showsFound = (scope: Scope, { type, id, tags }: ToolFound): boolean =>
  showsResource(scope, { kind: type, ids: [id], tags })

/** Whether a scope shows a deck. Decks have no tags, so a scope with tags shows none. */
export const showsDeck = (scope: Scope, deck: ToolDeck): boolean =>
  showsResource(scope, { kind: 'deck', ids: [deck.id], tags: [] })

/** Whether a missing deck may be created: in a narrow scope, a conflict of names would reveal a hidden deck. */
export const canMakeDeck = (scope: Scope): boolean => allowsKind(scope, 'deck') && !isNarrow(scope)

/** Quotes a text as a phrase of the query language. */
export const toSearchPhrase = (text: string): string => `"${text.replaceAll('"', ' ')}"`

export const targetOf = {
  note: ({ id, title, revision }: ToolNoteSummary): ActionTarget => ({ type: 'note', id, title, revision }),
  task: ({ id, title, revision }: ToolTask): ActionTarget => ({ type: 'task', id, title, revision }),
  fact: (fact: ToolFact): ActionTarget => ({
    type: 'fact',
    id: fact.id,
    title: clip(factText(fact)),
    revision: fact.revision,
  }),
  deck: ({ id, name, revision }: ToolDeck): ActionTarget => ({ type: 'deck', id, title: name, revision }),
}

function severalFound(what: string, found: readonly { readonly id: string; readonly title: string }[]): ApiError {
  const names = found.slice(0, 5).map(({ id, title }) => `${id} (${clip(title, 40)})`)
  return new ApiError('conflict', `Several ${what} have this name. Use one of these ids: ${names.join(', ')}.`)
}
