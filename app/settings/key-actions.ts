/** What is done with the keys of this browser. */
import { download } from '../../public/dom.js'
import { fileNameFor, readKeys, writeKeyFile } from '../../public/key-file.js'
import type { KeptKey } from '../../public/key-store.js'
import { SERVER } from '../api/client'
import { deleteDatabase } from '../data/forgotten-copies'
import { keys, workspace } from '../data/workspace'
import { notify } from '../shell/notice'
import { takeKey } from '../shell/take-key'
import { say } from '../words/say'
import { keysInWords, nameFor } from './words'

/** Makes a key and opens its workspace. Throws Refused, Unreachable. */
export async function makeNewKey(wish: string): Promise<void> {
  const name = nameFor(keys.keys, wish)
  await takeKey(name)
  notify(say`“${name}” is made. Copy it to a safe place: nobody can recover it.`)
}

/**
 * Keeps a pasted key, or those of a key file, and opens the workspace of the first.
 * @throws UnreadableKeys with a sentence for the person
 */
export function addKeys(text: string, wish: string): void {
  const found = readKeys(text, say)
  const all: KeptKey[] = []
  for (const { key, name } of found) {
    const unique = nameFor([...keys.keys, ...all], name || wish)
    all.push({ key, name: unique, made_at: new Date().toISOString(), saved: true })
  }
  const fresh = keys.addAll(all)
  notify(keysInWords(found.length, fresh))
}

export function downloadKey(kept: KeptKey): void {
  const content = writeKeyFile([kept], SERVER.replace(/\/$/, ''))
  download(new Blob([content], { type: 'application/json' }), fileNameFor([kept]))
  keys.markSaved([kept.key])
}

/** Forgets a key, with the copy of its workspace in this browser. */
export async function removeKey({ key, name }: KeptKey): Promise<void> {
  const open = workspace.peek()
  // What can still be sent is sent, and nothing writes into the copy any more when it is deleted.
  if (open?.key === key) await open.outbox.flush()
  keys.remove(key)
  notify(say`“${name}” is removed from this browser.`)
  await deleteDatabase(key)
}
