/** Search through a started server, beside FTS5 over the same notes and the server as it was before (`--before=DIR`). */
import { Database } from 'bun:sqlite'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeChance, words } from './corpus'
import { type Effort, type Figure, median, type Row } from './figures'
import { processorSeconds } from './proc'
import { KEY, NOTE } from './requests'
import { crowdRows } from './search-crowd'
import {
  addNotes,
  ask,
  becomeIndexed,
  becomeQuiet,
  figureOf,
  type Held,
  makeNotes,
  type NoteText,
  search,
  startPair,
  toHeld,
  toRatio,
  withPair,
} from './search-pair'
import { findBefore, makeFolder, removeFolder, SATCHEL, type Server, type Start, start } from './server'

const NOTES = 10_000
/** Queries of a kind, asked in turn. */
const QUERIES = 200
/** Notes of 4 KiB that are created for a round. */
const CREATED = 200
/** Notes that are created one at a time, each when the server is quiet. */
const LONE = 20
/** Seconds after which what an import left behind is merged, and what that replaced thrown away: two turns of the jobs. */
const SETTLED = 130
/**
 * Milliseconds without a further statement or fsync after which a server has done all that a request asks of it: more than
 * the half second after which it indexes.
 */
const STILL_MS = 1500

const chance = makeChance(7)
const letters = 'bcdfghklmnprstvw'

/** A word with one letter changed, so that hardly any note has it. */
function misspell(word: string): string {
  const at = 1 + Math.floor(chance() * (word.length - 1))
  return `${word.slice(0, at)}${letters[Math.floor(chance() * letters.length)]}x${word.slice(at + 1)}`
}

/** What is typed, and the share of the time of before that it may take. */
const KINDS: readonly { kind: string; most: number; make: () => string }[] = [
  { kind: '1 word', most: 0.3, make: () => words(1) },
  { kind: '2 words', most: 0.3, make: () => words(2) },
  { kind: '4 words', most: 0.3, make: () => words(4) },
  { kind: '10 words', most: 0.3, make: () => words(10) },
  { kind: 'a question', most: 0.3, make: () => `what is the ${words(1)} of ${words(1)}?` },
  { kind: 'a slip', most: 0.3, make: () => misspell(words(1)) },
  { kind: 'a prefix', most: 1, make: () => `${words(1).slice(0, 3)}*` },
]
const MEDIAN_MOST = 0.2
const FTS5_MOST = 10

/** SQLite's own search over the notes: any word, with its ranking and snippets of the best twenty. */
function createFts5(notes: readonly NoteText[]) {
  const db = new Database(':memory:')
  db.run("CREATE VIRTUAL TABLE notes USING fts5(title, tags, body, tokenize = 'porter unicode61', prefix = '2 3')")
  const insert = db.query('INSERT INTO notes(title, tags, body) VALUES (?, ?, ?)')
  db.transaction(() => notes.forEach(({ title, tags, body }) => void insert.run(title, tags.join(' '), body)))()
  const find = db.query(
    `SELECT rowid, snippet(notes, 0, '[', ']', '…', 16), snippet(notes, 2, '[', ']', '…', 32) FROM notes
      WHERE notes MATCH ? ORDER BY bm25(notes, 10, 5, 1) LIMIT 20`,
  )
  /** Quoted, since some of the words are operators of FTS5. */
  const toMatch = (query: string) =>
    (query.match(/\w+\*?/g) ?? []).map((word) => (word.endsWith('*') ? `"${word.slice(0, -1)}"*` : `"${word}"`))
  return {
    /** Milliseconds of the processor of one search. */
    cost(queries: readonly string[]): number {
      const began = process.cpuUsage()
      for (const query of queries) find.all(toMatch(query).join(' OR '))
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1000 / queries.length
    },
    close: () => db.close(),
  }
}

/** Milliseconds of the server's processor of one search, over so many seconds and all queries at least once. */
async function costOf(server: Server, queries: readonly string[], seconds: number): Promise<number> {
  const [end, used] = [performance.now() + seconds * 1000, processorSeconds(server.pid)]
  let asked = 0
  while (asked < queries.length || performance.now() < end)
    await search(server, queries[asked++ % queries.length] ?? '')
  return ((processorSeconds(server.pid) - used) / asked) * 1000
}

