/** Searches that a large workspace makes long, and what others wait beside them. */
import { makeChance, words } from './corpus'
import { type Effort, percentile, type Row } from './figures'
import { others, type Waits } from './others'
import { KEY } from './requests'
import { addIndexedNotes, ask, becomeIndexed, figureOf, makeNotes, search, toHeld, withSatchel } from './search-server'
import type { Server } from './server'

const NOTES = 100_000
/** Searches as people type them, for the p99. */
const TYPED = 300
/** How often each query that is meant to take long is asked. */
const ASKED = 10
/** Milliseconds that a search and the requests of others may take. */
const [SEARCH_MS, OTHERS_MS, ATTACK_MS] = [50, 50, 300]
/** The attack: so many notes of so many characters. */
const ATTACK = { notes: 12, length: 800_000 } as const

const next = makeChance(13)
const letter = () => String.fromCharCode(97 + Math.floor(next() * 26))
/** A word of eight letters, which nobody else has. */
const makeWord = () => Array.from({ length: 8 }, letter).join('')
const many = (count: number, make: () => string) => Array.from({ length: count }, make).join(' ')

/** Queries that are made to take long. */
const HEAVY: Readonly<Record<string, string>> = {
  '20 prefixes': many(20, () => `${letter()}${letter()}*`),
  '`a*`': 'a*',
  '300 unknown words': many(300, makeWord),
}
const ATTACKS: Readonly<Record<string, string>> = {
  ...HEAVY,
  '`a* b* c*`': 'a* b* c*',
  'a word': makeWord(),
  'ten words': many(10, makeWord),
  'a piece': '*ab*',
  'a phrase': `"${makeWord()} ${makeWord()}"`,
}

/** Milliseconds of the search; one that is refused is answered as well. */
async function timed(server: Server, q: string): Promise<number> {
  const began = performance.now()
  const path = `/api/notes/search?${new URLSearchParams({ q, limit: '20' })}`
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'X-API-Key': KEY } })
  await answer.arrayBuffer()
  return performance.now() - began
}

const worst = ({ write, read }: Waits) => Math.max(percentile(write, 0.99), percentile(read, 0.99))

/** Does the work, and returns what others waited beside it: the p99 of their writes or reads. */
async function beside(server: Server, work: () => Promise<void>): Promise<number> {
  let isDone = false
  const waiting = others(server, () => isDone)
  try {
    await work()
  } finally {
    isDone = true
  }
  return worst(await waiting)
}

/** The longest time of each query, and what others waited beside it. */
async function askHeavy(server: Server, queries: Readonly<Record<string, string>>, { quick }: Effort) {
  const measured: { name: string; longest: number; waited: number }[] = []
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = []
    const waited = await beside(server, async () => {
      for (let at = 0; at < (quick ? 1 : ASKED); at++) times.push(await timed(server, query))
    })
    measured.push({ name, longest: Math.max(...times), waited })
  }
  return measured
}

const largeRow: Row = {
  name: 'GET /api/notes/search among 100,000 notes of one workspace, and the wait of others beside it',
  target: `p99 ≤ ${SEARCH_MS} ms; others' p99 ≤ ${OTHERS_MS} ms`,
  measure: (effort) => {
    const notes = makeNotes(effort.quick ? 200 : NOTES)
    const typed = Array.from({ length: effort.quick ? 10 : TYPED }, (_, at) => words(1 + (at % 7)))
    return withSatchel(async (server) => {
      await addIndexedNotes(server, notes)
      // The first of each are not counted.
      for (const query of typed.slice(0, 5)) await search(server, query)
      const times: number[] = []
      for (const query of typed) times.push(await timed(server, query))
      const heavy = await askHeavy(server, HEAVY, effort)
      return figureOf([
        toHeld('p99', percentile(times, 0.99), SEARCH_MS, 'ms', 0),
        ...heavy.map(({ name, waited }) => toHeld(`beside ${name}`, waited, OTHERS_MS, 'ms', 0)),
      ])
    })
  },
}

const attackRow: Row = {
  name: 'Any search among twelve notes of 800 KB of random words, and the wait of others beside it',
  target: `≤ ${ATTACK_MS} ms; others' p99 ≤ ${OTHERS_MS} ms, also while the notes are indexed`,
  measure: (effort) => {
    const length = effort.quick ? 8000 : ATTACK.length
    const bodies = Array.from({ length: ATTACK.notes }, () => many(Math.ceil(length / 9), makeWord))
    return withSatchel(async (server) => {
      const headers = { 'Content-Type': 'application/json' }
      for (const body of bodies)
        await ask(server, KEY, '/api/notes', { method: 'POST', headers, body: JSON.stringify({ body }) })
      const first = await beside(server, async () => void (await timed(server, bodies[0]?.slice(0, 8) ?? '')))
      await becomeIndexed(server)
      const heavy = await askHeavy(server, ATTACKS, effort)
      const [longest] = heavy.toSorted((a, b) => b.longest - a.longest)
      const [waited] = heavy.toSorted((a, b) => b.waited - a.waited)
      return figureOf([
        toHeld(`${longest?.name}`, longest?.longest ?? Number.NaN, ATTACK_MS, 'ms', 0),
        toHeld(`others beside ${waited?.name}`, waited?.waited ?? Number.NaN, OTHERS_MS, 'ms', 0),
        toHeld('others beside the first search', first, OTHERS_MS, 'ms', 0),
      ])
    })
  },
}

export const crowdRows: readonly Row[] = [largeRow, attackRow]
