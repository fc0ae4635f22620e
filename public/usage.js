/** What is left this hour, in words, for the key the page works with. */

import { isUsage, reasonOf, send } from './api.js'
import { byId } from './dom.js'
import { clockTime, lengthInWords } from './in-words.js'

/** @typedef {import('./api.js').Usage} Usage */

const REFRESH_MS = 60_000
const TIMEOUT_MS = 15_000
const count = new Intl.NumberFormat('en')

/**
 * Keeps the sentence up to date: when the key changes, once a minute, and when the page is looked at again.
 * @returns {{ show: (key: string | null) => void, refresh: () => void }}
 */
export function startUsage() {
  const place = byId('usage', HTMLElement)
  /** @type {string | null | undefined} */
  let shown
  let turn = new AbortController()

  async function refresh() {
    turn.abort()
    turn = new AbortController()
    const { signal } = turn
    place.ariaBusy = 'true'
    const usage = await ask(shown ?? null, signal)
    if (signal.aborted) return // a newer question is on its way
    place.ariaBusy = 'false'
    place.textContent = typeof usage === 'string' ? usage : leftInWords(usage)
    if (typeof usage !== 'string') showLimits(usage.limits)
  }
  document.addEventListener('visibilitychange', () => document.hidden || refresh())
  setInterval(() => document.hidden || refresh(), REFRESH_MS)

  return {
    refresh,
    show(key) {
      if (key === shown) return
      shown = key
      place.textContent = 'Asking the server…' // what stood there is of another caller
      refresh()
    },
  }
}

/**
 * The usage; or why there is none, in a sentence.
 * @param {string | null} key
 * @param {AbortSignal} superseded aborted when a newer question is asked
 * @returns {Promise<Usage | string>}
 */
async function ask(key, superseded) {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await send({ method: 'GET', path: 'api/usage' }, key, AbortSignal.any([superseded, late]))
    if (answer.kind === 'unreachable') return 'The server cannot be reached. This does not touch your keys.'
    return answer.ok && isUsage(answer.body) ? answer.body : reasonOf(answer)
  } catch (error) {
    if (!superseded.aborted && !late.aborted) throw error
    return 'The server takes too long to answer. This does not touch your keys.'
  }
}

/**
 * @param {Usage} usage
 * @param {Date} [now]
 */
export function leftInWords({ tier, limit, remaining, reset_seconds }, now = new Date()) {
  const until = `in ${lengthInWords(reset_seconds)}, at ${clockTime(new Date(now.getTime() + 1000 * reset_seconds))}`
  if (remaining === 0) {
    const advice = tier === 'free' ? ' With a key you can go on at once.' : ''
    return `The ${count.format(limit)} requests of this hour are used up. They return ${until}.${advice}`
  }
  const full = remaining < limit ? `; full again ${until}` : ''
  return `${count.format(remaining)} of ${count.format(limit)} requests left this hour${full}.`
}

/**
 * The page is written for the limits a server has by itself; this one may be set to others.
 * @param {Usage['limits']} limits
 */
function showLimits(limits) {
  for (const place of document.querySelectorAll('[data-limit]')) {
    place.textContent = count.format(place.getAttribute('data-limit') === 'api' ? limits.api : limits.free)
  }
}
