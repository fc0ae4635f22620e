/** A first try of notes, tasks, cards and the chat, its answer, and the same as a program. */

import { BASE, send, UNKNOWN } from './api.js'
import { CopyBlock } from './copy-block.js'
import { byId, element, say } from './dom.js'
import { maskKey } from './key-format.js'
import { snippet } from './snippets.js'

/**
 * @typedef {import('./api.js').ApiRequest} ApiRequest
 * @typedef {import('./api.js').Answer} Answer
 * @typedef {import('./answers.js').Work} Work
 * @typedef {import('./key-store.js').KeptKey} KeptKey
 */

/** @type {KeptKey | null} */
let chosen = null
/** The deck of the caller's cards, once it is known. @type {{ id: string | null }} */
let deck = { id: null }
/** The request as a program. @type {CopyBlock | null} */
let shown = null

/**
 * @param {() => void} onAnswer called after every try: the figures have changed
 * @returns {{ use: (kept: KeptKey | null) => void }}
 */
export function startPlayground(onAnswer) {
  shown = new CopyBlock('program')
  const form = byId('try-form', HTMLFormElement)
  form.addEventListener('input', render)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    run(onAnswer)
  })
  byId('languages', HTMLElement).addEventListener('change', render)
  byId('try-stop', HTMLButtonElement).addEventListener('click', () => underWay?.abort())
  return {
    use(kept) {
      if (kept?.key !== chosen?.key) {
        byId('answer', HTMLElement).hidden = true // it was another caller's
        deck = { id: null }
      }
      chosen = kept
      render()
    },
  }
}

/** @param {'request' | 'language'} name of a group of radio buttons */
function picked(name) {
  return document.querySelector(`input[name="${name}"]:checked`)?.getAttribute('value') ?? ''
}

/** @param {string} id of a field */
function textIn(id) {
  const field = document.getElementById(id)
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : ''
}

const MAKE_DECK = /** @type {const} */ ({
  method: 'POST',
  path: 'api/flashcards/decks',
  body: { name: 'First deck' },
})

/** @param {string} deck_id */
function makeCard(deck_id) {
  const body = { deck_id, type: 'basic', front: textIn('try-front'), back: textIn('try-back') }
  return /** @type {const} */ ({ method: 'POST', path: 'api/flashcards/facts', body })
}

/**
 * The first request of the try.
 * @returns {ApiRequest}
 */
function requestPicked() {
  const what = picked('request')
  if (what === 'list') return { method: 'GET', path: 'api/notes' }
  if (what === 'card') return deck.id === null ? MAKE_DECK : makeCard(deck.id)
  if (what === 'task') {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    return { method: 'POST', path: 'api/tasks/quick', body: { text: textIn('try-task'), time_zone: timeZone } }
  }
  if (what === 'chat') {
    const messages = [{ role: 'user', content: textIn('try-question') }]
    return { method: 'POST', path: 'api/chat', body: { messages } }
  }
  const body = { title: textIn('try-title-field'), body: textIn('try-body') }
  return { method: 'POST', path: 'api/notes', body: body.title === '' ? { body: body.body } : body }
}

/** @param {string | null} key */
function program(key) {
  const language = /** @type {import('./snippets.js').Language} */ (picked('language'))
  return snippet(language, requestPicked(), BASE, key)
}

function render() {
  const request = requestPicked()
  for (const part of document.querySelectorAll('[data-for]')) {
    part.toggleAttribute('hidden', part.getAttribute('data-for') !== picked('request'))
  }
  const as = chosen ? ['with the key “', element('bdi', {}, chosen.name), '”'] : ['without a key']
  byId('try-as', HTMLElement).replaceChildren(...as)
  byId('try-target', HTMLElement).textContent = `${request.method} /${request.path}`
  const requests = picked('request') !== 'card' ? 1 : deck.id === null ? 3 : 2
  byId('try-cost', HTMLElement).textContent = requests === 1 ? 'costs 1 request' : `the first of ${requests} requests`
  shown?.show(program(chosen && maskKey(chosen.key)), program(chosen?.key ?? null))
}

