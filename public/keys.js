/** Making, listing, adding and deleting keys. */

import { BASE } from './api.js'
import { byId, copy, download, element, flash, say } from './dom.js'
import { fileNameFor, readKeys, UnreadableKeys, writeKeyFile } from './key-file.js'
import { foreignAdvice, isSatchelKey, makeKey } from './key-format.js'
import { KeyItem } from './key-item.js'
import { tidyName } from './key-store.js'

/**
 * @typedef {import('./key-store.js').KeptKey} KeptKey
 * @typedef {import('./key-store.js').KeyStore} KeyStore
 */

const UNREACHABLE = 'The server cannot be reached. Try it again later.'

/**
 * Wires the form, the list, the import, the dialog and the links with keys to the store.
 * @param {KeyStore} store
 */
export function startKeys(store) {
  const list = new KeyList(store)
  store.addEventListener('change', () => list.render())
  list.render()
  wireMaking(store, list)
  wireImport(store, list)
  byId('download-all', HTMLButtonElement).addEventListener('click', () => downloadKeys(store, store.keys))
  const follow = () => takeFromAddress(store, list)
  window.addEventListener('hashchange', follow)
  follow()
}

/**
 * A key that came in the address leaves it at once, and is added only if the person presses for it.
 * @param {KeyStore} store
 * @param {KeyList} list
 */
async function takeFromAddress(store, list) {
  const { hash, pathname, search } = location
  if (!hash.startsWith('#key=')) return
  history.replaceState(null, '', pathname + search)
  const link = await import('./key-link.js').catch(() => null)
  if (link) link.askToAdd(hash.slice('#key='.length), store.keys, (key) => add(store, list, [{ key, name: '' }], ''))
  else showImportFault(UNREACHABLE)
}

/**
 * @param {readonly { name: string }[]} others
 * @param {string} wish what the person typed
 */
function nameFor(others, wish) {
  let number = others.length + 1
  while (others.some(({ name }) => name === `Key ${number}`)) number++
  return tidyName(wish, `Key ${number}`)
}

/**
 * @param {KeyStore} store
 * @param {KeyList} list
 */
function wireMaking(store, list) {
  const field = byId('make-name', HTMLInputElement)
  byId('make-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    const name = nameFor(store.keys, field.value)
    const kept = { key: makeKey(), name, made_at: new Date().toISOString(), saved: false }
    store.add(kept)
    field.value = ''
    list.present(kept.key)
    import('./settings.js').then(
      ({ sendBrowserSettings }) => sendBrowserSettings(kept.key),
      () => {}, // as when the server cannot be reached: see there
    )
    say(`“${kept.name}” is made and chosen. Copy it to a safe place.`)
  })
}

/**
 * @param {KeyStore} store
 * @param {readonly KeptKey[]} keys
 */
function downloadKeys(store, keys) {
  download(new Blob([writeKeyFile(keys, BASE)], { type: 'application/json' }), fileNameFor(keys))
  store.markSaved(keys.map(({ key }) => key))
  say('Downloaded.')
}

/**
 * @param {KeyStore} store
 * @param {KeyList} list
 */
function wireImport(store, list) {
  const text = byId('import-text', HTMLInputElement)
  const file = byId('import-file', HTMLInputElement)
  byId('import-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    takeIn(store, list, text.value, byId('import-name', HTMLInputElement).value)
  })
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? []
    if (chosen) takeIn(store, list, await chosen.text(), '')
    file.value = '' // so that the same file can be opened again
  })
}

/**
 * @param {KeyStore} store
 * @param {KeyList} list
 * @param {string} text a key or the contents of a key file
 * @param {string} wish name for the key, if the text has none
 */
function takeIn(store, list, text, wish) {
  showImportFault('')
  try {
    const found = readKeys(text)
    byId('import-form', HTMLFormElement).reset()
    byId('import', HTMLDetailsElement).open = false
    add(store, list, found, wish)
  } catch (error) {
    if (!(error instanceof UnreadableKeys)) throw error
    showImportFault(error.message)
  }
}

/**
 * @param {KeyStore} store
 * @param {KeyList} list
 * @param {{ key: string, name: string }[]} found
 * @param {string} wish name for those that have none
 */
function add(store, list, found, wish) {
  const fresh = store.addAll(named(found, wish, store.keys))
  list.present(found[0]?.key ?? '')
  say(wordsFor(found.length, fresh))
}

/**
 * @param {{ key: string, name: string }[]} found
 * @param {string} wish name for those that have none
 * @param {readonly KeptKey[]} others
 */
function named(found, wish, others) {
  const made_at = new Date().toISOString()
  /** @type {KeptKey[]} */
  const all = []
  for (const { key, name } of found) {
    all.push({ key, name: nameFor([...others, ...all], name || wish), made_at, saved: true })
  }
  return all
}

