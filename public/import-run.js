/** A running import as the server tells of it, in words. `satchel import` uses this, too. */

import { english, lengthInWords } from './in-words.js'

/** @typedef {import('./in-words.js').Reader} Reader */
/** @typedef {import('./in-words.js').Say} Say */

/**
 * What GET /api/imports/{id} tells, as far as it is shown.
 * @typedef {object} Run
 * @property {string} id
 * @property {string} kind
 * @property {boolean} dry_run
 * @property {'waiting' | 'reading' | 'running' | 'done' | 'failed' | 'cancelled'} state
 * @property {number} done
 * @property {number | null} total null until the file has been read
 * @property {number | null} eta_seconds
 * @property {unknown} error
 * @property {Record<string, number>} totals
 * @property {Record<string, Record<string, number>>} [resources] the same by type
 * @property {{ code: string, detail: string }[]} warnings of the file as a whole
 * @property {RunItem[]} items
 * @property {string | null} next_cursor
 */

/**
 * @typedef {object} RunItem
 * @property {string} where
 * @property {string} action
 * @property {{ code: string, detail: string }[]} warnings
 */

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 100_000
/** What the requests that are left of the hour are spread over, so that looking does not use them up. */
const SPREAD_MS = 60_000

/**
 * How long to wait before the run is looked at again, in milliseconds: a fifth of what it has taken so far, which comes to
 * about 60 requests for a run of an hour, and longer where few requests are left.
 * @param {number} elapsed milliseconds since it began
 * @param {number | null} remaining requests that are left of the hour, as far as is known
 */
export function pauseFor(elapsed, remaining) {
  const pause = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, elapsed / 5))
  return Math.max(pause, SPREAD_MS / Math.max(1, remaining ?? SPREAD_MS))
}

/**
 * @param {unknown} body
 * @returns {body is Run}
 */
export function isRun(body) {
  if (typeof body !== 'object' || body === null) return false
  const { id, state, done, totals } = /** @type {Record<string, unknown>} */ (body)
  return (
    [id, state].every((value) => typeof value === 'string') && typeof done === 'number' && typeof totals === 'object'
  )
}

/** @param {Run} run */
export function isOver({ state }) {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

/**
 * How far it is: "1,200 of 3,000 (40 %), 2 minutes left".
 * @param {Run} run
 * @param {Reader} [reader]
 */
export function progressInWords({ state, done, total, eta_seconds }, reader = {}) {
  const { say = english } = reader
  if (state === 'waiting') return say`Waiting for its turn.`
  if (state === 'reading' || !total)
    return done > 0 ? say`Reading the file: ${done} items so far.` : say`Reading the file.`
  const percent = Math.floor((100 * done) / total)
  if (eta_seconds === null) return say`${done} of ${total} (${percent} %)`
  return say`${done} of ${total} (${percent} %), ${lengthInWords(eta_seconds, reader)} left`
}

/** @type {Record<string, (number: number, say: Say) => string>} */
const COUNTED = {
  created: (number, say) => say`${number} created`,
  updated: (number, say) => say`${number} updated`,
  unchanged: (number, say) => say`${number} unchanged`,
  skipped: (number, say) => say`${number} skipped`,
  failed: (number, say) => say`${number} failed`,
}

/**
 * What it came to: "1,180 created, 3 updated, 5 failed".
 * @param {Run} run
 * @param {Say} say
 */
function totalsInWords({ totals }, say) {
  const some = Object.entries(totals).filter(([, number]) => number > 0)
  return some.map(([action, number]) => COUNTED[action]?.(number, say) ?? `${number} ${action}`).join(', ')
}

/**
 * How it ended, in one sentence.
 * @param {Run} run
 * @param {Say} [say]
 */
export function endInWords(run, say = english) {
  const totals = totalsInWords(run, say)
  if (run.state === 'failed') {
    const detail = detailOf(run.error) ?? say`The server gives no reason.`
    if (totals === '') return say`The import failed. ${detail}`
    return say`The import failed. ${detail} What was imported before stays: ${totals}.`
  }
  if (run.state === 'cancelled') {
    if (run.dry_run) return say`Stopped. It was a dry run: nothing was changed.`
    return say`Stopped. What was imported until then stays: ${totals || say`nothing`}.`
  }
  if (run.dry_run) return say`A dry run, nothing was changed. It would come to: ${totals || say`nothing`}.`
  return say`Imported: ${totals || say`nothing`}.`
}

/** @type {readonly (readonly [action: string, head: (say: Say) => string])[]} */
const COLUMNS = [
  ['created', (say) => say`New`],
  ['updated', (say) => say`Changed`],
  ['unchanged', (say) => say`As before`],
  ['skipped', (say) => say`Skipped`],
  ['failed', (say) => say`Failed`],
]

/** The types that files bring in most. @type {Record<string, (say: Say) => string>} */
const TYPES = {
  note: (say) => say`note`,
  task: (say) => say`task`,
  task_project: (say) => say`task project`,
  task_section: (say) => say`task section`,
  task_label: (say) => say`task label`,
  deck: (say) => say`deck`,
  note_type: (say) => say`note type`,
  fact: (say) => say`fact`,
  card: (say) => say`card`,
  review: (say) => say`review`,
  attachment: (say) => say`attachment`,
}

/**
 * What runs came to, as the cells of a table: a row for each kind of thing, and a column for what became of any.
 * @param {readonly { name: string, run: Run }[]} runs of files with these names
 * @param {Say} [say]
 * @returns {string[][]} the head first; empty where nothing became of anything
 */
export function tableOf(runs, say = english) {
  const nameOf = (/** @type {string} */ type) => TYPES[type]?.(say) ?? type.replaceAll('_', ' ')
  const rows = runs.flatMap(({ name, run }) =>
    Object.entries(run.resources ?? {})
      .filter(([, totals]) => Object.values(totals).some((number) => number > 0))
      .map(([type, totals]) => ({ what: `${runs.length > 1 ? `${name}: ` : ''}${nameOf(type)}`, totals })),
  )
  const columns = COLUMNS.filter(([action]) => rows.some(({ totals }) => (totals[action] ?? 0) > 0))
  if (rows.length === 0) return []
  const body = rows.map(({ what, totals }) => [what, ...columns.map(([action]) => say`${totals[action] ?? 0}`)])
  return [[say`What`, ...columns.map(([, head]) => head(say))], ...body]
}

/** @param {unknown} error @returns {string | null} */
function detailOf(error) {
  if (typeof error === 'string') return error
  const detail = typeof error === 'object' && error !== null && 'detail' in error ? error.detail : null
  return typeof detail === 'string' ? detail : null
}

/**
 * An item that failed: where it is in the file, and why.
 * @param {RunItem} item
 * @param {Say} [say]
 */
export function failureInWords({ where, warnings }, say = english) {
  const reasons = warnings.map(({ detail }) => detail).join('; ')
  return `${where || say`The file`}: ${reasons || say`no reason is given`}`
}