/** Stops the try that is under way; null when none is. @type {AbortController | null} */
let underWay = null

/**
 * @param {() => void} onAnswer
 * @param {Work} [work] of a button in an answer; left out: what is picked
 */
async function run(onAnswer, work) {
  if (underWay) return
  const stop = new AbortController()
  const asked = chosen?.key ?? null
  showBusy(stop)
  /** @type {{ request: ApiRequest, answer: Answer }[]} */
  const exchanges = []
  // what shows answers is loaded by those who get one
  const answers = await import('./answers.js').catch(() => null)
  try {
    if (!answers) return showAnswer({ words: 'The server cannot be reached. Nothing was sent.' })
    /** @param {ApiRequest} request */
    const ask = async (request) => {
      const answer = await send(request, asked, stop.signal)
      if (answer.kind === 'answer') exchanges.push({ request, answer })
      if (answer.kind !== 'answer' || !answer.ok || typeof answer.body === 'string') throw new answers.Refused(answer)
      return answer.body
    }
    const outcome = await (work ?? workPicked(answers))(ask, (next) => run(onAnswer, next)).catch((error) => {
      if (stop.signal.aborted) return { words: 'Stopped. The server may have received the request.' }
      // What was pressed in an answer can be pressed again.
      if (error instanceof answers.Refused)
        return {
          words: error.message,
          parts: work && error.isForNow ? [...byId('answer-parts', HTMLElement).children] : [],
        }
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error // RangeError: a date that is none
      return { words: UNKNOWN }
    })
    if (asked !== (chosen?.key ?? null)) return // the page works for another caller by now
    const last = exchanges.at(-1)?.answer
    const limits = answers.limitsInWords(last?.limit_headers ?? [])
    showAnswer(outcome, limits, answers.exchangesAsText(exchanges), last?.title)
  } finally {
    showBusy(null)
    render()
    onAnswer()
  }
}

/** @param {typeof import('./answers.js')} answers */
function workPicked({ learning, tryOf }) {
  const what = picked('request')
  return what === 'card' ? learning(MAKE_DECK, makeCard, deck) : tryOf(what, requestPicked())
}

/**
 * The button stays enabled while a request runs: a disabled one would drop the focus.
 * @param {AbortController | null} controller
 */
function showBusy(controller) {
  underWay = controller
  const [sendButton, stopButton] = [byId('try-send', HTMLButtonElement), byId('try-stop', HTMLButtonElement)]
  if (document.activeElement === stopButton) sendButton.focus()
  sendButton.ariaDisabled = controller ? 'true' : 'false'
  stopButton.hidden = controller === null
}

/**
 * @param {import('./answers.js').Shown} outcome
 * @param {string} [limits]
 * @param {string} [raw] the requests and answers as they went
 * @param {string} [title] status of the last one
 */
function showAnswer({ words, parts = [] }, limits = '', raw = '', title = '') {
  const [place, told] = [byId('answer-parts', HTMLElement), byId('answer-words', HTMLElement)]
  const hadFocus = place.contains(document.activeElement)
  byId('answer', HTMLElement).hidden = false
  told.textContent = words
  place.replaceChildren(...parts)
  byId('answer-limits', HTMLElement).textContent = limits
  byId('answer-raw', HTMLElement).hidden = raw === ''
  byId('answer-title', HTMLElement).textContent = title
  const block = byId('answer-body', HTMLElement)
  block.firstElementChild?.replaceChildren(raw)
  block.tabIndex = 0 // what scrolls must be reachable by keyboard
  if (hadFocus) (place.querySelector('button') ?? told).focus()
  bringIntoSight(byId('answer-limits', HTMLElement))
  say(`${words} ${limits}`)
}

/**
 * Scrolls as little as will do, and not at all under somebody who went on to another part of the page.
 * @param {HTMLElement} place
 */
function bringIntoSight(place) {
  const at = document.activeElement
  if (at && at !== document.body && !at.closest('#try-form, #answer')) return
  place.scrollIntoView({ block: 'nearest' })
}
