/** Search through a started server, beside the server as it was before (`--before=DIR`) over the same notes. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { makeKey } from '../test/support/keys'
import { queries, words } from './corpus'
import { type Effort, type Figure, median, percentile, type Row } from './figures'
import { importOf } from './import'
import { processorSeconds } from './proc'
import { largest } from './scale'
import { reportOf, type Server, startBefore, startSatchel } from './server'

/** Notes of one import. */
const IMPORTED = 10_000
/** Questions as people type them, and queries of each kind. */
const QUESTIONS = 200
const OF_EACH_KIND = 15
/** Notes of 4 KiB that are created for a round. */
const CREATED = 200
/** Seconds after which what an import left behind is merged, and what that replaced thrown away: two turns of the jobs. */
const SETTLED = 130
/** Milliseconds between two looks at whether all is indexed. */
const LOOK_MS = 20

/** Both of them: the one from before is null without `--before`. */
type Pair = readonly [now: Server, before: Server | null]

/** What the database keeps for a search alone. */
const INDEX = /^(search_|note_docs|notes_(words|trigrams|pairs|stems))/

async function withServers<T>(work: (pair: Pair) => Promise<T>): Promise<T> {
  const now = await startSatchel()
  let before: Server | null = null
  try {
    before = await startBefore()
    return await work([now, before])
  } finally {
    await Promise.all([now.stop(), before?.stop()])
  }
}

async function ask(server: Server, key: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'X-API-Key': key, ...init.headers }
  return await fetch(`http://127.0.0.1:${server.port}${path}`, { ...init, headers })
}

/** What is asked of the database of a server that runs. */
function look<Row>(server: Server, sql: string): Row[] {
  const db = new Database(join(server.folder, 'satchel.db'), { readonly: true })
  try {
    return db.query<Row, []>(sql).all()
  } finally {
    db.close()
  }
}

/** Returns when all is indexed. What was before indexed in the same transaction. */
async function indexed(server: Server): Promise<void> {
  if (look(server, "SELECT 1 FROM sqlite_master WHERE name = 'search_docs'").length === 0) return
  while (look(server, 'SELECT 1 FROM search_docs WHERE pending = 1 LIMIT 1').length > 0) await Bun.sleep(LOOK_MS)
}

interface Filling {
  /** Seconds until all imports were answered, and until all was indexed as well. */
  readonly answered: number
  readonly indexed: number
  /** Seconds of the processor for both. */
  readonly processor: number
}

/** Imports archives, one after the other, each into the workspace of its key. */
async function fill(server: Server, archives: readonly { key: string; archive: Blob }[]): Promise<Filling> {
  const [began, used] = [performance.now(), processorSeconds(server.pid)]
  for (const { key, archive } of archives) {
    const headers = { 'Content-Type': 'application/zip' }
    const answer = await ask(server, key, '/api/notes/import', { method: 'POST', headers, body: archive })
    await reportOf(server, key, answer)
  }
  const answered = (performance.now() - began) / 1000
  await indexed(server)
  const all = (performance.now() - began) / 1000
  return { answered, indexed: all, processor: processorSeconds(server.pid) - used }
}

/** A note of the corpus, of 45 words. */
const corpusNote = (at: number) => ({ name: `Note ${at} ${words(3)}.md`, text: `${words(40)} #${words(1)}` })

async function archivesOf(notes: number, keys: readonly string[]): Promise<{ key: string; archive: Blob }[]> {
  const archives = []
  for (let from = 0; from < notes; from += IMPORTED) {
    const key = keys[(from / IMPORTED) % keys.length] ?? ''
    const count = Math.min(IMPORTED, notes - from)
    archives.push({ key, archive: await importOf(count, (at) => corpusNote(from + at)) })
  }
  return archives
}

/** Milliseconds of each search, of both in turn. */
async function searches(pair: Pair, keys: readonly string[], asked: readonly string[], strict: boolean) {
  const times: [number[], number[]] = [[], []]
  for (const [i, q] of asked.entries())
    for (const [side, server] of pair.entries()) {
      if (!server) continue
      const query = new URLSearchParams({ q, limit: '20', ...(strict && side === 0 ? { strict: 'true' } : {}) })
      const began = performance.now()
      const answer = await ask(server, keys[i % keys.length] ?? '', `/api/notes/search?${query}`)
      await answer.arrayBuffer()
      times[side]?.push(performance.now() - began)
      if (answer.status !== 200) throw new Error(`${q} was answered ${answer.status}`)
    }
  return times
}

const besides = (before: string | null) => (before === null ? 'before: not here' : `before: ${before}`)

