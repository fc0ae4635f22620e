/** A card for the playground: made, shown, rated, until nothing more is to be learned. */

import { Refused } from './answers.js'
import { button, element, say } from './dom.js'
import { lengthInWords } from './in-words.js'

/**
 * @typedef {import('./answers.js').Ask} Ask
 * @typedef {import('./answers.js').Begin} Begin
 * @typedef {import('./answers.js').Shown} Shown
 * @typedef {import('./answers.js').Work} Work
 * @typedef {import('./api.js').ApiRequest} ApiRequest
 * @typedef {{ interval_seconds: number | null, scheduled_days: number }} Interval
 */

/** The ratings by their names in the API, in the order of their numbers from 1. */
const RATINGS = /** @type {const} */ (['again', 'hard', 'good', 'easy'])

const inDays = new Intl.NumberFormat('en', { style: 'unit', unit: 'day', unitDisplay: 'long' })

/**
 * After how long a card comes back.
 * @param {Interval} interval
 * @returns {string} such as "10 minutes" or "6 days"
 */
export function intervalInWords({ interval_seconds, scheduled_days }) {
  return interval_seconds === null ? inDays.format(scheduled_days) : lengthInWords(interval_seconds)
}

/**
 * @param {ApiRequest} makeDeck
 * @param {(deck: string) => ApiRequest} makeCard
 * @param {{ id: string | null }} deck of the playground; its id is filled in once it is known
 * @param {Begin} begin
 * @returns {Work}
 */
export function learning(makeDeck, makeCard, deck, begin) {
  return async (ask) => {
    const id = deck.id ?? (await deckOf(makeDeck, ask))
    deck.id = null // unless the card finds it, which it does not in a scratch space that was erased
    await ask(makeCard(id))
    deck.id = id
    return nextCard('The card is stored.', id, ask, begin)
  }
}

/**
 * The deck, also when it was there before.
 * @param {ApiRequest} makeDeck
 * @param {Ask} ask
 * @returns {Promise<string>}
 */
async function deckOf(makeDeck, ask) {
  try {
    return (await ask(makeDeck)).id
  } catch (error) {
    const body = error instanceof Refused ? error.answer?.body : null
    if (typeof body === 'object' && body !== null && 'existing_id' in body) return String(body.existing_id)
    throw error
  }
}

/**
 * @param {string} words what has been done
 * @param {string} deck
 * @param {Ask} ask
 * @param {Begin} begin
 * @returns {Promise<Shown>}
 */
async function nextCard(words, deck, ask, begin) {
  const path = `api/flashcards/queue?deck_id=${deck}&limit=1&preview=true`
  const { items } = await ask({ method: 'GET', path })
  const [item] = items
  // what is learned again within minutes is in the queue before it is due
  if (!item || Date.parse(item.card.due_at) > Date.now()) return { words: `${words} Nothing more to learn now.` }
  return { words, parts: [shownCard(item, deck, begin)] }
}

/**
 * @param {{ card: { id: string, prompt: string, answer: string }, preview: Record<string, Interval> }} item
 * @param {string} deck
 * @param {Begin} begin
 */
function shownCard({ card, preview }, deck, begin) {
  const shown = element('div', { class: 'shown' }, element('p', { class: 'face' }, card.prompt))
  const turn = button('Show the answer', () => {
    turn.remove()
    const cost = element(
      'p',
      { class: 'fine' },
      'How well did you know it? A rating costs 2 requests: one tells it, one asks for the next card.',
    )
    shown.append(
      element('hr'),
      element('p', { class: 'face' }, card.answer),
      cost,
      element('div', { class: 'ratings' }, ...ratings),
    )
    ratings[2]?.focus()
    say(card.answer)
  })
  const ratings = RATINGS.map((name, place) => {
    const interval = preview[name]
    const words = interval ? intervalInWords(interval) : ''
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    const made = button(title, () =>
      begin(async (ask) => {
        await ask({ method: 'POST', path: `api/flashcards/cards/${card.id}/reviews`, body: { rating: place + 1 } })
        return nextCard(`${title}: the card comes back in ${words}.`, deck, ask, begin)
      }),
    )
    made.append(' ', element('span', { class: 'quiet' }, words))
    return made
  })
  shown.append(turn)
  return shown
}
