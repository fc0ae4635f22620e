/** What is left this hour, the workspace, and the last 48 hours, for the key the page works with. */

import { isUsage, reasonOf, send } from './api.js'
import { byId, say } from './dom.js'
import { clockTime, lengthInWords, momentInWords, sizeInWords } from './in-words.js'

/** @typedef {import('./api.js').Usage} Usage */

const REFRESH_MS = 60_000
/** How often the words that count down are looked at: often enough for minutes. */
const TICK_MS = 5_000
const TIMEOUT_MS = 15_000

const count = new Intl.NumberFormat()
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** @typedef {{ usage: Usage, at: Date }} Known what came, and when */
/** The last figures of each caller, shown until newer ones come. @type {Map<string | null, Known>} */
const known = new Map()

/**
 * Keeps the section up to date: when the key changes, once a minute, and when the page is looked at again.
 * @returns {{ show: (key: string | null) => void, refresh: () => void }}
 */
export function startUsage() {
  /** @type {string | null | undefined} */
  let shown
  let turn = new AbortController()

  async function refresh() {
    turn.abort()
    turn = new AbortController()
    const { signal } = turn
    byId('usage', HTMLElement).ariaBusy = 'true'
    const caller = shown ?? null
    try {
      const usage = await ask(caller, signal)
      if (!usage) return
      if (typeof usage === 'string') return showTrouble(usage, lastOf(caller))
      known.set(caller, { usage, at: new Date() })
      showFigures(usage, new Date())
    } finally {
      if (!signal.aborted) byId('usage', HTMLElement).ariaBusy = 'false'
    }
  }
  byId('usage-again', HTMLButtonElement).addEventListener('click', () => {
    byId('usage-reason', HTMLElement).textContent = 'Asking the server…'
    refresh()
  })
  document.addEventListener('visibilitychange', () => document.hidden || refresh())
  setInterval(() => document.hidden || refresh(), REFRESH_MS)
  setInterval(() => {
    if (full && full.getTime() <= Date.now()) refresh()
    else showReset()
  }, TICK_MS)

  return {
    refresh,
    show(key) {
      if (key === shown) return
      shown = key
      const before = lastOf(key)
      if (before) showFigures(before.usage, before.at)
      else byId('usage', HTMLElement).classList.add('stale') // it still shows another caller's figures
      refresh()
    },
  }
}

/**
 * The figures that are known of a caller; those of an hour that is over say nothing.
 * @param {string | null} key
 */
function lastOf(key) {
  const last = known.get(key)
  return last && last.at.getTime() + 1000 * last.usage.reset_seconds > Date.now() ? last : undefined
}

/**
 * The usage; or why there is none, in a sentence; nothing when a newer question was asked meanwhile.
 * @param {string | null} key
 * @param {AbortSignal} superseded aborted when a newer question is asked
 * @returns {Promise<Usage | string | undefined>}
 */
async function ask(key, superseded) {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await send({ method: 'GET', path: 'api/usage' }, key, AbortSignal.any([superseded, late]))
    if (answer.kind === 'unreachable') return 'The server cannot be reached. This does not touch your keys.'
    return answer.ok && isUsage(answer.body) ? answer.body : reasonOf(answer)
  } catch (error) {
    if (superseded.aborted) return undefined
    if (!late.aborted) throw error
    return 'The server takes too long to answer. This does not touch your keys.'
  }
}

/** When the requests return, by the clock of the browser; null as long as nobody knows. @type {Date | null} */
let full = null

/** Counts down in words. Nothing is read aloud: who wants to know finds it. */
function showReset() {
  if (!full) return
  const words = `in ${lengthInWords(Math.max(0, full.getTime() - Date.now()) / 1000)}, at ${clockTime(full)}`
  byId('usage-reset', HTMLElement).textContent = words
  byId('spent-until', HTMLElement).textContent = `They return ${words}.`
}

/**
 * Says it first when no request is left, and once to a screen reader.
 * @param {Usage} usage
 */
function showSpent({ tier, limit, remaining }) {
  const spent = byId('spent', HTMLElement)
  const title = byId('spent-title', HTMLElement)
  const isNews = remaining === 0 && spent.hidden
  spent.hidden = remaining > 0
  title.textContent = `The ${count.format(limit)} requests of this hour are used up.`
  byId('spent-advice', HTMLElement).hidden = tier === 'api'
  if (isNews) say(`${title.textContent} ${byId('spent-until', HTMLElement).textContent}`)
}

/** @param {boolean} figures whether there are some to show */
function showPart(figures) {
  byId('usage', HTMLElement).classList.remove('stale')
  byId('usage-figures', HTMLElement).hidden = !figures
  byId('usage-trouble', HTMLElement).hidden = figures
}

/**
 * Says why there are no new figures, above the last ones of this caller.
 * @param {string} reason
 * @param {Known | undefined} last
 */
function showTrouble(reason, last) {
  showPart(last !== undefined)
  byId('usage-trouble', HTMLElement).hidden = false
  byId('usage-reason', HTMLElement).textContent = last
    ? `${reason} These figures are from ${clockTime(last.at)}.`
    : reason
  if (last) return
  full = null
  byId('spent', HTMLElement).hidden = true
}

/**
 * @param {Usage} usage
 * @param {Date} at when they came
 */
function showFigures(usage, at) {
  showPart(true)
  const { limit, remaining, workspace } = usage
  const set = (/** @type {string} */ id, /** @type {string} */ text) => {
    byId(id, HTMLElement).textContent = text
  }
  set('usage-remaining', count.format(remaining))
  set('usage-limit', `of ${count.format(limit)} requests left`)
  byId('usage-gauge', SVGRectElement).setAttribute(
    'width',
    String(Math.min(100, (100 * remaining) / Math.max(1, limit))),
  )
  set('usage-tier', usage.tier === 'api' ? 'API, with a key' : 'Free, without a key')
  full = new Date(at.getTime() + 1000 * usage.reset_seconds)
  showReset()
  showSpent(usage)
  set('usage-workspace', describe(workspace))
  const { resources, size_bytes, quotas } = workspace
  set(
    'usage-stored',
    `${count.format(resources)} of ${count.format(quotas.resources)} items, ${sizeInWords(size_bytes)} of ${sizeInWords(quotas.size_bytes)}`,
  )
  showLimits(usage.limits)
  drawHistory(usage.history)
}

/** The chart comes after the figures; without it they are still worth having. @param {Usage['history']} history */
async function drawHistory(history) {
  const chart = await import('./chart.js').catch(() => null)
  byId('history', HTMLElement).hidden = chart === null
  chart?.drawChart(history)
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

/** @param {Usage['workspace']} workspace */
function describe({ kind, created_at, expires_at }) {
  if (kind === 'key') return created_at ? `Private, since ${date.format(new Date(created_at))}` : 'Private, still empty'
  const end = expires_at
    ? `, erased ${momentInWords(new Date(expires_at), new Date())} unless used before`
    : ', still empty'
  return `Scratch, shared at this address${end}`
}
