/** The search over the guides, groups, calls and error codes of the documentation. */

import { button, element } from './dom.js'

/** @typedef {{ title: string, detail: string, href: string, text: string }} Entry `text` is searched and not shown */

/** Results that are shown. */
const MOST = 20
/** Results that are shown even if others have more of the words. */
const FEW = 6

/**
 * @param {string} root address of the server with a slash at the end
 * @returns {Promise<Entry[]>}
 */
async function load(root) {
  const response = await fetch(`${root}docs/index.json`)
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  return await response.json()
}

/** Words of questions that say nothing of what is looked for. */
const FILLERS = new Set('a an and are can do for from how i in into is it my of on or the to what with'.split(' '))

/**
 * Entries with the most of the words, those with more of them in their titles first, and a few that have fewer.
 * @param {readonly Entry[]} entries
 * @param {string} text
 * @returns {Entry[]}
 */
export function find(entries, text) {
  const all = text
    .toLowerCase()
    .split(/[\s?,]+/)
    .filter(Boolean)
  const telling = all.filter((word) => !FILLERS.has(word))
  const words = (telling.length > 0 ? telling : all).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
  /** @param {string} where */
  const count = (where) => words.filter((word) => where.toLowerCase().includes(word)).length
  const counted = entries.map((entry) => {
    const inTitle = count(entry.title)
    return { entry, inTitle, inAll: count(`${entry.title} ${entry.detail} ${entry.href} ${entry.text}`) }
  })
  const found = counted
    .filter(({ inAll }) => inAll > 0)
    .sort((a, b) => b.inAll - a.inAll || b.inTitle - a.inTitle)
    .slice(0, MOST)
  return found.filter(({ inAll }, at) => at < FEW || inAll === found[0]?.inAll).map(({ entry }) => entry)
}

/** The dialog of the search, and the button that opens it. */
export class Search {
  /** @type {Promise<Entry[]> | null} */
  #entries = null
  #root
  #field = element('input', { id: 'search-words', type: 'search', autocomplete: 'off' })
  #state = element('p', { class: 'fine', role: 'status' })
  #list = element('ul', { class: 'found' })
  #dialog = element(
    'dialog',
    { 'aria-labelledby': 'search-label' },
    element(
      'form',
      { class: 'stack', method: 'dialog' },
      element('label', { id: 'search-label', for: 'search-words' }, 'Search the documentation'),
      this.#field,
      this.#state,
      this.#list,
      element('button', {}, 'Close'),
    ),
  )
  opener = button('Search (Ctrl K)', () => this.open())

  /** @param {string} root address of the server with a slash at the end */
  constructor(root) {
    this.#root = root
    document.body.append(this.#dialog)
    this.#field.addEventListener('input', () => this.#show())
    this.#field.addEventListener('keydown', (event) => {
      const first = this.#list.querySelector('a')
      if (event.key !== 'Enter') return
      event.preventDefault()
      first?.click()
    })
    this.#list.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('a')) this.#dialog.close()
    })
  }

  open() {
    if (!this.#dialog.open) this.#dialog.showModal()
    this.#field.select()
    this.#show()
  }

  async #show() {
    try {
      this.#entries ??= load(this.#root)
      const entries = await this.#entries
      const found = find(entries, this.#field.value)
      this.#list.replaceChildren(...found.map((entry) => this.#item(entry)))
      this.#state.textContent =
        this.#field.value.trim() === '' ? 'Guides, calls, groups and error codes.' : `${found.length} found.`
    } catch (error) {
      this.#entries = null // the next word tries once more
      this.#state.textContent = `The search did not load: ${error instanceof Error ? error.message : error}.`
    }
  }

  /** @param {Entry} entry */
  #item({ title, detail, href }) {
    return element(
      'li',
      {},
      element('a', { href: this.#root + href }, title),
      ' ',
      element('span', { class: 'quiet' }, detail),
    )
  }
}
