import { Type } from '@sinclair/typebox'
import { canMakeDeck, type ScopedFinder, showsFact, targetOf } from './find'
import { clip } from './fit'
import { eitherError, quoteTitle } from './notes'
import type { UndoStep } from './schema'
import { closedObject } from './schema'
import { allowsKind, isNarrow, notInScope, requireKind } from './scope'
import type {
  DueCard,
  ToolCardCounts,
  ToolCardDraft,
  ToolDeck,
  ToolFact,
  ToolFactContent,
  ToolNote,
  ToolServices,
} from './services'
import { citeBeginning, citeWhole } from './source'
import {
  type CreateTool,
  choiceSchema,
  limitSchema,
  type ReadOutcome,
  type ReadTool,
  resourcePath,
  type ToolContext,
  textSchema,
} from './tool'

/** Code points of each side of a draft that are shown. */
const MAX_SIDE_CHARS = 500

interface DraftDeps {
  readonly flashcards: Pick<ToolServices['flashcards'], 'draft'>
  readonly find: Pick<ScopedFinder, 'note'>
}

/** Drafts cards from a note of the scope or from a text. For a note, the lines that the drafts begin in are cited. */
async function collectDrafts(
  { flashcards, find }: DraftDeps,
  context: ToolContext,
  { id, text }: { id?: string; text?: string },
  limit: number,
): Promise<ReadOutcome> {
  if ((id === undefined) === (text === undefined)) throw eitherError('id', 'text')
  const note = id === undefined ? null : (await find.note(context, id)).resource
  const input = { text: note?.body ?? text ?? '', limit }
  const { drafts } = await flashcards.draft(context.session, input)
  return {
    result: { drafts: drafts.map(toShownDraft) },
    sources: note
      ? draftSources(
          note,
          drafts.map(({ line }) => line),
        )
      : [],
  }
}

function toShownDraft({ fact: { type, front, back, text }, pattern }: ToolCardDraft) {
  const side = (value: string | null | undefined) => (value ? clip(value, MAX_SIDE_CHARS) : null)
  return { type, front: side(front), back: side(back), text: side(text), pattern }
}

/** Returns the sources for lines of a body, counted from 1. As in drafting, LF, CRLF and CR end a line. */
function draftSources(note: ToolNote, lines: readonly number[]) {
  const bounds = [0, ...Array.from(note.body.matchAll(/\r\n|[\r\n]/g), ({ index, 0: end }) => index + end.length)]
  return lines.flatMap((line) => citeBeginning(note, bounds[line - 1] ?? 0, bounds[line] ?? note.body.length))
}

const [DEFAULT_ITEMS, MAX_ITEMS] = [10, 20]
/** Cards of the queue that are searched for those that a scope shows. */
const QUEUE_LIMIT = '200'

const dueInput = closedObject({ deck: Type.Optional(textSchema(200)), limit: limitSchema(MAX_ITEMS) })

/** Creates the tool that lists due cards. */
export function listDueCardsTool({ flashcards }: ToolServices, find: ScopedFinder): ReadTool<typeof dueInput> {
  /** Collects up to `limit` cards that the scope shows, with their facts. */
  async function collectShown({ session, scope }: ToolContext, cards: readonly DueCard[], limit: number) {
    const found: { card: DueCard; fact: ToolFact }[] = []
    for (const card of cards) {
      if (found.length === limit) break
      const { resource: fact } = await flashcards.getFact(session, card.fact_id)
      if (showsFact(scope, fact, card.id)) found.push({ card, fact })
    }
    return found
  }

  return {
    name: 'list_due_cards',
    title: 'List due flashcards',
    description: 'The cards to study now, of one deck (name or id) or of all, and their number.',
    risk: 'read',
    input: dueInput,
    async run({ deck: name, limit = DEFAULT_ITEMS }, context) {
      const { session, scope } = context
      if (!allowsKind(scope, 'fact')) return { result: { items: [], counts: countStates([]) }, sources: [] }
      const deck = name === undefined ? null : await find.findDeckByName(context, name)
      if (name !== undefined && deck === null) throw notInScope('deck')
      const queue = await flashcards.queue(session, { limit: QUEUE_LIMIT, ...(deck && { deck_id: deck.id }) })
      // Counts of all cards would reveal those that the scope hides.
      const most = isNarrow(scope) ? Number(QUEUE_LIMIT) : limit
      const all = await collectShown(
        context,
        queue.items.map(({ card }) => card),
        most,
      )
      const items = all.slice(0, limit)
      const decks = await readDeckNames(items, (id) => flashcards.getDeck(session, id))
      return {
        result: {
          items: items.map(({ card }) => toListItem(card, isNarrow(scope) ? null : (decks.get(card.deck_id) ?? null))),
          counts: isNarrow(scope) ? countStates(all.map(({ card }) => card)) : queue.counts,
        },
        sources: items.map(({ fact }) => citeWhole.fact(fact)),
      }
    },
  }
}

