import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MANY_CALLERS, makeKey } from '../support/keys'
import type { Server } from '../support/process'
import { contradictions } from '../support/recount'
import { Writer } from '../support/writers'
import { mounted } from './disk'
import { Place, Report, type Row } from './row'
import { ask, finish, worksOf } from './runs'

const KIB = 1024
/** Writers at the same time: their changes share a commit. */
const WRITERS = 16

/**
 * The folder for temporary files is full, while the disk of the data has room; then it has room again, and erased texts are
 * looked for in it. Only where a file system of its own can be mounted.
 */
export const temporary: Row = async ({ seed, quick }) => {
  const rounds = quick ? 15 : 300
  const report = new Report(
    `the folder for temporary files full under ${rounds} changes of ${WRITERS} writers and imports`,
  )
  await using place = new Place()
  const folder = mkdtempSync(join(tmpdir(), 'satchel-temporary-'))
  using small = mounted(folder, 256 * KIB)
  if (!small) return report
  const server = await place.start({ settings: { ...MANY_CALLERS, SQLITE_TMPDIR: folder, TMPDIR: folder } })
  const { url } = server
  small.fill(server)
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(makeKey(1 + (seed % 1000) + (n % 2)), n))
  const refused = (await Promise.all(writers.map((writer) => write(writer, url, rounds)))).flat()
  report.claim('no write is refused', refused)
  const ready = await fetch(`${url}/readyz`)
  report.claim('/readyz is 200', ready.status === 200)
  report.claim('imports, exports and erasing go on', await workAll(url, quick ? 60 : 600))
  rmSync(join(folder, 'ballast'))
  const { bfree } = statfsSync(folder)
  await eraseOwn(url, writers)
  report.claim('with room again nothing is written to it', [
    ...readdirSync(folder),
    ...openIn(folder, server),
    ...(statfsSync(folder).bfree === bfree ? [] : ['it has less room than before']),
  ])
  report.claim('it stops in order', (await server.stop('SIGTERM')).code === 0)
  report.claim('no half change, integrity_check ok', await contradictions(place.folder))
  return report
}

/** Writes so often; returns what was refused. */
async function write(writer: Writer, url: string, rounds: number): Promise<string[]> {
  const refused: string[] = []
  for (let n = 0; n < rounds; n++) {
    const { ok, status } = await writer.write(url)
    if (!ok) refused.push(`change ${n} of writer ${writer.number} is ${status}`)
  }
  return refused
}

/** Does a work of each kind; returns what fails. */
async function workAll(url: string, resources: number): Promise<string[]> {
  const failed: string[] = []
  const works = await worksOf(url, resources).catch((error: Error) => {
    failed.push(error.message)
    return []
  })
  for (const [n, work] of works.entries()) {
    const done = async () => {
      await work.prepare?.(url, makeKey(2000 + n))
      await finish(url, makeKey(2000 + n), work)
    }
    await done().catch((error: Error) => failed.push(error.message))
  }
  return failed
}

/** Changes the notes of the writers once more, and erases all of them. */
async function eraseOwn(url: string, writers: readonly Writer[]): Promise<void> {
  await Promise.all(writers.map((writer) => writer.write(url)))
  for (const key of new Set(writers.map((writer) => writer.key)))
    await ask(url, key, '/api/workspace?confirm=erase', { method: 'DELETE' })
}

/** Files of a folder that the server has open, also without a name. */
function openIn(folder: string, { pid }: Server): string[] {
  const handles = `/proc/${pid}/fd`
  if (!existsSync(handles)) return []
  return readdirSync(handles).flatMap((handle) => {
    const path = readlinkSync(join(handles, handle))
    return path.startsWith(folder) ? [path] : []
  })
}
