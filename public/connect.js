/** Lines that connect agents and programs to the server, with the chosen key. */

import { BASE } from './api.js'
import { CopyBlock } from './copy-block.js'
import { byId } from './dom.js'
import { maskKey } from './key-format.js'
import { literal, shellQuote } from './snippets.js'

/** @returns {{ use: (kept: import('./key-store.js').KeptKey | null) => void }} */
export function startConnect() {
  const list = byId('connect-to', HTMLSelectElement)
  const line = new CopyBlock('connect-line')
  /** @type {import('./key-store.js').KeptKey | null} */
  let chosen = null

  const render = () => {
    const client = list.value
    for (const place of document.querySelectorAll('[data-client]'))
      place.toggleAttribute('hidden', !place.getAttribute('data-client')?.split(' ').includes(client))
    const write = (/** @type {string | null} */ key) => connectLine(client, BASE, key)
    line.show(write(chosen && maskKey(chosen.key)), write(chosen?.key ?? null))
  }

  list.addEventListener('change', render)
  byId('connect-address', HTMLElement).textContent = `${BASE}/api/mcp`
  return {
    use(kept) {
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