async function readDeckNames(
  items: readonly { card: DueCard }[],
  get: (id: string) => Promise<{ resource: ToolDeck }>,
): Promise<Map<string, string>> {
  const ids = [...new Set(items.map(({ card }) => card.deck_id))]
  return new Map(await Promise.all(ids.map(async (id) => [id, (await get(id)).resource.name] as const)))
}

const toListItem = ({ id, prompt, due_at }: DueCard, deck: string | null) => ({ id, front: clip(prompt), deck, due_at })

function countStates(cards: readonly DueCard[]): ToolCardCounts {
  const count = (...states: DueCard['state'][]) => cards.filter(({ state }) => states.includes(state)).length
  return { new: count('new'), learning: count('learning', 'relearning'), review: count('review') }
}

const suggestInput = closedObject({
  id: Type.Optional(Type.String({ maxLength: 36, description: 'Of a note' })),
  text: Type.Optional(textSchema(16_384)),
  limit: limitSchema(MAX_ITEMS),
})

/** Creates the tool that drafts cards. */
export function suggestCardsTool({ flashcards }: ToolServices, find: ScopedFinder): ReadTool<typeof suggestInput> {
  return {
    name: 'suggest_cards',
    title: 'Suggest flashcards',
    description:
      'Drafts cards from a note or text: Q: and A:, term :: meaning, ==marks==, headings that ask. Stores nothing: pass them to create_cards.',
    risk: 'read',
    input: suggestInput,
    run: ({ limit = DEFAULT_ITEMS, ...from }, context) => collectDrafts({ flashcards, find }, context, from, limit),
  }
}

const TYPES = ['basic', 'reversed', 'typed', 'cloze'] as const
const sideSchema = () => Type.Optional(textSchema(5000))
const cardSchema = closedObject({
  type: Type.Optional(choiceSchema(TYPES)),
  front: sideSchema(),
  back: sideSchema(),
  text: Type.Optional(textSchema(5000)),
})

const createInput = closedObject({
  deck: textSchema(200),
  cards: Type.Array(cardSchema, { minItems: 1, maxItems: MAX_ITEMS }),
})

/** Creates the tool that adds cards to a deck. */
export function createCardsTool({ flashcards }: ToolServices, find: ScopedFinder): CreateTool<typeof createInput> {
  async function findOrCreateDeck(
    context: ToolContext,
    name: string,
  ): Promise<{ deck: ToolDeck; made: UndoStep | null }> {
    const found = await find.findDeckByName(context, name)
    if (found) return { deck: found, made: null }
    if (!canMakeDeck(context.scope)) throw notInScope('deck')
    const { resource: deck, etag } = await flashcards.createDeck(context.session, { name })
    return { deck, made: createUndo('deck', deck.id, etag) }
  }

  return {
    name: 'create_cards',
    title: 'Create flashcards',
    description:
      'Adds cards to a deck (name or id; made if missing), with front and back, or for a cloze a text such as "{{c1::Lisbon}} lies on the Tagus". Skips existing cards.',
    risk: 'create',
    input: createInput,
    async run({ deck: name, cards }, context) {
      requireKind(context.scope, 'fact')
      const { deck, made } = await findOrCreateDeck(context, name)
      // Skipping a card would reveal that it exists, where the scope may hide it.
      const onDuplicate = isNarrow(context.scope) ? 'create' : 'skip'
      const added: ToolFact[] = []
      const undos: UndoStep[] = []
      for (const one of cards) {
        const input = { ...toFactContent(one), deck_id: deck.id }
        const { status, fact } = await flashcards.addFact(context.session, input, onDuplicate)
        if (status === 200) continue
        added.push(fact.resource)
        undos.push(createUndo('fact', fact.resource.id, fact.etag))
      }
      return {
        result: {
          deck: { id: deck.id, name: deck.name },
          items: added.map((fact) => ({ id: fact.id, title: targetOf.fact(fact).title })),
          skipped: cards.length - added.length,
        },
        target: targetOf.deck(deck),
        summary: `Added ${added.length} ${added.length === 1 ? 'card' : 'cards'} to the deck ${quoteTitle({ title: deck.name })}`,
        undo: made ? [made] : undos,
      }
    },
  }
}

/** Converts the input of a card. Without a type, a card with a text is a cloze. */
function toFactContent({ type, front, back, text }: (typeof cardSchema)['static']): ToolFactContent {
  return {
    type: type ?? (text === undefined ? 'basic' : 'cloze'),
    ...(front !== undefined && { front }),
    ...(back !== undefined && { back }),
    ...(text !== undefined && { text }),
  }
}

const createUndo = (type: 'fact' | 'deck', id: string, etag: string): UndoStep => {
  return { method: 'DELETE', path: resourcePath({ type, id }), body: null, if_match: etag }
}
