/** The time zone and the language of a new key's workspace: those of the browser. */

import { send } from './api.js'

/** The languages in which the server reads words of time. */
const LANGUAGES = ['en', 'de', 'fr', 'es']
const TIMEOUT_MS = 10_000

/**
 * @param {string | undefined} timeZone as the browser names it; undefined if it does not know
 * @param {readonly string[]} languages such as de-AT, the person's first choice first
 */
export function settingsOf(timeZone, languages) {
  const known = languages
    .map((tag) => tag.split('-', 1)[0]?.toLowerCase() ?? '')
    .find((base) => LANGUAGES.includes(base))
  return { time_zone: timeZone ?? null, language: known ?? null }
}

/**
 * Sends the settings of the browser with a key that was just made. Without them the workspace goes by UTC and English
 * until somebody changes that, so a failure is no reason to bother the person.
 * @param {string} key
 */
export async function sendBrowserSettings(key) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const request = /** @type {const} */ ({
    method: 'PATCH',
    path: 'api/workspace/settings',
    body: settingsOf(timeZone, navigator.languages),
  })
  await send(request, key, AbortSignal.timeout(TIMEOUT_MS)).catch(() => {})
}
