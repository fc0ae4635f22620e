/** What the playground sends, and its answers as what they are: a note as a note, a task with its day in words. */

import { reasonOf } from './api.js'
import { button, element } from './dom.js'
import { dayInWords, lengthInWords, momentInWords } from './in-words.js'

/**
 * @typedef {import('./api.js').ApiRequest} ApiRequest
 * @typedef {import('./api.js').Answer} Answer
 */

/**
 * What a person sees of a try.
 * @typedef {object} Shown
 * @property {string} words a sentence, or what the chat says
 * @property {Node[]} [parts] what follows it
 */

/** Sends a request and gives the body of its answer. @typedef {(request: ApiRequest) => Promise<any>} Ask */
/** A try: its requests, one after the other. @typedef {(ask: Ask) => Promise<Shown>} Work */
/** Lets a button in an answer begin a try of its own. @typedef {(work: Work) => void} Begin */

/** Thrown by `Ask`: the server said no, or could not be reached. The message is what the person is told. */
export class Refused extends Error {
  /** @param {Answer | { kind: 'unreachable' }} answer */
  constructor(answer) {
    super(
      answer.kind === 'answer' ? reasonOf(answer) : 'The server cannot be reached. Nothing is known about the request.',
    )
    this.answer = answer.kind === 'answer' ? answer : null
  }
}

/** Notes that a list shows. */
const SHOWN_NOTES = 5

/**
 * @param {'write' | 'list' | 'chat' | 'task'} what
 * @param {ApiRequest} request
 * @param {Begin} begin
 * @returns {Work}
 */
export function tryOf(what, request, begin) {
  return async (ask) => {
    const body = await ask(request)
    if (what === 'write') return { words: 'Your note is stored. Now ask the chat about it.', parts: [shownNote(body)] }
    if (what === 'list') return shownNotes(body.items)
    if (what === 'task') return { words: 'Your task is stored.', parts: shownTask(body) }
    return shownChat(body, request, begin)
  }
}

/** @param {{ title: string, body: string }} note */
const shownNote = ({ title, body }) =>
  element('div', { class: 'shown' }, element('h4', {}, title), element('p', {}, body))

/**
 * @param {{ title: string, excerpt: string, updated_at: string }[]} notes
 * @returns {Shown}
 */
function shownNotes(notes) {
  if (notes.length === 0) return { words: 'There are no notes yet. Write one first.' }
  const now = new Date()
  const items = notes.slice(0, SHOWN_NOTES).map(({ title, excerpt, updated_at }) => {
    const when = element('span', { class: 'quiet' }, momentInWords(new Date(updated_at), now))
    return element(
      'li',
      {},
      element('p', { class: 'row spread' }, element('strong', {}, title), when),
      element('p', {}, excerpt),
    )
  })
  const rest = notes.length - items.length
  if (rest > 0) items.push(element('li', { class: 'quiet' }, `and ${rest} more`))
  const words = notes.length === 1 ? 'One note.' : `${notes.length} notes, the latest first.`
  return { words, parts: [element('ul', { class: 'shown-list' }, ...items)] }
}

/** @param {{ task: any, spans: { kind: string, text: string }[], warnings: { text: string, detail: string }[] }} answer */
function shownTask({ task, spans, warnings }) {
  const now = new Date()
  const { due, due_at: at, priority } = task
  const day = due && (at ? momentInWords(new Date(at), now) : dayInWords(new Date(`${due.date}T12:00`), now))
  const repeat = spans.filter(({ kind }) => kind === 'recurrence').map(({ text }) => text)
  /** @type {[string, string][]} */
  const facts = [['Due', day ?? 'no date']]
  if (repeat.length > 0) facts.push(['Repeats', repeat.join(', ')])
  if (priority > 0) facts.push(['Priority', `${priority} of 4`])
  const pairs = facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)))
  const doubts = warnings.map(({ text, detail }) => element('p', {}, `“${text}” was left as it is: ${detail}.`))
  const list = element('dl', { class: 'facts' }, ...pairs)
  return [element('div', { class: 'shown' }, element('h4', {}, task.title), list, ...doubts)]
}

/**
 * @param {any} answer
 * @param {ApiRequest} request
 * @param {Begin} begin
 * @returns {Shown}
 */
function shownChat({ message, citations, actions, undo }, request, begin) {
  const parts = []
  const sources = citations.map((/** @type {{ n: number, title: string, quote: string }} */ { n, title, quote }) =>
    element('li', {}, `[${n}] `, element('cite', {}, title), ...(quote === title ? [] : [element('q', {}, quote)])),
  )
  /** @param {string} content @param {string[]} [confirm] */
  const reply = (content, confirm) => () => {
    const body = { messages: [{ role: 'user', content }], ...(confirm && { confirm }) }
    begin(tryOf('chat', { ...request, body }, begin))
  }
  const done = actions.map((/** @type {any} */ { status, summary, confirm, error }) => {
    if (!confirm)
      return element(
        'li',
        {},
        `${status === 'done' ? 'Done' : 'Not done'}: ${summary}`,
        error ? ` (${error.detail})` : '',
      )
    const buttons = [button('Confirm', reply('yes', [confirm.token])), button('No', reply(`cancel ${confirm.code}`))]
    return element('li', { class: 'row spread' }, summary, element('span', { class: 'row' }, ...buttons))
  })
  if (sources.length + done.length > 0) parts.push(element('ul', { class: 'shown-list' }, ...sources, ...done))
  if (undo)
    parts.push(
      element(
        'p',
        {},
        button(undo.next.length > 0 ? 'Undo all' : 'Undo', () => begin(undoing(undo))),
      ),
    )
  return { words: message.content, parts }
}

/**
 * @param {any} undo
 * @returns {Work}
 */
function undoing({ next, ...first }) {
  return async (ask) => {
    for (const { path, ...step } of [first, ...next])
      await ask({ ...step, path: path.slice(1), body: step.body ?? undefined })
    return { words: 'Undone.' }
  }
}

/**
 * The limits as the headers of an answer tell them.
 * @param {readonly [name: string, value: string][]} headers
 * @returns {string} such as "17 of 20 requests left this hour; full again in 34 minutes."; nothing where they do not tell it
 */
export function limitsInWords(headers) {
  const values = new Map(headers)
  const [limit, left] = ['Limit', 'Remaining'].map((name) => values.get(`X-RateLimit-${name}`))
  if (!limit || !left) return ''
  const rest = /;t=(\d+)/.exec(values.get('RateLimit') ?? '')?.[1]
  const until = rest && left !== limit ? `; full again in ${lengthInWords(Number(rest))}` : ''
  return `${Number(left).toLocaleString('en')} of ${Number(limit).toLocaleString('en')} requests left this hour${until}.`
}

/**
 * Requests and their answers as they went over the wire, but for the headers.
 * @param {readonly { request: ApiRequest, answer: Answer }[]} exchanges
 * @returns {string}
 */
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
