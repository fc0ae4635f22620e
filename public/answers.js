/** What the playground sends, and its answers as what they are: a note as a note, a task with its day in words. */

import { reasonOf, UNKNOWN } from './api.js'
import { button, element, say } from './dom.js'
import { dayInWords, lengthInWords, momentInWords } from './in-words.js'

/**
 * @typedef {import('./api.js').ApiRequest} ApiRequest
 * @typedef {import('./api.js').Answer} Answer
 * @typedef {{ interval_seconds: number | null, scheduled_days: number }} Interval
 */

/** A sentence, or what the chat says, and what follows it. @typedef {{ words: string, parts?: Node[] }} Shown */
/** Sends a request and gives the body of its answer. @typedef {(request: ApiRequest) => Promise<any>} Ask */
/** Lets a button in an answer begin a try of its own. @typedef {(work: Work) => void} Begin */
/** A try: its requests, one after the other. @typedef {(ask: Ask, begin: Begin) => Promise<Shown>} Work */

/** Thrown by `Ask`: the server said no, or could not be reached. The message is what the person is told. */
export class Refused extends Error {
  /** @type {any} */
  body = null
  /** Whether the same may be answered otherwise later. */
  isForNow = true
  /** @param {Answer | { kind: 'unreachable' }} answer */
  constructor(answer) {
    if (answer.kind !== 'answer') super('The server cannot be reached. Nothing is known about the request.')
    else {
      super(answer.ok ? UNKNOWN : reasonOf(answer))
      this.body = answer.body
      this.isForNow = answer.status === 429 || answer.status >= 500
    }
  }
}

/**
 * @param {string} what `write`, `list` or `task`; any other: the chat
 * @param {ApiRequest} request
 * @returns {Work}
 */
export function tryOf(what, request) {
  return async (ask, begin) => {
    const body = await ask(request)
    if (what === 'list') return shownNotes(body.items)
    if (what === 'task') return { words: 'Your task is stored.', parts: shownTask(body) }
    if (what !== 'write') return shownChat(body, request, begin)
    const note = sheet(plain('h4', body.title), plain('p', body.body))
    return { words: 'Your note is stored. Now ask the chat about it.', parts: [note] }
  }
}

/**
 * @param {keyof HTMLElementTagNameMap} tag
 * @param {(Node | string)[]} children
 * @throws {TypeError} if one is neither: the server answered something else
 */
function plain(tag, ...children) {
  if (children.some((child) => typeof child !== 'string' && !(child instanceof Node))) throw new TypeError(UNKNOWN)
  return element(tag, {}, ...children)
}
/** @param {(Node | string)[]} children */
const sheet = (...children) => element('div', { class: 'shown' }, ...children)
/** @param {Node[]} items */
const listOf = (...items) => element('ul', { class: 'shown-list' }, ...items)
/** @param {string} text */
const quiet = (text) => element('span', { class: 'quiet' }, text)

/** @param {{ title: string, excerpt: string, updated_at: string }[]} notes */
function shownNotes(notes) {
  if (notes.length === 0) return { words: 'There are no notes yet. Write one first.' }
  const now = new Date()
  const items = notes.slice(0, 5).map(({ title, excerpt, updated_at }) => {
    const first = [plain('strong', title), quiet(momentInWords(new Date(updated_at), now))]
    return plain('li', element('p', { class: 'row spread' }, ...first), plain('p', excerpt))
  })
  const rest = notes.length - items.length
  if (rest > 0) items.push(plain('li', quiet(`and ${rest} more`)))
  const words = notes.length === 1 ? 'One note.' : `${notes.length} notes, the latest first.`
  return { words, parts: [listOf(...items)] }
}

/** @param {{ task: any, spans: any[], warnings: any[] }} answer */
function shownTask({ task, spans, warnings }) {
  const now = new Date()
  const { due, due_at: at } = task
  const day = due && (at ? momentInWords(new Date(at), now) : dayInWords(new Date(`${due.date}T12:00`), now))
  const repeat = spans.filter(({ kind }) => kind === 'recurrence').map(({ text }) => text)
  /** @type {[string, string][]} */
  const facts = [['Due', day ?? 'no date']]
  if (repeat.length > 0) facts.push(['Repeats', repeat.join(', ')])
  const pairs = facts.map(([name, value]) => plain('div', plain('dt', name), plain('dd', value)))
  const doubts = warnings.map(({ text, detail }) => plain('p', `“${text}” was left as it is: ${detail}.`))
  return [sheet(plain('h4', task.title), element('dl', { class: 'facts' }, ...pairs), ...doubts)]
}

/** @param {any} answer @param {ApiRequest} request @param {Begin} begin */
function shownChat({ message, citations, actions, undo }, request, begin) {
  const parts = []
  const sources = citations.map((/** @type {any} */ { n, title, quote }) =>
    plain('li', `[${n}] `, plain('cite', title), ...(quote === title ? [] : [plain('q', quote)])),
  )
  /** @param {string} content @param {string[]} [confirm] */
  const reply = (content, confirm) => () => {
    const body = { messages: [{ role: 'user', content }], ...(confirm && { confirm }) }
    begin(tryOf('chat', { ...request, body }))
  }
  const done = actions.map((/** @type {any} */ { status, summary, confirm, error }) => {
    if (!confirm)
      return plain('li', `${status === 'done' ? 'Done' : 'Not done'}: ${summary}${error ? ` (${error.detail})` : ''}`)
    const buttons = [button('Confirm', reply('yes', [confirm.token])), button('No', reply(`cancel ${confirm.code}`))]
    return element('li', { class: 'row spread' }, summary, element('span', { class: 'row' }, ...buttons))
  })
  if (sources.length + done.length > 0) parts.push(listOf(...sources, ...done))
  if (undo) {
    const work = undoing(undo)
    parts.push(button(undo.next.length > 0 ? 'Undo all' : 'Undo', () => begin(work)))
  }
  return { words: message.content, parts }
}

