/** What other callers wait while one of them does the longest work that there is, beside what they wait when it is quiet. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { WorkspaceId } from '../src/db/database'
import { openDatabase } from '../src/db/open'
import { createNoteRow, createNoteWriter } from '../src/notes/note'
import { makeKey } from '../test/support/keys'
import type { WORKSPACE } from './corpus'
import { type Effort, type Figure, percentile, type Row } from './figures'
import { fillStudy } from './flashcards'
import { importOf, linkedNote } from './import'
import { residentMiB } from './proc'
import { NOTE } from './requests'
import { reportOf, type Server, startSatchel } from './server'

/** Milliseconds between two requests of the others, of each kind. */
const PAUSE = 10
/** Requests of each kind that tell how it is when it is quiet, and the fewest that tell how it is beside the work. */
const SAMPLES = 300
/** Milliseconds that a write and a read may take in all but one of a hundred cases, and ever; or so often the quiet time. */
const LIMITS = { write: { p99: 150, most: 400 }, read: { p99: 100, most: 400 } } as const
const TIMES = { p99: 3, most: 6 } as const
/** MiB that the server may hold beyond what it held before. */
const MEMORY = 150

const [BUSY, OTHER, SOURCE] = [makeKey(1), makeKey(2), makeKey(3)]

export interface Waits {
  readonly write: number[]
  readonly read: number[]
}

/** One piece of work, done by the caller of BUSY. */
interface Work {
  readonly name: string
  /** Makes what the work needs, on a server of its own if need be, and returns the work; `dry` only tells what it would come to. */
  prepare(quick: boolean, server: Server): Promise<(dry: boolean) => Promise<Response>>
  /** Whether there is such a thing as a dry run of it. */
  readonly dry: boolean
}

const ask = (server: Server, key: string, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } })

