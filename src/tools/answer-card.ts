import { Type } from '@sinclair/typebox'
import { collectShown, countShown, MAX_QUEUED, readDeckNames, toStudyItem } from './cards'
import { type ScopedFinder, showsFact, targetOf } from './find'
import { previewChange, writeMembers } from './fit'
import { quoteTitle } from './notes'
import { closedObject, type UndoStep } from './schema'
import type { ToolServices } from './services'
import {
  type ChangeTool,
  choiceSchema,
  isNarrow,
  notInScope,
  requireKind,
  resourceIdSchema,
  type ToolContext,
  textSchema,
} from './tool'

/** The ratings in the order of their numbers, from 1. */
const RATINGS = ['again', 'hard', 'good', 'easy'] as const
const NUMBERS = [1, 2, 3, 4] as const
/** Code points of a side of the next card. */
const MAX_SIDE_CHARS = 1000

const input = closedObject({
  id: resourceIdSchema(),
  rating: Type.Unsafe<(typeof RATINGS)[number] | (typeof NUMBERS)[number]>({
    ...choiceSchema(RATINGS),
    type: undefined,
    enum: [...RATINGS, ...NUMBERS],
  }),
  deck: Type.Optional(textSchema(200)),
})

/** It also shows the next card, so that a session of study needs one call a card. */
export function answerCardTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof input> {
  const { flashcards } = services

  /** Finds a card with its fact; one in the trash is refused by the answer. Throws not_found if it is hidden. */
  async function findCard({ session, scope }: ToolContext, id: string) {
    requireKind(scope, 'fact')
    const { resource: card } = await flashcards.getCard(session, id)
    const { resource: fact } = await flashcards.getFact(session, card.fact_id)
    if (!showsFact(scope, fact, card.id)) throw notInScope('card')
    return { card, target: targetOf.fact(fact) }
  }

  /** Returns the id of the deck to go on with; undefined for all. Throws not_found, conflict. */
  async function findDeckId(context: ToolContext, name: string | undefined): Promise<string | undefined> {
    if (name === undefined) return undefined
    const deck = await find.findDeckByName(context, name)
    if (!deck) throw notInScope('deck')
    return deck.id
  }

  return {
    name: 'answer_card',
    title: 'Answer a flashcard',
    description:
      'Stores how well the user knew a card, and gives the next one, of a deck (name or id) or of all. Begin with list_due_cards.',
    risk: 'update',
    returnsText: 'texts',
    input,
    async plan({ id, rating, deck }, context) {
      const { card, target } = await findCard(context, id)
      await findDeckId(context, deck)
      return {
        target,
        summary: `Answer the flashcard ${quoteTitle(target)}: ${RATINGS[toNumber(rating) - 1]}`,
        confirm: false,
        preview: () => previewChange(writeMembers({ state: card.state, due_at: card.due_at }), 'rescheduled'),
      }
    },
    async run({ id, rating }, context) {
      const { target } = await findCard(context, id)
      const number = toNumber(rating)
      const { card, undo } = await giveAnswer(flashcards, context, id, { rating: number })
      return {
        result: { id, due_at: card.due_at },
        target,
        summary: `Answered the flashcard ${quoteTitle(target)}: ${RATINGS[number - 1]}`,
        undo: [undo],
      }
    },
    async follow({ deck }, context) {
      const { session, scope } = context
      const deckId = await findDeckId(context, deck)
      const narrow = isNarrow(scope)
      const limit = narrow ? MAX_QUEUED : 1
      const queue = await flashcards.queue(session, { limit: String(limit), ...(deckId && { deck_id: deckId }) })
      const all = await collectShown(flashcards, context, queue.items, limit)
      const decks = narrow ? new Map() : await readDeckNames(all, flashcards, session)
      const [next] = all
      const counts = narrow ? countShown(all) : queue.counts
      return {
        ...(next && { next: toStudyItem(next.card, decks.get(next.card.deck_id) ?? null, MAX_SIDE_CHARS) }),
        left: counts.new + counts.learning + counts.review,
      }
    },
  }
}

/** Stores an answer; `undo` takes it back. */
export async function giveAnswer(
  flashcards: ToolServices['flashcards'],
  { session }: ToolContext,
  id: string,
  input: Parameters<typeof flashcards.answer>[2],
) {
  const { review, card } = await flashcards.answer(session, id, input)
  const { etag } = await flashcards.getReview(session, review.id)
  const path = `/api/flashcards/reviews/${review.id}/undo`
  const undo: UndoStep = { method: 'POST', path, body: null, if_match: etag }
  return { card, undo }
}

function toNumber(rating: (typeof input)['static']['rating']): 1 | 2 | 3 | 4 {
  return NUMBERS.find((number) => rating === number || rating === RATINGS[number - 1]) ?? 1
}
