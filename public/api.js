/** Talking to the server this page came from. The key travels in X-API-Key, and only there. */

/**
 * @typedef {object} ApiRequest
 * @property {'GET' | 'POST' | 'PATCH' | 'DELETE'} method
 * @property {string} path relative to the server's base address, without a leading slash
 * @property {unknown} [body] sent as JSON
 * @property {string | null} [if_match] the ETag that what is changed must have; null or left out: any
 */

/**
 * @typedef {object} Answer
 * @property {'answer'} kind
 * @property {number} status
 * @property {boolean} ok
 * @property {string} title status and its phrase: "201 Created"
 * @property {[name: string, value: string][]} limit_headers those of X-Tier, X-RateLimit-…, RateLimit and Retry-After that came
 * @property {unknown} body parsed JSON; the text itself if it is not JSON; null if there is none
 */

/** @typedef {{ kind: 'unreachable' }} Unreachable */

/**
 * What GET /api/usage tells.
 * @typedef {object} Usage
 * @property {'free' | 'api'} tier
 * @property {number} limit requests an hour
 * @property {number} remaining
 * @property {number} reset_seconds
 * @property {{ free: number, api: number }} limits requests an hour without a key and with one
 */

const LIMIT_HEADERS = ['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'RateLimit', 'Retry-After']

/** Address of the server, without a slash at the end. */
export const BASE = new URL('.', globalThis.document?.baseURI ?? 'http://localhost/').href.replace(/\/$/, '')

/**
 * Sends a request and reads the whole answer.
 * @param {ApiRequest} request
 * @param {string | null} key
 * @param {AbortSignal} signal
 * @returns {Promise<Answer | Unreachable>}
 * @throws the reason of the signal, when it is aborted
 */
export async function send(request, key, signal) {
  try {
    const response = await fetch(`${BASE}/${request.path}`, fetchOptions(request, key, signal))
    return await readAnswer(response)
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError)) throw error
    return { kind: 'unreachable' } // fetch says nothing more than TypeError when there is no connection
  }
}

/**
 * @param {ApiRequest} request
 * @param {string | null} key
 * @param {AbortSignal} signal
 * @returns {RequestInit}
 */
function fetchOptions({ method, body, if_match }, key, signal) {
  const headers = new Headers({ Accept: 'application/json' })
  if (if_match) headers.set('If-Match', if_match)
  if (key !== null) headers.set('X-API-Key', key)
  if (body === undefined) return { method, headers, signal }
  headers.set('Content-Type', 'application/json')
  return { method, headers, signal, body: JSON.stringify(body) }
}

/**
 * @param {Response} response
 * @returns {Promise<Answer>}
 */
async function readAnswer(response) {
  const { status, statusText, ok, headers } = response
  return {
    kind: 'answer',
    status,
    ok,
    title: `${status} ${statusText}`.trim(),
    limit_headers: LIMIT_HEADERS.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
    body: parseBody(await response.text()),
  }
}

/** @param {string} text */
function parseBody(text) {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text // a proxy in front may answer in HTML; it is shown as it is
  }
}

/**
 * Why the server said no, in its own words.
 * @param {Pick<Answer, 'body' | 'title'>} answer
 * @returns {string}
 */
export function reasonOf({ body, title }) {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null
  return typeof detail === 'string' && detail !== '' ? detail : `The server answered ${title}.`
}

/**
 * @param {unknown} body
 * @returns {body is Usage}
 */
export function isUsage(body) {
  if (typeof body !== 'object' || body === null) return false
  const { limit, remaining, reset_seconds, limits } = /** @type {Record<string, unknown>} */ (body)
  const numbers = [limit, remaining, reset_seconds].every((value) => typeof value === 'number')
  return numbers && typeof limits === 'object' && limits !== null
}