const costRow: Row = {
  name: 'Processor time of GET /api/notes/search among 10,000 notes',
  target: `each ≤ 0.3 × before (a prefix ≤ 1 ×), the median ≤ ${MEDIAN_MOST} ×; ≤ ${FTS5_MOST} × FTS5 with snippets`,
  measure: (effort) =>
    withPair(async (pair) => {
      const notes = makeNotes(effort.quick ? 100 : NOTES)
      const fts5 = createFts5(notes)
      for (const server of pair) if (server) await addNotes(server, notes)
      const held: Held[] = []
      const ratios: number[] = []
      for (const { kind, most, make } of KINDS) {
        const queries = Array.from({ length: effort.quick ? 5 : QUERIES }, make)
        const rounds: [number, number | null, number][] = []
        for (let round = 0; round <= Math.min(effort.rounds, 3); round++) {
          const seconds = round === 0 ? 0 : effort.seconds
          const before = pair[1] && (await costOf(pair[1], queries, seconds))
          const costs = [await costOf(pair[0], queries, seconds), before, fts5.cost(queries)] as const
          // The first round warms up.
          if (round > 0) rounds.push([...costs])
        }
        const now = median(rounds.map(([cost]) => cost))
        const before = pair[1] ? median(rounds.map(([, cost]) => cost ?? Number.NaN)) : null
        if (before !== null) ratios.push(now / before)
        const peer = now / median(rounds.map(([, , cost]) => cost))
        held.push(toRatio(`${kind} ${now.toFixed(2)} ms`, now, before, most), toHeld('', peer, FTS5_MOST, '× FTS5', 1))
      }
      fts5.close()
      if (ratios.length > 0) held.push(toHeld('the median', median(ratios), MEDIAN_MOST, '× before'))
      return figureOf(held)
    }),
}

/** Runs `work` on a copy of the server's folder, whose files nobody has locked. */
async function withCopy<T>(server: Server, work: (data: string) => T | Promise<T>): Promise<T> {
  const data = makeFolder()
  try {
    cpSync(server.folder, data, { recursive: true })
    return await work(data)
  } finally {
    removeFolder(data)
  }
}

/** Bytes of the pages in use of the database and of the files of the index. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const databases = files.filter((name) => name === 'satchel.db' || /^search\/.*\.db$/.test(name))
  return databases.reduce((sum, name) => {
    const db = new Database(join(folder, name))
    try {
      const [row] = db
        .query<{ bytes: number }, []>(
          `SELECT (page_count - freelist_count) * page_size AS bytes
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
        )
        .all()
      return sum + (row?.bytes ?? 0)
    } finally {
      db.close()
    }
  }, 0)
}

/** Takes the index away from a folder, so that a search makes it again. */
function dropIndex(folder: string): void {
  if (existsSync(join(folder, 'search'))) {
    rmSync(join(folder, 'search'), { recursive: true })
    return
  }
  const db = new Database(join(folder, 'satchel.db'))
  // Before the index had files of its own.
  db.run('UPDATE search_docs SET pending = 1')
  db.close()
}

/** Seconds of the processor that a start on a copy of the data and one search take, with the index or without. */
const restarted = (program: Start, server: Server, drop: boolean) =>
  withCopy(server, async (data) => {
    if (drop) dropIndex(data)
    const copy = await start({ ...program, data })
    try {
      await becomeIndexed(copy)
      return processorSeconds(copy.pid)
    } finally {
      await copy.stop()
    }
  })

const batchRow: Row = {
  name: '10,000 notes by POST /api/notes/batch, and their index',
  target: 'processor ≤ 0.6 × before; indexed ≥ 4 × as fast; database and index ≤ 1 ×',
  measure: (effort) =>
    withPair(async (pair) => {
      const notes = makeNotes(effort.quick ? 200 : NOTES)
      const programs = [SATCHEL, findBefore()] as const
      const measured: { used: number; rate: number; size: number }[] = []
      for (const server of pair) {
        if (!server) continue
        const used = processorSeconds(server.pid)
        await addNotes(server, notes)
        measured.push({ used: processorSeconds(server.pid) - used, rate: 0, size: 0 })
      }
      if (!effort.quick) await Bun.sleep(SETTLED * 1000)
      for (const [side, one] of measured.entries()) {
        const [server, program] = [pair[side], programs[side]]
        if (!server || !program) continue
        one.size = (await withCopy(server, sizeOf)) / 2 ** 20
        const [without, kept] = [await restarted(program, server, true), await restarted(program, server, false)]
        one.rate = notes.length / (without - kept)
      }
      const [now, before] = measured
      if (!now) throw new Error('nothing was measured')
      return figureOf([
        toRatio(`${now.used.toFixed(1)} s`, now.used, before?.used ?? null, 0.6),
        toRatio(`indexed ${now.rate.toFixed(0)} a second`, 1 / now.rate, before ? 1 / before.rate : null, 0.25),
        toRatio(`${now.size.toFixed(1)} MiB`, now.size, before?.size ?? null, 1),
      ])
    }),
}

async function create(server: Server, body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  await ask(server, KEY, '/api/notes', { method: 'POST', headers, body: JSON.stringify({ body }) })
}

const makeBody = () => words(800).slice(0, 4096)

