/**
 * The keys this browser keeps, in its own storage and nowhere else. Every change first reads what another tab may have
 * written. Where the browser refuses to store, keys live in memory until the page closes, and `trouble` says so.
 */

/**
 * @typedef {object} KeptKey
 * @property {string} key
 * @property {string} name 1 to 60 code points
 * @property {string} made_at RFC 3339 instant at which it was made or added here
 * @property {boolean} saved whether it was ever copied or downloaded, or came from elsewhere
 */

/** What is used of the browser's Storage. @typedef {Pick<Storage, 'getItem' | 'setItem'>} Slots */
/**
 * `recent` has the keys that were chosen and are still kept, the last one first.
 * @typedef {{ keys: KeptKey[], chosen: string | null, recent: string[], broken: boolean }} Contents
 */

/** Longest name of a key, in code points. */
export const NAME_LIMIT = 60

/** Where contents that could not be read are put aside, rather than written over. */
const BROKEN_SLOT = 'satchel.keys.unreadable'

/** What is wrong with the browser's storage. @typedef {'denied' | 'unreadable'} Trouble */

/**
 * The browser's storage for this page, or for its tab; null where the browser or its owner forbids it.
 * @param {'localStorage' | 'sessionStorage'} [kind]
 * @returns {Storage | null}
 */
export function browserStorage(kind = 'localStorage') {
  try {
    return globalThis[kind]
  } catch {
    return null // reading the property throws when storage is blocked: a state to report, not a fault
  }
}

/** Characters that turn the direction of the text around them, in the page and in a sentence that is read aloud. */
const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
/** More marks on one letter than any language has: they would grow over the lines above and below. */
const TOWERS = /(?<=\p{M}{4})\p{M}+/gu

/**
 * One line that can be seen, no blanks around it, at most NAME_LIMIT code points; the fallback if nothing is left.
 * @param {string} text
 * @param {string} fallback
 */
