/** The file a key travels in: readable JSON that this page writes and reads back. */

import { english } from './in-words.js'
import { faultOfKey } from './key-format.js'

/** @typedef {import('./key-store.js').KeptKey} KeptKey */

/** A text that cannot be taken in as keys; the message is for the person. */
export class UnreadableKeys extends Error {}

/**
 * @param {readonly KeptKey[]} keys
 * @param {string} server the address the keys belong to
 */
export function writeKeyFile(keys, server) {
  const about = 'Keys to Satchel workspaces. Whoever has a key has its workspace; nobody can recover a lost one.'
  return `${JSON.stringify({ about, server, keys: keys.map(({ name, key, made_at }) => ({ name, key, made_at })) }, null, 2)}\n`
}

/**
 * A file name that every system takes.
 * @param {readonly KeptKey[]} keys
 */
export function fileNameFor(keys) {
  const name =
    keys.length === 1
      ? keys[0]?.name
          .normalize('NFKD')
          .replace(/[^A-Za-z0-9]+/g, '-')
          .replace(/^-+|-+$/g, '')
      : 'all'
  return `satchel-key${keys.length === 1 ? '' : 's'}${name ? `-${name.toLowerCase()}` : ''}.json`
}

/**
 * Reads a pasted key, or a file that writeKeyFile made. Every key is checked before any is returned.
 * @param {string} text
 * @param {import('./in-words.js').Say} [say] of what is thrown
 * @returns {{ key: string, name: string }[]} at least one; the name is empty where none is given
 * @throws {UnreadableKeys}
 */
export function readKeys(text, say = english) {
  const trimmed = text.trim()
  const found = trimmed.startsWith('{') ? readFile(trimmed, say) : [{ key: trimmed, name: '' }]
  if (found.length === 0) throw new UnreadableKeys(say`There is no key in this file.`)
  for (const { key, name } of found) {
    const fault = faultOfKey(key, say)
    if (fault) throw new UnreadableKeys(name ? say`“${name}”: ${fault}` : fault)
  }
  return found
}

/**
 * @param {string} text
 * @param {import('./in-words.js').Say} say
 * @returns {{ key: string, name: string }[]}
 */
function readFile(text, say) {
  /** @type {unknown} */
  let entries
  try {
    entries = JSON.parse(text).keys
  } catch {
    entries = null
  }
  if (!Array.isArray(entries)) throw new UnreadableKeys(say`This is not a key file from this page.`)
  return entries.map((entry) => ({ key: String(entry?.key ?? ''), name: String(entry?.name ?? '') }))
}