/** Milliseconds of the processor of a new note, with what is done after the answer; the medians of all rounds. */
function createCosts(effort: Effort): Promise<(number | null)[]> {
  return withPair(async (pair) => {
    const costs: [number[], number[]] = [[], []]
    const created = effort.quick ? 5 : CREATED
    for (const server of pair) if (server) await addNotes(server, makeNotes(100))
    for (let round = 0; round <= Math.min(effort.rounds, 3); round++) {
      const bodies = Array.from({ length: created }, makeBody)
      for (const [side, server] of pair.entries()) {
        if (!server) continue
        const used = processorSeconds(server.pid)
        for (const body of bodies) await create(server, body)
        await becomeQuiet(server)
        // The first round warms up.
        if (round > 0) costs[side]?.push(((processorSeconds(server.pid) - used) / created) * 1000)
      }
    }
    return costs.map((one) => (one.length > 0 ? median(one) : null))
  })
}

/** What a lone POST adds to a count of the server: up to its answer, and after it. */
interface Lone {
  readonly until: number
  readonly after: number
}

/** Creates notes one at a time, each when the count stays the same, and returns the medians of what each has added. */
async function countLone(server: Server, { quick }: Effort, read: () => number): Promise<Lone> {
  const counted: Lone[] = []
  for (let at = 0; at < (quick ? 2 : LONE); at++) {
    const before = await becomeStill(read)
    await create(server, NOTE.body)
    const answered = read()
    counted.push({ until: answered - before, after: (await becomeStill(read)) - answered })
  }
  return { until: median(counted.map(({ until }) => until)), after: median(counted.map(({ after }) => after)) }
}

/** The count, once it has stayed the same for a while. */
async function becomeStill(read: () => number): Promise<number> {
  for (let last = read(); ; ) {
    await Bun.sleep(STILL_MS)
    const now = read()
    if (now === last) return now
    last = now
  }
}

/** Counts statements on SQLite by a lone POST. */
async function countStatements(effort: Effort): Promise<Lone[]> {
  const folder = makeFolder()
  const files = ['now', 'before'].map((name) => join(folder, name))
  for (const file of files) await Bun.write(file, new Uint8Array(4))
  const pair = await startPair((program, side) => ({
    ...program,
    command: [process.execPath, '--preload', join(import.meta.dir, 'statements.ts'), ...program.command.slice(1)],
    settings: { ...program.settings, STATEMENTS_FILE: files[side] ?? '' },
  }))
  try {
    const counted: Lone[] = []
    for (const [side, server] of pair.entries()) {
      if (!server) continue
      await addNotes(server, makeNotes(100))
      counted.push(await countLone(server, effort, () => readFileSync(files[side] ?? '').readUInt32LE()))
    }
    return counted
  } finally {
    for (const server of pair) await server?.stop()
    removeFolder(folder)
  }
}

/** Counts fsync and fdatasync by a lone POST. It needs strace, and leave to trace. */
function countSyncs(effort: Effort): Promise<Lone[]> {
  return withPair(async (pair) => {
    const counted: Lone[] = []
    for (const server of pair) {
      if (!server) continue
      await addNotes(server, makeNotes(100))
      const file = join(server.folder, 'syncs')
      const options = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', file, '-p', `${server.pid}`]
      const tracer = Bun.spawn(['strace', ...options])
      try {
        while (!existsSync(file)) await Bun.sleep(STILL_MS)
        // A call that another thread interrupts has a second line, without the file's number.
        counted.push(await countLone(server, effort, () => readFileSync(file, 'utf8').match(/sync\(\d/g)?.length ?? 0))
      } finally {
        tracer.kill()
        await tracer.exited
      }
    }
    return counted
  })
}

const createRow: Row = {
  name: 'POST /api/notes of 4 KiB, one after the other, in a workspace that is searched',
  target: 'processor ≤ 0.6 × before; statements ≤ 16 and ≤ 4 after the answer; 1 fsync of a lone one',
  async measure(effort): Promise<Figure> {
    const [cost = null, costBefore = null] = await createCosts(effort)
    const [now, before] = await countStatements(effort)
    const [syncs, syncsBefore] = Bun.which('strace') ? await countSyncs(effort) : []
    const sum = (lone: Lone | undefined) => (lone ? lone.until + lone.after : Number.NaN)
    const past = before && syncsBefore && `before: ${before.until}, ${before.after} and ${sum(syncsBefore)}`
    return figureOf([
      toRatio(`${(cost ?? 0).toFixed(2)} ms`, cost ?? Number.NaN, costBefore, 0.6),
      toHeld('a lone small note', now?.until ?? Number.NaN, 16, 'statements', 0),
      toHeld('', now?.after ?? Number.NaN, 4, 'after the answer', 0),
      syncs ? toHeld('', sum(syncs), 1, 'fsyncs', 0) : { text: 'fsyncs not measured: no strace', ok: false },
      { text: past ?? 'before: not here', ok: true },
    ])
  },
}

/** Each beside its bar, and beside the server of before in the same run. */
export const searchRows: readonly Row[] = [costRow, batchRow, createRow, ...crowdRows]
