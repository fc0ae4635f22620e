/** A first request to the notes and to the chat, its answer, and the same as a program. */

import { BASE, reasonOf, send } from './api.js'
import { CopyBlock } from './copy-block.js'
import { byId, element, say } from './dom.js'
import { snippet } from './snippets.js'

/**
 * @typedef {import('./api.js').ApiRequest} ApiRequest
 * @typedef {import('./api.js').Answer} Answer
 * @typedef {import('./key-store.js').KeptKey} KeptKey
 */

/** @type {KeptKey | null} */
let chosen = null
/** The request as a program. @type {CopyBlock | null} */
let shown = null

/**
 * @param {() => void} onAnswer called after every answer: the figures have changed
 * @returns {{ use: (kept: KeptKey | null) => void }}
 */
export function startPlayground(onAnswer) {
  shown = new CopyBlock('program', program)
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
      if (kept?.key !== chosen?.key) byId('answer', HTMLElement).hidden = true // it was another caller's
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

/** @returns {ApiRequest} */
function requestPicked() {
  if (picked('request') === 'list') return { method: 'GET', path: 'api/notes' }
  if (picked('request') === 'chat') {
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
  shown?.show(chosen)
}

/** Stops the request that is under way; null when none is. @type {AbortController | null} */
let underWay = null

/** @param {() => void} onAnswer */
async function run(onAnswer) {
  if (underWay) return
  const stop = new AbortController()
  const request = requestPicked()
  const asked = chosen?.key ?? null
  showBusy(stop)
  try {
    const answer = await send(request, asked, stop.signal)
    if (asked !== (chosen?.key ?? null)) return // the page works for another caller by now
    if (answer.kind === 'unreachable') showFailure('The server cannot be reached. Nothing is known about the request.')
    else showAnswer(answer, request)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    showFailure('Stopped. The server may have received the request.')
  } finally {
    showBusy(null)
    onAnswer()
  }
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

/** @param {string} words */
function showFailure(words) {
  fillAnswer('No answer', '', words, [], '')
}

/**
 * @param {Answer} answer
 * @param {ApiRequest} request
 */
function showAnswer(answer, request) {
  const words = answer.ok ? meaningOf(request, answer.body) : reasonOf(answer)
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body, null, 2)
  fillAnswer(answer.title, `${answer.duration_ms} ms`, words, answer.limit_headers, answer.body === null ? '' : body)
}

/**
 * @param {string} title
 * @param {string} time
 * @param {string} words
 * @param {[string, string][]} headers
 * @param {string} body
 */
function fillAnswer(title, time, words, headers, body) {
  byId('answer', HTMLElement).hidden = false
  byId('answer-title', HTMLElement).textContent = title
  byId('answer-time', HTMLElement).textContent = time
  byId('answer-words', HTMLElement).textContent = words
  const pairs = headers.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)))
  byId('answer-headers', HTMLElement).replaceChildren(...pairs)
  const block = byId('answer-body', HTMLElement)
  block.firstElementChild?.replaceChildren(body)
  block.hidden = body === ''
  bringIntoSight(byId('answer-headers', HTMLElement))
  block.tabIndex = block.scrollHeight > block.clientHeight ? 0 : -1 // what scrolls must be reachable by keyboard
  say([title, words, ...headers.map(([name, value]) => `${name}: ${value}`)].filter(Boolean).join('. '))
}

/**
 * Scrolls as little as will do, and not at all under somebody who went on to another part of the page.
 * @param {HTMLElement} place
 */
function bringIntoSight(place) {
  const at = document.activeElement
  if (at && at !== document.body && !byId('try-form', HTMLElement).contains(at)) return
  place.scrollIntoView({ block: 'nearest' })
}

/**
 * A good answer in words, for who cannot read JSON.
 * @param {ApiRequest} request
 * @param {unknown} body
 * @returns {string}
 */
function meaningOf({ method, path }, body) {
  if (path === 'api/chat') return replyIn(body)
  return method === 'POST' ? 'Your note is stored. Now ask the chat about it.' : notesIn(body)
}

/** @param {unknown} body a list of notes */
function notesIn(body) {
  const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : null
  if (!Array.isArray(items)) return ''
  if (items.length === 0) return 'There are no notes yet. Write one first.'
  return items.length === 1 ? 'One note.' : `${items.length} notes, the latest first.`
}

/**
 * What the chat replied.
 * @param {unknown} body
 * @returns {string}
 */
function replyIn(body) {
  if (typeof body !== 'object' || body === null || !('message' in body)) return ''
  const { message } = body
  const isMessage = typeof message === 'object' && message !== null && 'content' in message
  return isMessage && typeof message.content === 'string' ? message.content : ''
}