/** Goes on, when it is begun once more, where it was left. @param {any} undo @returns {Work} */
function undoing({ next, ...first }) {
  const steps = [first, ...next]
  return async (ask) => {
    for (; steps.length > 0; steps.shift()) {
      const { path, ...step } = steps[0]
      await ask({ ...step, path: path.slice(1), body: step.body ?? undefined })
    }
    return { words: 'Undone.' }
  }
}

/**
 * The limits as the headers of an answer tell them.
 * @param {readonly [name: string, value: string][]} headers
 * @returns {string} such as "17 of 20 requests left this hour; full again in 34 minutes."; empty if they do not
 */
export function limitsInWords(headers) {
  const values = new Map(headers)
  const [limit, left] = ['Limit', 'Remaining'].map((name) => values.get(`X-RateLimit-${name}`))
  if (!limit || !left) return ''
  const rest = /;t=(\d+)/.exec(values.get('RateLimit') ?? '')?.[1]
  const until = rest && left !== limit ? `; full again in ${lengthInWords(Number(rest))}` : ''
  return `${Number(left).toLocaleString('en')} of ${Number(limit).toLocaleString('en')} requests left this hour${until}.`
}

/** Requests and their answers as they went, but for headers. @param {{ request: ApiRequest, answer: Answer }[]} exchanges */
export function exchangesAsText(exchanges) {
  /** @param {unknown} body */
  const text = (body) => (typeof body === 'string' ? body : JSON.stringify(body, null, 2))
  return exchanges
    .flatMap(({ request: { method, path, body }, answer }) => [
      `${method} /${path}${body === undefined ? '' : `\n${text(body)}`}`,
      `${answer.title}${answer.body === null ? '' : `\n${text(answer.body)}`}`,
    ])
    .join('\n\n')
}

/** In the order of their numbers, from 1. */
const RATINGS = /** @type {const} */ (['again', 'hard', 'good', 'easy'])

const inDays = new Intl.NumberFormat('en', { style: 'unit', unit: 'day', unitDisplay: 'long' })

/** After how long a card comes back: "10 minutes", "6 days". @param {Interval} interval */
export function intervalInWords({ interval_seconds, scheduled_days }) {
  return interval_seconds === null ? inDays.format(scheduled_days) : lengthInWords(interval_seconds)
}

/**
 * @param {ApiRequest} makeDeck
 * @param {(deck: string) => ApiRequest} makeCard
 * @param {{ id: string | null }} deck its id is filled in once it is known
 * @returns {Work}
 */
export function learning(makeDeck, makeCard, deck) {
  return async (ask, begin) => {
    const id = deck.id ?? (await deckOf(makeDeck, ask))
    deck.id = null // unless the card finds it, which it does not in a scratch space that was erased
    await ask(makeCard(id))
    deck.id = id
    return nextCard('The card is stored.', id)(ask, begin)
  }
}

/** The deck, also when it was there before. @param {ApiRequest} makeDeck @param {Ask} ask */
async function deckOf(makeDeck, ask) {
  try {
    return (await ask(makeDeck)).id
  } catch (error) {
    if (error instanceof Refused && error.body?.existing_id) return error.body.existing_id
    throw error
  }
}

/** @param {string} words what has been done @param {string} deck @returns {Work} */
function nextCard(words, deck) {
  return async (ask, begin) => {
    const path = `api/flashcards/queue?deck_id=${deck}&limit=1&preview=true`
    const [item] = (await ask({ method: 'GET', path })).items
    // what is learned again within minutes is in the queue before it is due
    if (!item || Date.parse(item.card.due_at) > Date.now()) return { words: `${words} Nothing more to learn now.` }
    return { words, parts: [shownCard(item, deck, begin)] }
  }
}

/** @param {{ card: any, preview: Record<string, Interval> }} item @param {string} deck @param {Begin} begin */
function shownCard({ card, preview }, deck, begin) {
  const face = (/** @type {string} */ text) => element('p', { class: 'face' }, text)
  const shown = sheet(face(card.prompt))
  const turn = button('Show the answer', () => {
    turn.remove()
    const cost = plain('p', quiet('How well did you know it? A rating costs 2 requests, with the next card.'))
    shown.append(plain('hr'), face(card.answer), cost, element('div', { class: 'ratings' }, ...ratings))
    ratings[2]?.focus()
    say(card.answer)
  })
  const ratings = RATINGS.map((name, place) => {
    const interval = preview[name]
    const words = interval ? intervalInWords(interval) : ''
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    const made = button(title, () =>
      begin(async (ask, next) => {
        await ask({ method: 'POST', path: `api/flashcards/cards/${card.id}/reviews`, body: { rating: place + 1 } })
        return nextCard(`${title}: the card comes back in ${words}.`, deck)(ask, next)
      }),
    )
    made.append(' ', quiet(words))
    return made
  })
  shown.append(turn)
  return shown
}
