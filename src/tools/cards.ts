import { Type } from '@sinclair/typebox'
import { canMakeDeck, type ScopedFinder, showsFact, targetOf } from './find'
import { clip } from './fit'
import { eitherError, quoteTitle } from './notes'
import type { UndoStep } from './schema'
import { closedObject } from './schema'
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
  allowsKind,
  type CreateTool,
  choiceSchema,
  isNarrow,
  limitSchema,
  notInScope,
  type ReadOutcome,
  type ReadTool,
  requireKind,
  type ToolContext,
  textSchema,
  undoCreation,
} from './tool'

const TYPES = ['basic', 'reversed', 'typed', 'cloze'] as const
/** Code points of each side of a draft that are shown. */
const MAX_SIDE_CHARS = 500

/** Drafts cards from a note of the scope or from a text. For a note, the lines that the drafts begin in are cited. */
async function collectDrafts(
  { flashcards, find }: { flashcards: Pick<ToolServices['flashcards'], 'draft'>; find: Pick<ScopedFinder, 'note'> },
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
export const MAX_QUEUED = 200

const dueInput = closedObject({ deck: Type.Optional(textSchema(200)), limit: limitSchema(MAX_ITEMS) })

interface ShownCard {
  readonly card: DueCard
  readonly fact: ToolFact
}

/** Collects up to `limit` cards of a queue that the scope shows, with their facts. */
export async function collectShown(
  { getFact }: ToolServices['flashcards'],
  { session, scope }: ToolContext,
  items: readonly { readonly card: DueCard }[],
  limit: number,
): Promise<ShownCard[]> {
  const found: ShownCard[] = []
  for (const { card } of items) {
    if (found.length === limit) break
    const { resource: fact } = await getFact(session, card.fact_id)
    if (showsFact(scope, fact, card.id)) found.push({ card, fact })
  }
  return found
}

export function listDueCardsTool({ flashcards }: ToolServices, find: ScopedFinder): ReadTool<typeof dueInput> {
  return {
    name: 'list_due_cards',
    title: 'List due flashcards',
    description: 'The cards to study now, of one deck (name or id) or of all, and their number.',
    risk: 'read',
    returnsText: 'texts',
    input: dueInput,
    async run({ deck: name, limit = DEFAULT_ITEMS }, context) {
      const { session, scope } = context
      if (!allowsKind(scope, 'fact')) return { result: { items: [], counts: countShown([]) }, sources: [] }
      const deck = name === undefined ? null : await find.findDeckByName(context, name)
      if (name !== undefined && deck === null) throw notInScope('deck')
      const queue = await flashcards.queue(session, { limit: String(MAX_QUEUED), ...(deck && { deck_id: deck.id }) })
      // Counts of all cards would reveal those that the scope hides.
      const most = isNarrow(scope) ? MAX_QUEUED : limit
      const all = await collectShown(flashcards, context, queue.items, most)
      const items = all.slice(0, limit)
      const decks = isNarrow(scope) ? new Map() : await readDeckNames(items, flashcards, session)
      return {
        result: {
          items: items.map(({ card }) => toStudyItem(card, decks.get(card.deck_id) ?? null)),
          counts: isNarrow(scope) ? countShown(all) : queue.counts,
        },
        sources: items.map(({ fact }) => citeWhole.fact(fact)),
      }
    },
  }
}

export async function readDeckNames(
  items: readonly { readonly card: DueCard }[],
  { getDeck }: ToolServices['flashcards'],
  session: ToolContext['session'],
): Promise<Map<string, string>> {
  const ids = [...new Set(items.map(({ card }) => card.deck_id))]
  return new Map(await Promise.all(ids.map(async (id) => [id, (await getDeck(session, id)).resource.name] as const)))
}

/** Shows a card, with at most so many code points of each side. */
export const toStudyItem = ({ id, prompt, answer, due_at }: DueCard, deck: string | null, length?: number) => ({
  id,
  front: clip(prompt, length),
  back: clip(answer, length),
  deck,
  due_at,
})

export function countShown(cards: readonly { readonly card: DueCard }[]): ToolCardCounts {
  const count = (...states: DueCard['state'][]) => cards.filter(({ card }) => states.includes(card.state)).length
  return { new: count('new'), learning: count('learning', 'relearning'), review: count('review') }
}

const suggestInput = closedObject({
  id: Type.Optional(Type.String({ maxLength: 36, description: 'Of a note' })),
  text: Type.Optional(textSchema(16_384)),
  limit: limitSchema(MAX_ITEMS),
})

export function suggestCardsTool({ flashcards }: ToolServices, find: ScopedFinder): ReadTool<typeof suggestInput> {
  return {
    name: 'suggest_cards',
    title: 'Suggest flashcards',
    description:
      'Drafts cards from a note or text: Q: and A:, term :: meaning, ==marks==, headings that ask. Stores nothing: pass them to create_cards.',
    risk: 'read',
    returnsText: 'texts',
    input: suggestInput,
    run: ({ limit = DEFAULT_ITEMS, ...from }, context) => collectDrafts({ flashcards, find }, context, from, limit),
  }
}

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

export function createCardsTool({ flashcards }: ToolServices, find: ScopedFinder): CreateTool<typeof createInput> {
  async function findOrCreateDeck(
    context: ToolContext,
    name: string,
  ): Promise<{ deck: ToolDeck; made: UndoStep | null }> {
    const found = await find.findDeckByName(context, name)
    if (found) return { deck: found, made: null }
    if (!canMakeDeck(context.scope)) throw notInScope('deck')
    const { resource: deck, etag } = await flashcards.createDeck(context.session, { name })
    return { deck, made: undoCreation({ type: 'deck', id: deck.id }, etag) }
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
        undos.push(undoCreation({ type: 'fact', id: fact.resource.id }, fact.etag))
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
