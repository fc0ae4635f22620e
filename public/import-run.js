/** A running import as the server tells of it, in words. `satchel import` uses this, too. */

import { lengthInWords } from './in-words.js'

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

const count = new Intl.NumberFormat('en')

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
 */
export function progressInWords({ state, done, total, eta_seconds }) {
  if (state === 'waiting') return 'Waiting for its turn.'
  if (state === 'reading' || !total)
    return done > 0 ? `Reading the file: ${count.format(done)} items so far.` : 'Reading the file.'
  const left = eta_seconds === null ? '' : `, ${lengthInWords(eta_seconds)} left`
  return `${count.format(done)} of ${count.format(total)} (${Math.floor((100 * done) / total)} %)${left}`
}

/**
 * What it came to: "1,180 created, 3 updated, 5 failed".
 * @param {Run} run
 */
export function totalsInWords({ totals }) {
  const some = Object.entries(totals).filter(([, number]) => number > 0)
  return some.length === 0 ? 'nothing' : some.map(([action, number]) => `${count.format(number)} ${action}`).join(', ')
}

/**
 * How it ended, in one sentence.
 * @param {Run} run
 */
export function endInWords(run) {
  const totals = totalsInWords(run)
  if (run.state === 'failed')
    return `The import failed. ${detailOf(run.error)}${totals === 'nothing' ? '' : ` What was imported before stays: ${totals}.`}`
  if (run.state === 'cancelled')
    return run.dry_run
      ? 'Stopped. It was a dry run: nothing was changed.'
      : `Stopped. What was imported until then stays: ${totals}.`
  return run.dry_run ? `A dry run, nothing was changed. It would come to: ${totals}.` : `Imported: ${totals}.`
}

const COLUMNS = new Map([
  ['created', 'New'],
  ['updated', 'Changed'],
  ['unchanged', 'As before'],
  ['skipped', 'Skipped'],
  ['failed', 'Failed'],
])

/**
 * What runs came to, as the cells of a table: a row for each kind of thing, and a column for what became of any.
 * @param {{ name: string, run: Run }[]} runs of files with these names
 * @returns {string[][]} the head first; empty where nothing became of anything
 */
export function tableOf(runs) {
  const rows = runs.flatMap(({ name, run }) =>
    Object.entries(run.resources ?? {})
      .filter(([, totals]) => Object.values(totals).some((number) => number > 0))
      .map(([type, totals]) => ({ what: `${runs.length > 1 ? `${name}: ` : ''}${type.replaceAll('_', ' ')}`, totals })),
  )
  const columns = [...COLUMNS].filter(([action]) => rows.some(({ totals }) => (totals[action] ?? 0) > 0))
  if (rows.length === 0) return []
  const body = rows.map(({ what, totals }) => [what, ...columns.map(([action]) => count.format(totals[action] ?? 0))])
  return [['What', ...columns.map(([, head]) => head)], ...body]
}

/** @param {unknown} error */
function detailOf(error) {
  if (typeof error === 'string') return error
  const detail = typeof error === 'object' && error !== null && 'detail' in error ? error.detail : null
  return typeof detail === 'string' ? detail : 'The server gives no reason.'
}

/**
 * An item that failed: where it is in the file, and why.
 * @param {RunItem} item
 */
export function failureInWords({ where, warnings }) {
  return `${where || 'The file'}: ${warnings.map(({ detail }) => detail).join('; ') || 'no reason is given'}`
}
