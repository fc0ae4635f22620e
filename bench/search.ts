/** Search through a started server, beside FTS5 over the same notes, and what a new note costs where notes are searched. */
import { Database } from 'bun:sqlite'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeChance, words } from './corpus'
import { type Effort, type Figure, median, type Row } from './figures'
import { processorSeconds } from './proc'
import { KEY, NOTE } from './requests'
import { crowdRows } from './search-crowd'
import {
  addIndexedNotes,
  ask,
  figureOf,
  type Held,
  makeNotes,
  type NoteText,
  search,
  toHeld,
  withSatchel,
} from './search-server'
import { makeFolder, removeFolder, SATCHEL, type Server, start } from './server'

const NOTES = 10_000
/** Queries of a kind, asked in turn. */
const QUERIES = 200
/** Notes that are created one at a time, each when the server is quiet. */
const LONE = 20
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

/** What is typed. */
const KINDS: Readonly<Record<string, () => string>> = {
  '1 word': () => words(1),
  '2 words': () => words(2),
  '4 words': () => words(4),
  '10 words': () => words(10),
  'a question': () => `what is the ${words(1)} of ${words(1)}?`,
  'a slip': () => misspell(words(1)),
  'a prefix': () => `${words(1).slice(0, 3)}*`,
}
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
  target: `≤ ${FTS5_MOST} × FTS5 with snippets`,
  measure: (effort) =>
    withSatchel(async (server) => {
      const notes = makeNotes(effort.quick ? 100 : NOTES)
      const fts5 = createFts5(notes)
      await addIndexedNotes(server, notes)
      const held: Held[] = []
      for (const [kind, make] of Object.entries(KINDS)) {
        const queries = Array.from({ length: effort.quick ? 5 : QUERIES }, make)
        await costOf(server, queries, 0) // warms up, not counted
        const rounds: [satchel: number, fts5: number][] = []
        for (let round = 0; round < Math.min(effort.rounds, 3); round++)
          rounds.push([await costOf(server, queries, effort.seconds), fts5.cost(queries)])
        const [ours, theirs] = ([0, 1] as const).map((side) => median(rounds.map((round) => round[side])))
        held.push(
          toHeld(`${kind} ${ours?.toFixed(2)} ms,`, (ours ?? Number.NaN) / (theirs ?? 0), FTS5_MOST, '× FTS5', 1),
        )
      }
      fts5.close()
      return figureOf(held)
    }),
}

async function create(server: Server, body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  await ask(server, KEY, '/api/notes', { method: 'POST', headers, body: JSON.stringify({ body }) })
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
async function countStatements(effort: Effort): Promise<Lone> {
  const folder = makeFolder()
  const file = join(folder, 'statements')
  await Bun.write(file, new Uint8Array(4))
  const [program = '', ...script] = SATCHEL.command
  const server = await start({
    command: [program, '--preload', join(import.meta.dir, 'statements.ts'), ...script],
    settings: { ...SATCHEL.settings, STATEMENTS_FILE: file },
  })
  try {
    await addIndexedNotes(server, makeNotes(100))
    return await countLone(server, effort, () => readFileSync(file).readUInt32LE())
  } finally {
    await server.stop()
    removeFolder(folder)
  }
}

/** Counts fsync and fdatasync by a lone POST. It needs strace, and leave to trace. */
function countSyncs(effort: Effort): Promise<Lone> {
  return withSatchel(async (server) => {
    await addIndexedNotes(server, makeNotes(100))
    const file = join(server.folder, 'syncs')
    const options = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', file, '-p', `${server.pid}`]
    const tracer = Bun.spawn(['strace', ...options])
    try {
      while (!existsSync(file)) await Bun.sleep(STILL_MS)
      // A call that another thread interrupts has a second line, without the file's number.
      return await countLone(server, effort, () => readFileSync(file, 'utf8').match(/sync\(\d/g)?.length ?? 0)
    } finally {
      tracer.kill()
      await tracer.exited
    }
  })
}

const createRow: Row = {
  name: 'A lone POST /api/notes in a workspace that is searched',
  target: 'statements ≤ 16 and ≤ 4 after the answer; 1 fsync',
  async measure(effort): Promise<Figure> {
    const statements = await countStatements(effort)
    const syncs = Bun.which('strace') ? await countSyncs(effort) : null
    return figureOf([
      toHeld('', statements.until, 16, 'statements', 0),
      toHeld('', statements.after, 4, 'after the answer', 0),
      syncs
        ? toHeld('', syncs.until + syncs.after, 1, 'fsyncs', 0)
        : { text: 'fsyncs not measured: no strace', ok: false },
    ])
  },
}

export const searchRows: readonly Row[] = [costRow, createRow, ...crowdRows]
