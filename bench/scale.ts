import { join } from 'node:path'
import { openDatabase } from '../src/db/open'
import { readFilter } from '../src/notes/filters'
import { listNotes } from '../src/notes/list-store'
import { WORKSPACE, write } from './corpus'
import { type Effort, type Figure, percentile, type Row } from './figures'
import { makeFolder, removeFolder } from './server'

/** Pages of a list that are asked for. */
const PAGES = 100

/** How many notes the largest database has: a million, or what `--notes=N` says. */
export function largest({ quick }: Effort): number {
  const asked = process.argv.find((argument) => argument.startsWith('--notes='))?.slice('--notes='.length)
  return quick ? 200 : Number(asked ?? 1_000_000)
}

/** Pages of 50 notes, from the newest to the oldest. */
export const listRow: Row = {
  name: 'A list of 50 notes from many',
  target: 'p95 20 ms',
  async measure(effort: Effort): Promise<Figure> {
    const [small, large] = effort.quick ? [100, 200] : [10_000, largest(effort)]
    const [few, many] = [await lists(small), await lists(large)]
    const p95 = percentile(many, 0.95)
    return {
      of: `${large}`,
      measured: `p95 ${p95.toFixed(1)} ms (from ${small}: ${percentile(few, 0.95).toFixed(1)} ms)`,
      reached: p95 <= 20,
    }
  },
}

/** Milliseconds of each page, over a database with so many notes. */
async function lists(notes: number): Promise<number[]> {
  const folder = makeFolder()
  const db = openDatabase(join(folder, 'satchel.db'), 0, () => '')
  try {
    await write(db, notes)
    const times: number[] = []
    for (let page = 1; page <= PAGES; page++) {
      const after = [Math.floor((notes * page) / PAGES), '']
      const began = performance.now()
      await listNotes(
        { db, workspace: { id: WORKSPACE.id } },
        { filter: readFilter({}), sort: '-updated', after, limit: 51 },
      )
      times.push(performance.now() - began)
    }
    return times
  } finally {
    await db.close()
    removeFolder(folder)
  }
}