async function answered(asking: Promise<Response>): Promise<Response> {
  const answer = await asking
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

const sent = (server: Server, path: string, type: string, body: BodyInit) => (dry: boolean) =>
  ask(server, BUSY, `${path}${dry ? `${path.includes('?') ? '&' : '?'}dry_run=true` : ''}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  })

/** A body of JSON, sent by the busy caller. */
const sentJson = (server: Server, path: string, body: unknown) => () =>
  ask(server, BUSY, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

/** What `path` gives of a learner who has so many cards and has answered most of them eight times. */
async function exported(cards: number, path: string): Promise<Blob> {
  const source = await startSatchel()
  try {
    await learn(source, SOURCE, cards)
    return await (await answered(ask(source, SOURCE, path))).blob()
  } finally {
    await source.stop()
  }
}

/** The workspace of a key, which its first write makes. */
async function workspaceOf(server: Server, key: string): Promise<typeof WORKSPACE> {
  const known = new Set(workspaces(server))
  await answered(
    ask(server, key, '/api/notes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(NOTE),
    }),
  )
  const id = workspaces(server).find((one) => !known.has(one))
  if (!id) throw new Error('the key has a workspace already')
  return { kind: 'key', id }
}

function workspaces(server: Server): WorkspaceId[] {
  const db = new Database(join(server.folder, 'satchel.db'), { readonly: true })
  try {
    return db
      .query<{ id: WorkspaceId }, []>('SELECT id FROM workspaces')
      .all()
      .map(({ id }) => id)
  } finally {
    db.close()
  }
}

/** Writes rows beside the server: through its API they would take an hour. */
async function beside(server: Server, key: string, work: (session: Parameters<typeof fillStudy>[0]) => Promise<void>) {
  const workspace = await workspaceOf(server, key)
  const db = openDatabase(join(server.folder, 'satchel.db'), 0, (kept) => kept ?? '')
  try {
    await work({ workspace, db })
  } finally {
    await db.close()
  }
}

const learn = (server: Server, key: string, cards: number) =>
  beside(server, key, (session) => fillStudy(session, cards))

const largeId = (at: number) => `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`

/** Notes of 1 MiB each. */
const writeLarge = (server: Server, key: string, notes: number) =>
  beside(server, key, async ({ workspace, db }) => {
    const writer = createNoteWriter({ now: () => 0, record: async () => {}, hooks: [] })
    const body = NOTE.body.repeat(Math.ceil(2 ** 20 / NOTE.body.length))
    for (let at = 0; at < notes; at++) {
      const input = { title: `Large ${at}`, body: `${at}\n${body}`.slice(0, 2 ** 20) }
      const note = createNoteRow(input, largeId(at), at)
      await db.transaction((tx) => writer.insert({ workspace, db: tx }, note))
    }
  })

/** Reads one note of 1 MiB so many times in a row. */
async function readLarge(server: Server, encoding: string, times: number) {
  await writeLarge(server, BUSY, 1)
  return async () => {
    const headers = { 'Accept-Encoding': encoding }
    let last = new Response()
    for (let at = 0; at < times; at++) {
      last = await answered(ask(server, BUSY, `/api/notes/${largeId(0)}`, { headers }))
      await last.bytes()
    }
    return last
  }
}

function calendar(todos: number): string {
  const lines = Array.from({ length: todos }, (_, at) => [
    'BEGIN:VTODO',
    `UID:bench-${at}@example.org`,
    `SUMMARY:Water plant number ${at}`,
    `DUE;TZID=Europe/Berlin:202701${String(1 + (at % 28)).padStart(2, '0')}T090000`,
    ...(at % 3 === 0 ? ['RRULE:FREQ=WEEKLY;BYDAY=MO,TH'] : []),
    ...(at % 5 === 1 ? [`RELATED-TO:bench-${at - 1}@example.org`] : []),
    `DESCRIPTION:${NOTE.title} and ${at % 97} other things`,
    `CATEGORIES:home,week${at % 52}`,
    'END:VTODO',
  ]).flat()
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//bench//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
}

const WORKS: readonly Work[] = [
  {
    name: 'an archive of 10,000 cards and 72,000 answers',
    dry: true,
    prepare: async (quick, server) =>
      sent(
        server,
        '/api/import',
        'application/zip',
        await exported(quick ? 100 : 10_000, '/api/export?readable=false'),
      ),
  },
  {
    name: 'an Anki package of 20,000 notes',
    dry: true,
    prepare: async (quick, server) =>
      sent(
        server,
        '/api/flashcards/import?format=apkg',
        'application/octet-stream',
        await exported(quick ? 100 : 20_000, '/api/flashcards/export?format=apkg'),
      ),
  },
  {
    name: 'a vault of 10,000 notes',
    dry: true,
    async prepare(quick, server) {
      const notes = quick ? 100 : 10_000
      return sent(server, '/api/notes/import', 'application/zip', await importOf(notes, linkedNote(notes)))
    },
  },
  {
    name: 'a calendar of 5,000 tasks',
    dry: true,
    prepare: async (quick, server) => sent(server, '/api/tasks/import', 'text/calendar', calendar(quick ? 100 : 5000)),
  },
  {
    name: 'training with rescheduling of 11,000 cards',
    dry: false,
    async prepare(quick, server) {
      await learn(server, BUSY, quick ? 500 : 11_000)
      return sentJson(server, '/api/flashcards/optimize', { apply: true, reschedule: true })
    },
  },
  {
    name: 'an export of 256 MiB',
    dry: false,
    async prepare(quick, server) {
      await writeLarge(server, BUSY, quick ? 2 : 256)
      return async () => {
        const answer = await answered(ask(server, BUSY, '/api/export?readable=false'))
        for await (const _ of answer.body ?? []);
        return answer
      }
    },
  },
  {
    name: 'reading a note of 1 MiB with gzip, again and again',
    dry: false,
    prepare: (quick, server) => readLarge(server, 'gzip', quick ? 2 : 200),
  },
  {
    name: 'reading a note of 1 MiB without gzip, again and again',
    dry: false,
    prepare: (quick, server) => readLarge(server, 'identity', quick ? 2 : 200),
  },
  {
    name: 'saving notes of 1 MiB, one after the other',
    dry: false,
    prepare: async (quick, server) => async () => {
      const body = NOTE.body.repeat(Math.ceil(2 ** 20 / NOTE.body.length)).slice(0, 2 ** 20)
      let last = new Response()
      for (let at = 0; at < (quick ? 1 : 10); at++)
        last = await answered(sentJson(server, '/api/notes', { title: `Large ${at}`, body })())
      return last
    },
  },
]

/** Writes and reads of another caller, each PAUSE milliseconds after the one before, until `isOver`. */
export async function others(server: Server, isOver: (waits: Waits) => boolean): Promise<Waits> {
  const waits: Waits = { write: [], read: [] }
  const repeat = async (kind: keyof Waits, path: string, init: RequestInit) => {
    while (!isOver(waits)) {
      const began = performance.now()
      await (await answered(ask(server, OTHER, path, init))).arrayBuffer()
      waits[kind].push(performance.now() - began)
      await Bun.sleep(PAUSE)
    }
  }
  const headers = { 'Content-Type': 'application/json' }
  await Promise.all([
    repeat('write', '/api/notes', { method: 'POST', headers, body: JSON.stringify(NOTE) }),
    repeat('read', '/api/notes', {}),
  ])
  return waits
}

interface Beside {
  readonly waits: Waits
  readonly seconds: number
  readonly grownMiB: number
}

/** Does the work while others go on. 202 is an answer: the work goes on, and is waited for. */
async function beWaited(server: Server, work: () => Promise<Response>): Promise<Beside> {
  const before = residentMiB(server.pid)
  let peak = before
  let isDone = false
  const began = performance.now()
  const waiting = others(server, () => {
    peak = Math.max(peak, residentMiB(server.pid))
    return isDone
  })
  try {
    const answer = await answered(work())
    if (answer.status === 202) await reportOf(server, BUSY, answer)
  } finally {
    isDone = true
  }
  const seconds = (performance.now() - began) / 1000
  return { waits: await waiting, seconds, grownMiB: peak - before }
}

async function measure(work: Work, { quick }: Effort): Promise<Figure> {
  const server = await startSatchel()
  try {
    const act = await work.prepare(quick, server)
    const enough = quick ? 5 : SAMPLES
    const quiet = await others(server, ({ write, read }) => write.length >= enough && read.length >= enough)
    const dry = work.dry ? await beWaited(server, () => act(true)) : null
    const real = await beWaited(server, () => act(false))
    const runs = [real, ...(dry ? [dry] : [])]
    return {
      measured: [
        `quiet: ${shown(quiet)}`,
        `beside it, ${real.seconds.toFixed(1)} s: ${shown(real.waits)}`,
        ...(dry ? [`its dry run, ${dry.seconds.toFixed(1)} s: ${shown(dry.waits)}`] : []),
        `${Math.max(...runs.map(({ grownMiB }) => grownMiB)).toFixed(0)} MiB more in memory`,
      ].join('; '),
      reached: runs.every(({ waits, grownMiB }) => isWithin(waits, quiet) && grownMiB <= MEMORY),
    }
  } finally {
    await server.stop()
  }
}

const most = (waits: readonly number[]) => Math.max(...waits)
const p99 = (waits: readonly number[]) => percentile(waits, 0.99)
const shown = ({ write, read }: Waits) =>
  `POST p99 ${p99(write).toFixed(0)} ms, most ${most(write).toFixed(0)}, GET p99 ${p99(read).toFixed(0)} ms, most ${most(read).toFixed(0)}`

function isWithin(waits: Waits, quiet: Waits): boolean {
  return (['write', 'read'] as const).every(
    (kind) =>
      p99(waits[kind]) <= Math.max(LIMITS[kind].p99, TIMES.p99 * p99(quiet[kind])) &&
      most(waits[kind]) <= Math.max(LIMITS[kind].most, TIMES.most * most(quiet[kind])),
  )
}

export const othersRows: readonly Row[] = WORKS.map((work) => ({
  name: `What others wait beside ${work.name}`,
  target: `p99 ≤ 150 ms to write, 100 ms to read, or 3 × the quiet; never over 400 ms, or 6 ×; ≤ ${MEMORY} MiB more`,
  measure: (effort) => measure(work, effort),
}))
