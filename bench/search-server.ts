/** A server with notes, and searches in them. */
import { makeChance, words } from './corpus'
import type { Figure } from './figures'
import { processorSeconds } from './proc'
import { KEY } from './requests'
import { type Server, startSatchel } from './server'

export interface NoteText {
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
}

/** Operations of one batch that the API accepts. */
const BATCH = 100
/** A server is quiet when it takes less than this share of a second in a whole one. */
const QUIET = { ms: 1000, share: 0.03, waits: 900 } as const
/** Words that every language has and nobody looks for, so that questions are made of words that occur. */
const COMMON = 'the of and to in is it that was for on are as with what how do I where when'.split(' ')

export async function withSatchel<T>(work: (server: Server) => Promise<T>): Promise<T> {
  const server = await startSatchel()
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Asks, and returns the text of the answer. @throws Error if it is none of success */
export async function ask(server: Server, key: string, path: string, init: RequestInit = {}): Promise<string> {
  const headers = { 'X-API-Key': key, ...init.headers }
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { ...init, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`)
  return text
}

export const search = (server: Server, q: string) =>
  ask(server, KEY, `/api/notes/search?${new URLSearchParams({ q, limit: '20' })}`)

/** Returns when the server does nothing more after its answers. */
export async function becomeQuiet({ pid }: Server): Promise<void> {
  for (let waits = 0; waits < QUIET.waits; waits++) {
    const used = processorSeconds(pid)
    await Bun.sleep(QUIET.ms)
    if (processorSeconds(pid) - used < QUIET.share) return
  }
  throw new Error('the server does not become quiet')
}

const chance = makeChance(11)
const common = () => COMMON[Math.floor(chance() * COMMON.length)] ?? ''

/** Makes notes of some 55 words, as frequent as those of a language. */
export function makeNotes(count: number): NoteText[] {
  return Array.from({ length: count }, (_, at) => ({
    title: `Note ${at} ${words(3)}`,
    tags: [words(1)],
    body: Array.from({ length: 10 }, () => `${words(4)} ${common()}`).join(' '),
  }))
}

/** Adds the notes without an index, which only a search asks for. */
export async function addNotes(server: Server, notes: readonly NoteText[]): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  for (let from = 0; from < notes.length; from += BATCH) {
    const ops = notes.slice(from, from + BATCH).map((data) => ({ op: 'create', data }))
    await ask(server, KEY, '/api/notes/batch', { method: 'POST', headers, body: JSON.stringify({ ops }) })
  }
}

/** Adds the notes, and returns when a search has indexed them all. */
export async function addIndexedNotes(server: Server, notes: readonly NoteText[]): Promise<void> {
  await addNotes(server, notes)
  await becomeIndexed(server)
}

export async function becomeIndexed(server: Server): Promise<void> {
  await search(server, words(1))
  await becomeQuiet(server)
}

/** A measured value, with its bar in words. */
export interface Held {
  readonly text: string
  readonly ok: boolean
}

/** `p99 12 ms (≤ 50: ok)` */
export function toHeld(what: string, value: number, most: number, unit: string, digits = 2): Held {
  const ok = value <= most
  return { text: `${what} ${value.toFixed(digits)} ${unit} (≤ ${most}: ${ok ? 'ok' : 'over'})`.trim(), ok }
}

export const figureOf = (held: readonly Held[]): Figure => ({
  measured: held.map(({ text }) => text).join('; '),
  reached: held.every(({ ok }) => ok),
})
