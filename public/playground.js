/** A first request to notes and the chat, its answer, and the same as a program. */

import { BASE, reasonOf, send } from './api.js'
import { CopyBlock } from './copy-block.js'
import { byId, element, say } from './dom.js'
import { maskKey } from './key-format.js'
import { snippet } from './snippets.js'

/**
 * @typedef {import('./api.js').ApiRequest} ApiRequest
 * @typedef {import('./api.js').Answer} Answer
 * @typedef {import('./key-store.js').KeptKey} KeptKey
 */

/**
 * @param {() => void} onAnswer called after every try: the figures have changed
 * @returns {{ use: (kept: KeptKey | null) => void }}
 */
export function startPlayground(onAnswer) {
  const shown = new CopyBlock('program')
  const form = byId('try-form', HTMLFormElement)
  /** @type {KeptKey | null} */
  let chosen = null
  /** Stops the try that is under way; null when none is. @type {AbortController | null} */
  let underWay = null

  function render() {
    const request = requestPicked()
    for (const part of document.querySelectorAll('[data-for]'))
      part.toggleAttribute('hidden', part.getAttribute('data-for') !== picked('request'))
    const as = chosen ? ['with the key “', element('bdi', {}, chosen.name), '”'] : ['without a key']
    byId('try-as', HTMLElement).replaceChildren(...as)
    byId('try-target', HTMLElement).textContent = `${request.method} /${request.path}`
    const language = /** @type {import('./snippets.js').Language} */ (picked('language'))
    const write = (/** @type {string | null} */ key) => snippet(language, request, BASE, key)
    shown.show(write(chosen && maskKey(chosen.key)), write(chosen?.key ?? null))
  }

  /** The button stays enabled while a request runs: a disabled one would drop the focus. @param {boolean} isBusy */
  function showBusy(isBusy) {
    const [sender, stopper] = [byId('try-send', HTMLButtonElement), byId('try-stop', HTMLButtonElement)]
    if (document.activeElement === stopper) sender.focus()
    sender.ariaDisabled = String(isBusy)
    stopper.hidden = !isBusy
  }

  async function run() {
    if (underWay) return
    underWay = new AbortController()
    const { signal } = underWay
    const asked = chosen?.key ?? null
    showBusy(true)
    try {
      const answer = await send(requestPicked(), asked, signal).catch((error) => {
        if (!signal.aborted) throw error
        return null
      })
      if (asked !== (chosen?.key ?? null)) return // the page works for another caller by now
      if (answer === null) showAnswer('Stopped. The server may have received the request.')
      else if (answer.kind === 'answer') showAnswer(wordsOf(answer), answer)
      else showAnswer('The server cannot be reached. Nothing is known about the request.')
    } finally {
      underWay = null
      showBusy(false)
      onAnswer()
    }
  }

  form.addEventListener('input', render)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    run()
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
  const what = picked('request')
  if (what === 'list') return { method: 'GET', path: 'api/notes' }
  if (what === 'chat') {
    const messages = [{ role: 'user', content: textIn('try-question') }]
    return { method: 'POST', path: 'api/chat', body: { messages } }
  }
  const body = { title: textIn('try-title-field'), body: textIn('try-body') }
  return { method: 'POST', path: 'api/notes', body: body.title === '' ? { body: body.body } : body }
}

/**
 * What the chat said, why the server refuses, or only the status.
 * @param {Answer} answer
 * @returns {string}
 */
function wordsOf(answer) {
  if (!answer.ok) return reasonOf(answer)
  const { message } = /** @type {{ message?: { content?: unknown } }} */ (Object(answer.body))
  return typeof message?.content === 'string' ? message.content : `${answer.title}.`
}

/**
 * @param {string} words
 * @param {Answer} [answer] shown as it came, with the headers that tell of limits
 */
function showAnswer(words, answer) {
  byId('answer', HTMLElement).hidden = false
  byId('answer-words', HTMLElement).textContent = words
  const block = byId('answer-body', HTMLElement)
  block.hidden = answer === undefined
  block.tabIndex = 0 // what scrolls must be reachable by keyboard
  if (answer) {
    const { title, limit_headers, body } = answer
    const lines = limit_headers.map(([name, value]) => `${name}: ${value}\n`)
    const text = body === null ? '' : `\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}`
    block.firstElementChild?.replaceChildren(`${title}\n${lines.join('')}${text}`)
  }
  const at = document.activeElement
  // Not under somebody who went on to another part of the page.
  if (!at || at === document.body || at.closest('#try-form')) block.scrollIntoView({ block: 'nearest' })
  say(words)
}