function searchRow(name: string, sizeOf: (effort: Effort) => number, workspaces: number, times: number | null): Row {
  const told = (all: readonly number[]) =>
    `p50 ${median(all).toFixed(1)} ms, p99 ${percentile(all, 0.99).toFixed(0)} ms`
  return {
    name,
    target: `p50 ${times === null ? '' : `≤ ${times} ×, `}p99 ≤ 50 ms`.replace('p50 p99', 'p99'),
    measure: (effort) =>
      withServers(async (pair) => {
        const notes = sizeOf(effort)
        const keys = Array.from({ length: workspaces }, (_, i) => makeKey(100 + i))
        const archives = await archivesOf(notes, keys)
        for (const server of pair) if (server) await fill(server, archives)
        const exact = queries(effort.quick ? 1 : OF_EACH_KIND)
        const typed = Array.from({ length: effort.quick ? 10 : QUESTIONS }, (_, i) => words(2 + (i % 6)))
        // The first of each are not counted.
        await searches(pair, keys, typed.slice(0, 5), false)
        const strict = await searches(pair, keys, exact, true)
        const relaxed = await searches(pair, keys, typed, false)
        const sides = ([side]: [0 | 1]) => `exact ${told(strict[side])}; as typed ${told(relaxed[side])}`
        const isSlower = (all: readonly [number[], number[]]) =>
          pair[1] !== null && times !== null && median(all[0]) > times * median(all[1])
        const p99 = Math.max(percentile(strict[0], 0.99), percentile(relaxed[0], 0.99))
        return {
          of: `${notes}`,
          measured: `${sides([0])}; ${besides(pair[1] && sides([1]))}`,
          reached: p99 <= 50 && !isSlower(strict),
        }
      }),
  }
}

/** Ratios are of the processor's time: others on the machine change it least. */
const ratio = (now: number, before: number | undefined) =>
  before === undefined ? '' : `${(now / before).toFixed(2)} ×, `

const createRow: Row = {
  name: 'POST /api/notes of 4 KiB, one after the other, until all is indexed',
  target: '≤ 0.7 × the processor of before',
  measure: (effort) =>
    withServers(async (pair): Promise<Figure> => {
      const times: [number[], number[]] = [[], []]
      const processor: [number[], number[]] = [[], []]
      const created = effort.quick ? 5 : CREATED
      for (let round = 0; round <= effort.rounds; round++) {
        const bodies = Array.from({ length: created }, () => words(800).slice(0, 4096))
        for (const [side, server] of pair.entries()) {
          if (!server) continue
          const used = processorSeconds(server.pid)
          for (const body of bodies) {
            const began = performance.now()
            const init = {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ body }),
            }
            const answer = await ask(server, makeKey(100), '/api/notes', init)
            if (answer.status !== 201) throw new Error(`a create was answered ${answer.status}`)
            await answer.arrayBuffer()
            if (round > 0) times[side]?.push(performance.now() - began)
          }
          await indexed(server)
          // The first round warms up.
          if (round > 0) processor[side]?.push(((processorSeconds(server.pid) - used) / created) * 1000)
        }
      }
      const side = (i: 0 | 1) => `${median(times[i]).toFixed(1)} ms, ${median(processor[i]).toFixed(1)} ms of processor`
      const [now, before] = [median(processor[0]), pair[1] ? median(processor[1]) : undefined]
      return {
        measured: `${ratio(now, before)}${side(0)}; ${besides(pair[1] && side(1))}`,
        reached: before !== undefined && now <= 0.7 * before,
      }
    }),
}

const importRow: Row = {
  name: 'POST /api/notes/import of notes of 45 words, until all is indexed',
  target: '≤ 0.7 × the processor of before; index ≤ 2.5 × the text',
  measure: (effort) =>
    withServers(async (pair): Promise<Figure> => {
      const notes = effort.quick ? 200 : IMPORTED
      const archives = await archivesOf(notes, [makeKey(100)])
      const [now, before] = pair
      const filled = [await fill(now, archives), before && (await fill(before, archives))] as const
      if (!effort.quick) await Bun.sleep(SETTLED * 1000)
      const side = (i: 0 | 1) => {
        const [filling, server] = [filled[i], pair[i]]
        if (!filling || !server) return null
        const times = `answered after ${filling.answered.toFixed(1)} s, indexed after ${filling.indexed.toFixed(1)} s`
        return `${times}, ${filling.processor.toFixed(1)} s of processor, index ${indexShare(server).toFixed(1)} × the text`
      }
      const [used, old] = [filled[0].processor, filled[1]?.processor]
      return {
        of: `${notes}`,
        measured: `${ratio(used, old)}${side(0)}; ${besides(side(1))}`,
        reached: old !== undefined && used <= 0.7 * old && indexShare(now) <= 2.5,
      }
    }),
}

/** Bytes of the pages of the index for each byte of titles, tags and bodies. */
function indexShare(server: Server): number {
  const pages = look<{ table: string; bytes: number }>(
    server,
    `SELECT tbl_name AS "table", sum(pgsize) AS bytes FROM dbstat JOIN sqlite_master USING (name) GROUP BY tbl_name`,
  )
  const index = pages.filter(({ table }) => INDEX.test(table)).reduce((sum, { bytes }) => sum + bytes, 0)
  const [text] = look<{ bytes: number }>(
    server,
    'SELECT sum(octet_length(title) + octet_length(tags) + octet_length(body)) AS bytes FROM notes JOIN note_bodies USING (key)',
  )
  return index / (text?.bytes ?? Number.NaN)
}

const small = (size: number) => (effort: Effort) => (effort.quick ? 100 : size)

/** Each beside the figures of before, in the same run. */
export const searchRows: readonly Row[] = [
  searchRow('GET /api/notes/search over few notes of one workspace', small(10_000), 1, 1.5),
  searchRow('GET /api/notes/search over many notes of one workspace', small(100_000), 1, 1.5),
  searchRow('GET /api/notes/search over the notes of 20 workspaces', largest, 20, null),
  createRow,
  importRow,
]
