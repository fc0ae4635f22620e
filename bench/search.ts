/**
 * `bun bench/search.ts [notes …]` measures searches over that many notes (10,000 and 1,000,000 unless told otherwise),
 * below HTTP, and what it takes to write a note. The corpus is made up: 45 words a note, spread as words of a language
 * are (the n-th most frequent has 1/n of the first's share).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database, Session, WorkspaceId } from '../src/db/database'
import { openDatabase } from '../src/db/open'
import { checked } from '../src/notes/note'
import { searchFollower } from '../src/notes/search/follower'
import { createSearch } from '../src/notes/search/service'
import { indexFollower } from '../src/notes/stems/follower'
import { tagFollower } from '../src/notes/tag-follower'
import { createWriter } from '../src/notes/writer'

const VOCABULARY = 50_000
const NOTES_PER_COMMIT = 1000
/** How many queries of each kind. */
const RUNS = 20
const WORKSPACE: Session['workspace'] = { id: 'b'.repeat(32) as WorkspaceId, kind: 'key' }

/** The same numbers on every run. */
function makeChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const chance = makeChance(1)
const below = (limit: number) => Math.floor(chance() * limit)
const letter = (letters: string) => letters[below(letters.length)] ?? ''
const syllable = () => letter('bcdfghjklmnprstvw') + letter('aeiou')
const vocabulary = Array.from(
  { length: VOCABULARY },
  () => Array.from({ length: 1 + below(4) }, syllable).join('') + letter('lmnrs'),
)
const wordOf = (rank: number) => vocabulary[rank] ?? ''
const words = (count: number) =>
  Array.from({ length: count }, () => wordOf(Math.floor(VOCABULARY ** chance()) - 1)).join(' ')

/** Words by how many notes have them, phrases, prefixes, pieces, negations, fields, and what no note has. */
const QUERIES: readonly (() => string)[] = [
  () => wordOf(below(20)),
  () => wordOf(below(1000)),
  () => wordOf(below(VOCABULARY)),
  () => `${wordOf(below(100))} ${wordOf(below(1000))}`,
  () => `${wordOf(below(1000))} OR ${wordOf(below(1000))}`,
  () => `${wordOf(below(1000))} -${wordOf(below(100))}`,
  () => `"${wordOf(below(100))} ${wordOf(below(100))}"`,
  () => `${wordOf(below(1000)).slice(0, 3)}*`,
  () => `${wordOf(below(1000)).slice(0, 1)}*`,
  () => `*${syllable()}${syllable()}*`,
  () => `*${syllable()}*`,
  () => `title:${wordOf(below(100))}`,
  () => `tag:${wordOf(below(20))}`,
  () => `会${wordOf(below(1000))}`,
  () => `-${wordOf(below(1000))}`,
  () => '++',
]

async function write(db: Database, notes: number): Promise<void> {
  const writer = createWriter({
    now: () => 0,
    record: async () => {},
    followers: [tagFollower, indexFollower, searchFollower],
  })
  for (let first = 0; first < notes; first += NOTES_PER_COMMIT)
    await db.transaction(async (tx) => {
      for (let at = first; at < Math.min(notes, first + NOTES_PER_COMMIT); at++) {
        const id = `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
        const input = { title: words(4), tags: [words(1)], body: words(40) }
        await writer.insert({ workspace: WORKSPACE, db: tx }, checked({ id, at, input }))
      }
    })
}

async function measure(notes: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-search-'))
  const db = openDatabase(join(folder, 'satchel.db'), 0, () => '')
  try {
    const began = performance.now()
    await write(db, notes)
    const written = (performance.now() - began) / notes
    const search = createSearch({ now: () => notes })
    const times: number[] = []
    for (const q of QUERIES.flatMap((make) => Array.from({ length: RUNS }, make))) {
      const start = performance.now()
      await search({ workspace: WORKSPACE, db }, { q, limit: '20' })
      times.push(performance.now() - start)
    }
    times.sort((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)]?.toFixed(2))
    return `${notes} notes, ${written.toFixed(2)} ms to write one; searches p50 ${p50} ms, p99 ${p99} ms`
  } finally {
    await db.close()
    rmSync(folder, { recursive: true })
  }
}

const sizes = process.argv.slice(2).map(Number)
for (const notes of sizes.length > 0 ? sizes : [10_000, 1_000_000]) process.stdout.write(`${await measure(notes)}\n`)