/** @param {string} words empty: there is none */
function showImportFault(words) {
  if (words) byId('import', HTMLDetailsElement).open = true
  byId('import-fault', HTMLElement).textContent = words
  byId('import-text', HTMLElement).ariaInvalid = words ? 'true' : 'false'
}

/**
 * @param {number} found
 * @param {{ key: string }[]} fresh
 */
function wordsFor(found, fresh) {
  if (fresh.length === 0)
    return found === 1 ? 'This key is here already; it is now chosen.' : 'These keys are here already.'
  const added = fresh.length === 1 ? 'One key added.' : `${fresh.length} keys added.`
  return fresh.every(({ key }) => isSatchelKey(key)) ? added : `${added} ${foreignAdvice()}`
}

/** The list of keys as the store has it; items stay in place across changes, so that nothing loses the focus. */
class KeyList {
  #list = byId('key-list', HTMLUListElement)
  #noKey = byId('no-key', HTMLInputElement)
  #store
  /** @type {Map<string, KeyItem>} */
  #items = new Map()

  /** @param {KeyStore} store */
  constructor(store) {
    this.#store = store
    this.#noKey.addEventListener('change', () => store.choose(null))
  }

  render() {
    const { keys, chosen } = this.#store
    for (const [key, item] of this.#items) {
      if (keys.every((kept) => kept.key !== key)) this.#drop(key, item)
    }
    let place = this.#list.firstElementChild
    for (const kept of keys) {
      const item = this.#itemFor(kept)
      if (item.root === place) place = place.nextElementSibling
      else this.#list.insertBefore(item.root, place)
      item.update(kept, kept.key === chosen?.key)
    }
    this.#noKey.checked = chosen === null
    byId('no-key-detail', HTMLElement).hidden = chosen !== null
    byId('download-all', HTMLElement).hidden = keys.length < 2
  }

  /**
   * Shows a key that has just come, ready to copy.
   * @param {string} key
   */
  present(key) {
    const item = this.#items.get(key)
    item?.reveal(true)
    item?.focusCopy()
  }

  /**
   * @param {string} key
   * @param {KeyItem} item
   */
  #drop(key, item) {
    item.root.remove()
    this.#items.delete(key)
  }

  /** @param {KeptKey} kept */
  #itemFor(kept) {
    const known = this.#items.get(kept.key)
    if (known) return known
    const item = new KeyItem(kept, this.#actionsFor(kept.key))
    this.#items.set(kept.key, item)
    return item
  }

  /**
   * @param {string} key
   * @returns {import('./key-item.js').KeyActions}
   */
  #actionsFor(key) {
    const store = this.#store
    return {
      choose: () => store.choose(key),
      copy: (pressed) => this.#copy(key, pressed),
      copiedByHand: () => store.markSaved([key]),
      download: () =>
        downloadKeys(
          store,
          store.keys.filter((kept) => kept.key === key),
        ),
      toPhone: () => this.#toPhone(key),
      rename: (name) => store.rename(key, name),
      remove: () => this.#askToDelete(key),
    }
  }

  /**
   * @param {string} key
   * @param {HTMLButtonElement} pressed
   */
  async #copy(key, pressed) {
    if (await copy(key)) {
      this.#store.markSaved([key])
      flash(pressed, 'Copied')
      say('Copied.')
    } else {
      this.#items.get(key)?.askToCopy()
    }
  }

  /** @param {string} key */
  async #toPhone(key) {
    const kept = this.#store.keys.find((candidate) => candidate.key === key)
    const link = await import('./key-link.js').catch(() => null)
    if (!link) this.#items.get(key)?.note(UNREACHABLE)
    else if (kept) link.showCode(kept)
  }

  /** @param {string} key */
  #askToDelete(key) {
    const kept = this.#store.keys.find((candidate) => candidate.key === key)
    if (!kept) return
    const dialog = byId('delete-dialog', HTMLDialogElement)
    byId('delete-title', HTMLElement).replaceChildren('Delete “', element('bdi', {}, kept.name), '”?')
    byId('delete-words', HTMLElement).textContent = kept.saved
      ? 'Unless you still have a copy, its workspace cannot be reached again, by anyone. The server cannot recover the key.'
      : 'You have never copied this key. Once it is deleted, its workspace cannot be reached again, by anyone. The server cannot recover the key.'
    dialog.returnValue = ''
    dialog.onclose = () => dialog.returnValue === 'delete' && this.#delete(kept)
    dialog.showModal()
  }

  /** @param {KeptKey} kept */
  #delete({ key, name }) {
    this.#store.remove(key)
    const { chosen } = this.#store
    if (chosen) this.#items.get(chosen.key)?.focus()
    else this.#noKey.focus()
    say(`“${name}” is deleted. ${chosen ? `“${chosen.name}” is now chosen.` : 'This page now works without a key.'}`)
  }
}
