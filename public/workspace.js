/** A whole workspace: exported as one file, erased, or enlarged by what was tried without a key. */

import { BASE, isUsage, reasonOf, send } from './api.js'
import { byId, download, element, say } from './dom.js'
import { isRun } from './import-run.js'
import { sizeInWords } from './in-words.js'

/** @typedef {import('./key-store.js').KeptKey} KeptKey */

const TIMEOUT_MS = 60_000
const UNREACHABLE = 'The server cannot be reached. Nothing is known about the request.'

/** The export that is under way; null when none is. @type {AbortController | null} */
let exporting = null

/**
 * Exports everything as a zip and hands it to the browser to save. One export at a time.
 * @param {KeptKey | null} kept null: the scratch space
 * @param {() => void} onEnd called when it is over: the figures have changed
 */
export async function exportAll(kept, onEnd) {
  if (exporting) return
  const stop = new AbortController()
  exporting = stop
  byId('export-cancel', HTMLButtonElement).onclick = () => stop.abort()
  showExporting(true)
  try {
    download(await fetchArchive(kept, stop.signal), 'satchel.zip')
    showState('Exported. The browser saves it as “satchel.zip”.')
  } catch (error) {
    if (stop.signal.aborted) showState('Cancelled: nothing was saved.')
    else if (error instanceof TypeError) showState('The connection broke: nothing was saved.')
    else if (error instanceof Refused) showState(error.message)
    else throw error
  } finally {
    exporting = null
    showExporting(false)
    onEnd()
  }
}

/** The server said no; the message has its words. */
class Refused extends Error {}

/**
 * @param {KeptKey | null} kept
 * @param {AbortSignal} signal
 * @throws Refused; TypeError when the connection breaks
 */
