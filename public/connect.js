/** Lines that connect an agent to the server over MCP, with the chosen key. */

import { BASE } from './api.js'
import { CopyBlock } from './copy-block.js'
import { byId } from './dom.js'
import { mcpLine } from './snippets.js'

/** @returns {{ use: (kept: import('./key-store.js').KeptKey | null) => void }} */
export function startConnect() {
  const agents = byId('agents', HTMLElement)
  const picked = () => agents.querySelector(':checked')?.getAttribute('value') ?? ''
  /** @param {string | null} key */
  const write = (key) => mcpLine(/** @type {import('./snippets.js').Agent} */ (picked()), `${BASE}/api/mcp`, key)
  const line = new CopyBlock('connect-line', write)
  /** @type {import('./key-store.js').KeptKey | null} */
  let chosen = null
  const render = () => {
    for (const place of document.querySelectorAll('[data-agent]'))
      place.toggleAttribute('hidden', place.getAttribute('data-agent') !== picked())
    line.show(chosen)
  }
  agents.addEventListener('change', render)
  byId('connect-address', HTMLElement).textContent = `${BASE}/api/mcp`
  return {
    use(kept) {
      chosen = kept
      render()
    },
  }
}