export function tidyName(text, fallback) {
  const line = text
    .replace(TURNS, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(TOWERS, '')
    .trim()
  const name = [...line].slice(0, NAME_LIMIT).join('').trim()
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : fallback
}

const FITS_A_HEADER = /^[\x21-\x7e]+$/

/**
 * @param {unknown} value
 * @returns {value is KeptKey}
 */
function isKeptKey(value) {
  if (typeof value !== 'object' || value === null) return false
  const { key, name, made_at, saved } = /** @type {Record<string, unknown>} */ (value)
  const texts = [key, name, made_at].every((text) => typeof text === 'string' && text !== '')
  return (
    texts && typeof saved === 'boolean' && FITS_A_HEADER.test(String(key)) && !Number.isNaN(Date.parse(String(made_at)))
  )
}

/**
 * The first of each key.
 * @param {readonly KeptKey[]} keys
 */
function distinct(keys) {
  return [...Map.groupBy(keys, ({ key }) => key).values()].flatMap((same) => same.slice(0, 1))
}

/**
 * @param {string} text as written by `write`
 * @returns {Contents}
 */
function parse(text) {
  try {
    const { keys, chosen, recent } = JSON.parse(text)
    const good = distinct(keys.filter(isKeptKey))
    const kept = new Set(good.map(({ key }) => key))
    return {
      keys: good,
      chosen: kept.has(chosen) ? chosen : null,
      recent: Array.isArray(recent) ? recent.filter((key) => kept.has(key)) : [],
      broken: good.length < keys.length,
    }
  } catch {
    return { keys: [], chosen: null, recent: [], broken: true }
  }
}

/** The kept keys and the choice among them; a `change` event follows every change, from here or another tab. */
export class KeyStore extends EventTarget {
  /** The name under which the browser's storage holds the keys. */
  static SLOT = 'satchel.keys'

  /** @type {Slots | null} */
  #storage
  /** @type {KeptKey[]} */
  #keys = []
  /** @type {string | null} */
  #chosen = null
  /** @type {string[]} */
  #recent = []
  /** Memory holds what storage does not: do not let storage overwrite it. */
  #ahead = false
  /** Null when all is well. @type {Trouble | null} */
  trouble = null

  /** @param {Slots | null} storage */
  constructor(storage) {
    super()
    this.#storage = storage
    this.#read()
    if (!storage) this.trouble = 'denied'
  }

  /** Newest first. @returns {readonly KeptKey[]} */
  get keys() {
    return this.#keys
  }

  /** The key the page works with; null: without a key. @returns {KeptKey | null} */
  get chosen() {
    return this.#keys.find(({ key }) => key === this.#chosen) ?? null
  }

  /**
   * Keeps a key and chooses it. False if it is here already: then it is only chosen.
   * @param {KeptKey} kept
   */
  add(kept) {
    return this.addAll([kept]).length > 0
  }

  /**
   * Keeps the keys in this order before the others, and chooses the first. Those that are here already stay as they are.
   * @param {readonly KeptKey[]} found at least one
   * @returns {KeptKey[]} those that were not here
   */
  addAll(found) {
    this.#read()
    const here = new Set(this.#keys.map(({ key }) => key))
    const fresh = distinct(found).filter(({ key }) => !here.has(key))
    this.#keys = [...fresh, ...this.#keys]
    this.#choose(found[0]?.key ?? null)
    this.#write()
    return fresh
  }

  /**
   * @param {string} key
   * @param {string} name
   */
  rename(key, name) {
    this.#change([key], { name })
  }

  /** @param {readonly string[]} keys that were copied or downloaded */
  markSaved(keys) {
    this.#change(keys, { saved: true })
  }

  /**
   * @param {readonly string[]} keys
   * @param {Partial<Pick<KeptKey, 'name' | 'saved'>>} change
   */
  #change(keys, change) {
    this.#read()
    this.#keys = this.#keys.map((kept) => (keys.includes(kept.key) ? { ...kept, ...change } : kept))
    this.#write()
  }

  /**
   * Forgets a key. If it was the chosen one, that becomes the one chosen last before it, else its neighbour in the list.
   * @param {string} key
   */
  remove(key) {
    this.#read()
    const place = this.#keys.findIndex((kept) => kept.key === key)
    this.#keys = this.#keys.filter((kept) => kept.key !== key)
    this.#recent = this.#recent.filter((recent) => recent !== key)
    const neighbour = this.#keys[place] ?? this.#keys.at(-1)
    if (this.#chosen === key) this.#choose(this.#recent[0] ?? neighbour?.key ?? null)
    this.#write()
  }

  /** @param {string | null} key null: work without a key */
  choose(key) {
    this.#read()
    this.#choose(key)
    this.#write()
  }

  /** @param {string | null} key another tab may have removed it: then none is chosen */
  #choose(key) {
    this.#chosen = this.#keys.find((kept) => kept.key === key)?.key ?? null
    if (this.#chosen) this.#recent = [...new Set([this.#chosen, ...this.#recent])]
  }

  /** Takes over what another tab wrote. */
  refresh() {
    this.#read()
    this.dispatchEvent(new Event('change'))
  }

  #read() {
    const text = this.#ahead ? null : this.#stored()
    if (text === null) return
    const { keys, chosen, recent, broken } = parse(text)
    this.#keys = keys
    this.#chosen = chosen
    this.#recent = recent
    if (broken) this.#setAside(text)
  }

  /** An empty slot counts as an empty list: another tab may have cleared it. @returns {string | null} */
  #stored() {
    try {
      return this.#storage ? (this.#storage.getItem(KeyStore.SLOT) ?? '{"keys":[],"chosen":null}') : null
    } catch {
      this.trouble = 'denied'
      return null
    }
  }

  /** @param {string} text */
  #setAside(text) {
    this.trouble = 'unreadable'
    try {
      this.#storage?.setItem(BROKEN_SLOT, text)
    } catch {
      this.#storage = null // no room to put it aside: then nothing may be written over it
      this.trouble = 'denied'
    }
  }

  #write() {
    try {
      this.#storage?.setItem(
        KeyStore.SLOT,
        JSON.stringify({ version: 1, chosen: this.#chosen, recent: this.#recent, keys: this.#keys }),
      )
      this.#ahead = this.#storage === null
      if (this.trouble === 'denied' && !this.#ahead) this.trouble = null
    } catch {
      this.#ahead = true
      this.trouble = 'denied'
    }
    this.dispatchEvent(new Event('change'))
  }
}