async function fetchArchive(kept, signal) {
  const response = await fetch(`${BASE}/api/export`, { headers: kept ? { 'X-API-Key': kept.key } : {}, signal })
  if (!response.ok || !response.body) {
    const body = await response.json().catch(() => null)
    throw new Refused(reasonOf({ body, title: `${response.status} ${response.statusText}`.trim() }))
  }
  const size = Number(response.headers.get('Content-Length')) || null
  let soFar = 0
  const counted = new TransformStream({
    transform(chunk, controller) {
      soFar += chunk.byteLength
      showProgress(soFar, size)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counted), { headers: { 'Content-Type': 'application/zip' } }).blob()
}

/**
 * @param {number} done in bytes
 * @param {number | null} size null: nobody knows, as the server makes the file while it sends it
 */
function showProgress(done, size) {
  const bar = byId('export-bar', HTMLProgressElement)
  if (size) bar.value = done / size
  else bar.removeAttribute('value')
  byId('export-words', HTMLElement).textContent = size
    ? `${sizeInWords(done)} of ${sizeInWords(size)}`
    : `${sizeInWords(done)} so far`
}

/** @param {boolean} moving */
function showExporting(moving) {
  const cancel = byId('export-cancel', HTMLElement)
  const start = byId('export-start', HTMLElement)
  start.ariaDisabled = String(moving)
  if (!moving && document.activeElement === cancel) start.focus() // the focus does not go with the button
  byId('export-moving', HTMLElement).hidden = !moving
  if (!moving) return
  showProgress(0, null)
  showState('')
}

/** @param {string} words what came of an export or an erasure, or nothing yet */
function showState(words) {
  byId('leave-state', HTMLElement).textContent = words
}

/**
 * Asks, and erases everything on the server once the person wrote `erase`.
 * @param {KeptKey | null} kept null: the scratch space
 * @param {() => void} onEnd called when it is done, or refused
 */
export function askToErase(kept, onEnd) {
  const dialog = byId('erase-dialog', HTMLDialogElement)
  const field = byId('erase-confirm', HTMLInputElement)
  const whose = kept
    ? ['the workspace of “', element('bdi', {}, kept.name), '”']
    : ['the scratch space of your address']
  byId('erase-title', HTMLElement).replaceChildren('Erase ', ...whose, '?')
  byId('erase-words', HTMLElement).textContent = kept
    ? 'Its notes, tasks, flashcards and chats are erased on the server at once, the trash included. Nothing brings them back. The key stays.'
    : 'Its notes, tasks, flashcards and chats are erased on the server at once, for everyone who shares it. Nothing brings them back.'
  field.value = ''
  dialog.returnValue = ''
  dialog.onclose = async () => {
    if (dialog.returnValue === 'export') await exportAll(kept, onEnd)
    else if (dialog.returnValue === 'erase' && field.value === 'erase') await erase(kept, onEnd)
  }
  dialog.showModal()
}

/**
 * @param {KeptKey | null} kept
 * @param {() => void} onEnd
 */
async function erase(kept, onEnd) {
  showState('Erasing.')
  const answer = await ask({ method: 'DELETE', path: 'api/workspace', body: { confirm: 'erase' } }, kept?.key ?? null)
  showState(answer === null ? UNREACHABLE : answer.ok ? 'Everything is erased.' : reasonOf(answer))
  onEnd()
}

/**
 * Offers to copy what was tried without a key into the workspace of a key that was just made. Offers nothing where there
 * is nothing to copy, or where the server does not answer.
 * @param {KeptKey} kept
 * @param {() => boolean} isCurrent whether the page still works with this key
 * @param {() => void} onEnd called when it is copied: the figures have changed
 */
export async function offerToAdopt(kept, isCurrent, onEnd) {
  const tried = await ask({ method: 'GET', path: 'api/usage' }, null)
  if (!isUsage(tried?.body) || tried.body.workspace.resources === 0) return // asking costs nothing so far
  const answer = await ask({ method: 'POST', path: 'api/workspace/adopt?dry_run=true' }, kept.key)
  const created = isRun(answer?.body) ? (answer.body.totals.created ?? 0) : 0
  if (created === 0 || !isCurrent()) return
  const words = thingsInWords(/** @type {{ resources?: Record<string, { created: number }> }} */ (answer?.body))
  showOffer(`Bring along the ${words} you tried without a key? A copy goes into this key’s workspace.`)
  byId('adopt-leave', HTMLButtonElement).onclick = () => endOffer('')
  byId('adopt-take', HTMLButtonElement).onclick = async () => {
    const taken = await ask({ method: 'POST', path: 'api/workspace/adopt' }, kept.key)
    if (taken?.ok) endOffer(`Copied the ${words} into this key’s workspace.`)
    else showOffer(taken === null ? UNREACHABLE : reasonOf(taken))
    onEnd()
  }
}

/** @param {string} words */
function showOffer(words) {
  byId('adopt', HTMLElement).hidden = false
  byId('adopt-words', HTMLElement).textContent = words
}

/** @param {string} words read to a screen reader, and nothing left on the screen to press */
function endOffer(words) {
  byId('adopt', HTMLElement).hidden = true
  document.querySelector('.keys :checked')?.closest('.key')?.querySelector('button')?.focus()
  say(words || 'Left where they are.')
}

const NAMES = new Map([
  ['note', 'note'],
  ['task', 'task'],
  ['card', 'flashcard'],
])
const count = new Intl.NumberFormat('en')

/**
 * What would be copied, by the things a person made: "3 notes and task", to be read after "the".
 * @param {{ resources?: Record<string, { created: number }> }} run
 * @returns {string} "things" where it is none of those that have a name here
 */
export function thingsInWords({ resources = {} }) {
  const parts = [...NAMES].flatMap(([type, name]) => {
    const created = resources[type]?.created ?? 0
    if (created === 0) return []
    return created === 1 ? [name] : [`${count.format(created)} ${name}s`]
  })
  return parts.length > 0 ? new Intl.ListFormat('en').format(parts) : 'things'
}

/**
 * @param {import('./api.js').ApiRequest} request
 * @param {string | null} key
 * @returns {Promise<import('./api.js').Answer | null>} null: the server did not answer
 */
async function ask(request, key) {
  const answer = await send(request, key, AbortSignal.timeout(TIMEOUT_MS)).catch(() => null)
  return answer?.kind === 'answer' ? answer : null
}
