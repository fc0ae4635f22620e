import { join } from 'node:path'
import { openDatabase } from '../src/db/open'
import { readFilter } from '../src/notes/filters'
import { mergeTexts } from '../src/notes/full-text.sqlite'
import { createSearch } from '../src/notes/search/service'
import { listNotes } from '../src/notes/store'
import { queries, WORKSPACE, write } from './corpus'
import { type Effort, type Figure, percentile, type Row } from './figures'
import { makeFolder, removeFolder } from './server'

/** Queries of each kind, and pages of a list. */
const RUNS = 20

/** Milliseconds of each search, and of each list of 50, over one database; and of writing one of its notes. */
interface Times {
  readonly notes: number
  readonly searches: readonly number[]
  readonly lists: readonly number[]
  readonly write: number
}

/** Notes of the small and of the large database; `--notes=N` says how many the large one has. */
function sizes({ quick }: Effort): [small: number, large: number] {
  const asked = process.argv.find((argument) => argument.startsWith('--notes='))?.slice('--notes='.length)
  return quick ? [100, 200] : [10_000, Number(asked ?? 1_000_000)]
}

let measured: Promise<[small: Times, large: Times]> | undefined

/** Both rows below ask the same two databases, which take long to fill. */
function timesOf(effort: Effort): Promise<[small: Times, large: Times]> {
  const [small, large] = sizes(effort)
  measured ??= measure(small).then(async (first) => [first, await measure(large)])
  return measured
}

async function measure(notes: number): Promise<Times> {
  const folder = makeFolder()
  const db = openDatabase(join(folder, 'satchel.db'), 0, () => '')
  try {
    const began = performance.now()
    await write(db, notes)
    const perNote = (performance.now() - began) / notes
    // As the server does each minute: what is measured is not the minute after an import.
    await mergeTexts(db, new AbortController().signal)
    const search = createSearch({ now: () => notes })
    const session = { workspace: WORKSPACE, db }
    const searches: number[] = []
    for (const q of queries(RUNS)) searches.push(await timed(() => search(session, { q, limit: '20' })))
    const lists: number[] = []
    for (let page = 1; page <= RUNS * 5; page++) {
      const after = [Math.floor((notes * page) / (RUNS * 5)), '']
      const listing = { filter: readFilter({}), sort: '-updated', after, limit: 51 } as const
      lists.push(await timed(() => listNotes(db, WORKSPACE.id, listing)))
    }
    return { notes, searches, lists, write: perNote }
  } finally {
    await db.close()
    removeFolder(folder)
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Searches of every kind over the large database against the same over the small one. */
export const searchRow: Row = {
  name: 'A search over many notes against one over few',
  target: 'p50 ≤ 10 ×, p99 under 50 ms',
  measure: searchFigure,
}

async function searchFigure(effort: Effort): Promise<Figure> {
  const [small, large] = await timesOf(effort)
  const [p50, base] = [percentile(large.searches, 0.5), percentile(small.searches, 0.5)]
  const p99 = percentile(large.searches, 0.99)
  return {
    of: `${large.notes} and ${small.notes}`,
    measured: `p50 ${(p50 / base).toFixed(1)} × (${p50.toFixed(1)} ms), p99 ${p99.toFixed(0)} ms`,
    reached: p50 <= 10 * base && p99 < 50,
  }
}

/** Pages of 50 notes, from the newest to the oldest. */
export const listRow: Row = { name: 'A list of 50 notes from many', target: 'p95 20 ms', measure: listFigure }

async function listFigure(effort: Effort): Promise<Figure> {
  const [small, large] = await timesOf(effort)
  const p95 = percentile(large.lists, 0.95)
  return {
    of: `${large.notes}`,
    measured: `p95 ${p95.toFixed(1)} ms (from ${small.notes}: ${percentile(small.lists, 0.95).toFixed(1)} ms)`,
    reached: p95 <= 20,
  }
}
