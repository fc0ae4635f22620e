/** Lines that connect agents, programs and calendars to the server, with the chosen key. */

import { BASE, reasonOf, send, UNKNOWN } from './api.js'
import { CopyBlock } from './copy-block.js'
import { byId, say } from './dom.js'
import { maskKey } from './key-format.js'
import { literal, shellQuote } from './snippets.js'

/** Milliseconds that the server has for an answer. */
const TIMEOUT_MS = 30_000

/** The address of a calendar: a secret of its own. @typedef {{ id: string, address: string, masked: string }} Feed */

/**
 * @param {() => void} onAnswer called after every request: the figures have changed
 * @returns {{ use: (kept: import('./key-store.js').KeptKey | null) => void }}
 */
export function startConnect(onAnswer) {
  const list = byId('connect-to', HTMLSelectElement)
  const line = new CopyBlock('connect-line')
  const [feedButton, state] = [byId('feed', HTMLButtonElement), byId('feed-state', HTMLElement)]
  /** @type {import('./key-store.js').KeptKey | null} */
  let chosen = null
  /** The feed that was made for the chosen key. @type {Feed | null} */
  let feed = null
  let isBusy = false

  const render = () => {
    const client = list.value
    for (const place of document.querySelectorAll('[data-client]'))
      place.toggleAttribute('hidden', !place.getAttribute('data-client')?.split(' ').includes(client))
    const write = (/** @type {string | null} */ key) => connectLine(client, BASE, key)
    if (client !== 'calendar') line.show(write(chosen && maskKey(chosen.key)), write(chosen?.key ?? null))
    else line.show(feed?.masked ?? '', feed?.address ?? '', 'address')
    for (const id of ['connect-line', 'copy-connect-line'])
      byId(id, HTMLElement).hidden = client === 'calendar' && !feed
    feedButton.textContent = feed ? 'Take it back' : 'Make an address'
  }

  list.addEventListener('change', render)
  feedButton.addEventListener('click', async () => {
    if (isBusy) return
    isBusy = true
    const asked = chosen?.key ?? null
    const changed = await changeFeed(feed, asked)
    isBusy = false
    onAnswer()
    if (asked !== (chosen?.key ?? null)) return // the page works for another caller by now
    feed = changed.feed
    state.textContent = changed.words
    say(changed.words)
    render()
  })
  byId('connect-address', HTMLElement).textContent = `${BASE}/api/mcp`
  return {
    use(kept) {
      if (kept?.key !== chosen?.key) {
        feed = null // it is another caller's
        state.textContent = ''
      }
      chosen = kept
      render()
    },
  }
}

/**
 * What connects a program to the server: a command, JSON for its settings, or code.
 * @param {string} client as the page lists them; any other: curl
 * @param {string} base address of the server
 * @param {string | null} key
 * @returns {string}
 */
export function connectLine(client, base, key) {
  const url = `${base}/api/mcp`
  const headers = key === null ? {} : { 'X-API-Key': key }
  const connection = { url, ...(key !== null && { headers }) }
  if (client === 'webui') return JSON.stringify(headers)
  if (client === 'cursor') return JSON.stringify({ mcpServers: { satchel: connection } }, null, 2)
  if (client === 'code')
    return `code --add-mcp ${shellQuote(JSON.stringify({ name: 'satchel', type: 'http', ...connection }))}`
  const header = key === null ? '' : shellQuote(`X-API-Key: ${key}`)
  if (client === 'claude')
    return `claude mcp add --transport http satchel ${shellQuote(url)}${header && ` --header ${header}`}`
  if (client === 'openai') {
    const options = { baseURL: `${base}/api/openai/v1`, apiKey: 'unused', defaultHeaders: headers }
    return `import OpenAI from "openai"\n\nconst openai = new OpenAI(${literal(options)})`
  }
  if (client === 'ollama')
    return `import { Ollama } from "ollama"\n\nconst ollama = new Ollama(${literal({ host: base, headers })})`
  if (client === 'typescript')
    return `import createClient from "openapi-fetch"\nimport type { paths } from "./satchel"\n\nconst satchel = createClient<paths>(${literal({ baseUrl: base, headers })})`
  return `curl ${shellQuote(`${base}/api/notes`)}${header && ` -H ${header}`}`
}

/**
 * Makes a feed, or takes back the one that there is.
 * @param {Feed | null} feed
 * @param {string | null} key
 * @returns {Promise<{ feed: Feed | null, words: string }>} what there is then, and a sentence about it
 */
async function changeFeed(feed, key) {
  const path = 'api/tasks/feeds'
  /** @type {import('./api.js').ApiRequest} */
  const request = feed
    ? { method: 'DELETE', path: `${path}/${feed.id}` }
    : { method: 'POST', path, body: { name: 'Tasks' } }
  const answer = await send(request, key, AbortSignal.timeout(TIMEOUT_MS)).catch(() => null)
  if (answer?.kind !== 'answer') return { feed, words: 'The server cannot be reached.' }
  if (feed && answer.status === 404) return { feed: null, words: 'It was taken back before.' }
  if (!answer.ok) return { feed, words: reasonOf(answer) }
  if (feed) return { feed: null, words: 'Taken back: it shows nothing any more.' }
  const { id, url } = /** @type {{ id?: unknown, url?: unknown }} */ (answer.body ?? {})
  if (typeof id !== 'string' || typeof url !== 'string') return { feed, words: UNKNOWN }
  const address = BASE + url
  const masked = address.replace(/([\w-]{4})[\w-]{39}(?=\.ics$)/, '$1…')
  return { feed: { id, address, masked }, words: 'It is shown this once: copy it now.' }
}
