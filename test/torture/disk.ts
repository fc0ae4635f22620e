import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { droppedLines, type Server } from '../support/process'
import { contradictions } from '../support/recount'
import { Writer } from '../support/writers'
import { fillUnderImports } from './disk-imports'
import { counted, Place, Report, type Row } from './row'

/** A small disk that can be full: a file system of its own where we may mount one, else a limit to each file's size. */
export interface Disk {
  readonly kind: string
  readonly fileKiB?: number
  /** Gives room again to a running server. */
  widen(server: Server): void
  /** Takes all that is left. */
  fill(server: Server): void
  [Symbol.dispose](): void
}

const MIB = 1024 * 1024

export function run(...command: string[]): boolean {
  return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success
}

/** Null where nothing may be mounted. */
export function mounted(folder: string, bytes: number): Disk | null {
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder)) return null
  const ballast = join(folder, 'ballast')
  return {
    kind: 'a tmpfs',
    widen: () => void run('mount', '-o', `remount,size=${256 * MIB}`, folder),
    fill() {
      // It ends with ENOSPC; by then the disk is full.
      run('dd', 'if=/dev/zero', `of=${ballast}`, 'bs=4096')
    },
    [Symbol.dispose]: () => void run('umount', '-l', folder),
  }
}

function limited(fileKiB: number): Disk {
  const limit = ({ pid }: Server, bytes: number | 'unlimited') =>
    void run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`)
  return {
    kind: 'a file size limit',
    fileKiB,
    widen: (server) => limit(server, 'unlimited'),
    fill: (server) => limit(server, 4096),
    [Symbol.dispose]() {},
  }
}

/** Disk full, then space again: of all data with the log beside them, and of the counters alone; and the floor. */
export const disk: Row = async ({ seed, quick }) => {
  const rounds = quick ? 1 : 5
  const report = new Report(`the disk filled ${rounds} times, and that of the counters, and the floor held`)
  for (let round = 0; round < rounds; round++) await fillAll(report, seed + round, (quick ? 8 : 20) * MIB)
  await fillCounters(report)
  await keepFloor(report)
  await fillUnderImports(report, quick)
  return report
}

/** What is wrong with an answer that says no because the data cannot be reached, or the disk may take no more. */
async function misspoken(response: Response, status = 503, code = 'unavailable'): Promise<string[]> {
  const text = await response.text()
  const headers = ['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'].filter((name) => !response.headers.has(name))
  return [
    ...(response.status === status ? [] : [`status ${response.status}`]),
    ...(text.includes(`"code":"${code}"`) ? [] : [`body ${text.slice(0, 100)}`]),
    ...headers.map((name) => `no ${name}`),
  ]
}

async function fillAll(report: Report, seed: number, bytes: number): Promise<void> {
  await using place = new Place()
  using small = mounted(place.folder, bytes) ?? limited(1024)
  const size = small.fileKiB === undefined ? {} : { fileKiB: small.fileKiB }
  const log = join(place.folder, 'log')
  const stdout = openSync(log, 'a')
  // Where each file has a limit of its own, the log begins near it.
  if (small.fileKiB !== undefined) truncateSync(log, small.fileKiB * 1024 - 4096)
  const server = await place.start({ settings: { ...MANY_CALLERS, MIN_FREE_BYTES: '0' }, stdout, ...size })
  closeSync(stdout)
  const { url } = server
  const writer = new Writer(makeKey(1 + (seed % 1000)), seed % 256)
  let last = await writer.write(url)
  for (let n = 0; last.ok && n < 20_000; n++) last = await writer.write(url)
  const { headers } = writer
  const note = () =>
    fetch(`${url}/api/notes`, { method: 'POST', headers, body: JSON.stringify({ body: 'x'.repeat(9000) }) })
  const where = `on ${small.kind}`
  // A write finds no room in the data, or before that the request finds none in the counters. Over a limit of one file's
  // size, the system reports a failure of the disk.
  const refused = await note()
  const isFull = refused.status === 507
  report.claim(
    `${where}: once it is full, writes are 507 or 503 with the headers`,
    await (isFull ? misspoken(refused, 507, 'storage_full') : misspoken(refused)),
  )
  // Once the counters have no room either, nobody can be let in.
  const read = await fetch(`${url}/api/notes`, { headers })
  report.claim(`${where}: reads are served or refused alike`, read.ok ? [] : await misspoken(read))
  report.claim(`${where}: alive while it is full`, (await fetch(`${url}/healthz`)).ok)
  report.claim(`${where}: lines of the log are dropped and counted`, await untilDropping(url, headers))
  small.widen(server)
  report.claim(`${where}: with room again writes go on without a restart`, await untilServed(note))
  report.claim(`${where}: nothing acknowledged is lost`, await writer.losses(url))
  const { code } = await server.stop('SIGTERM')
  report.claim(`${where}: it stops in order`, code === 0)
  const told = /"dropped":[1-9].*\n(.*\n)*.*"Satchel has stopped"/.test(readFileSync(log, 'latin1'))
  report.claim(`${where}: with room again the log goes on, and tells that lines were dropped`, told)
  report.claim(`${where}: no half change, integrity_check ok`, await contradictions(place.folder))
}

/** Asks until the log has no room either: its last page may take some more lines. */
async function untilDropping(url: string, headers: Record<string, string>): Promise<boolean> {
  for (let n = 0; n < 1000; n++) {
    await fetch(`${url}/api/notes`, { headers })
    if ((await droppedLines(url)) > 0) return true
  }
  return false
}

/** The counters resume by themselves, trying once a second. */
async function untilServed(ask: () => Promise<Response>): Promise<boolean> {
  const end = performance.now() + 5000
  while (performance.now() < end) {
    if ((await ask()).ok) return true
    await Bun.sleep(20)
  }
  return false
}

/** What may still be written below the floor: the log of SQLite moves into the database, and requests are counted. */
const BELOW_FLOOR = 40 * MIB

/** The server stops by itself above the last byte. Only where a file system of its own can be mounted. */
async function keepFloor(report: Report): Promise<void> {
  await using place = new Place()
  using small = mounted(place.folder, 96 * MIB)
  if (!small) return
  const floor = 48 * MIB
  const server = await place.start({ settings: { ...MANY_CALLERS, MIN_FREE_BYTES: String(floor) } })
  const { url } = server
  const writer = new Writer(makeKey(1), 1)
  for (let n = 0; n < 100; n++) await writer.write(url)
  const { headers } = writer
  const body = JSON.stringify({ body: 'full '.repeat(50_000) })
  const note = () => fetch(`${url}/api/notes`, { method: 'POST', headers, body })
  const made: string[] = []
  const free = () => {
    const { bavail, bsize } = statfsSync(place.folder)
    return bavail * bsize
  }
  let last = await note()
  for (; last.ok && made.length < 1000; last = await note()) made.push(last.headers.get('Location') ?? '')
  const where = 'with a floor'
  report.claim(`${where}: growth is refused with 507 and the headers`, await misspoken(last, 507, 'storage_full'))
  // Near the floor a look may find some room yet; then it is taken.
  let refusedSince = performance.now()
  for (let n = 0; n < 20_000 && performance.now() - refusedSince < 2000; n++)
    if ((await note()).ok) refusedSince = performance.now()
  report.claim(`${where}: and stays refused`, performance.now() - refusedSince >= 2000)
  const erased = async (path: string) => {
    const trashed = await fetch(url + path, { method: 'DELETE', headers })
    const gone = await fetch(`${url}${path}?permanent=true`, { method: 'DELETE', headers })
    return [trashed, gone].every(({ status }) => status === 204) ? [] : [`${trashed.status} and ${gone.status}`]
  }
  const search = await fetch(`${url}/api/search?q=full`, { headers })
  report.claim(`${where}: what is there is found`, search.ok)
  const kept: string[] = []
  for (const path of made) kept.push(...(await erased(path)))
  report.claim(`${where}: what is there is erased`, kept)
  report.claim(`${where}: the disk is never near its end`, free() > floor - BELOW_FLOOR)
  report.claim(`${where}: nothing acknowledged is lost`, await writer.losses(url))
  small.widen(server)
  report.claim(`${where}: with room again writes go on without a restart`, await untilServed(note))
  const { code, stdout } = await server.stop('SIGTERM')
  report.claim(`${where}: it stops in order`, code === 0)
  report.claim(`${where}: the log tells of it once`, stdout.split('below MIN_FREE_BYTES').length === 2)
  report.claim(`${where}: no half change, integrity_check ok`, await contradictions(place.folder))
}

/** Only meter.db has no room. */
async function fillCounters(report: Report): Promise<void> {
  await using place = new Place()
  const folder = join(place.folder, 'meter')
  mkdirSync(folder)
  using small = mounted(folder, MIB) ?? limited(0)
  const isMounted = small.fileKiB === undefined
  if (isMounted) {
    // SQLite keeps the log of a linked file beside the file itself.
    writeFileSync(join(folder, 'meter.db'), '')
    symlinkSync(join(folder, 'meter.db'), join(place.folder, 'meter.db'))
  }
  const server = await place.start({ settings: MANY_CALLERS })
  const { url } = server
  const key = makeKey(1)
  const headers = { 'X-API-Key': key }
  // Nothing but the counters is written by reading.
  const ask = () => fetch(`${url}/api/notes`, { headers })
  let answered = 0
  for (; answered < 50; answered++) await ask()
  small.fill(server)
  let refused = await ask()
  for (let n = 0; refused.ok && n < 20_000; n++, answered++) refused = await ask()
  const where = `the counters on ${small.kind}`
  report.claim(`${where}: once it is full, requests are 503 with the headers`, await misspoken(refused))
  report.claim(`${where}: nothing passes uncounted while it is full`, await misspoken(await ask()))
  if (isMounted) rmSync(join(folder, 'ballast'))
  small.widen(server)
  report.claim(`${where}: with room again requests are served without a restart`, await untilServed(ask))
  answered++
  const stored = await counted(url, key)
  report.claim(`${where}: all ${answered} answers are counted`, stored >= answered)
  report.claim(`${where}: it stops in order`, (await server.stop('SIGTERM')).code === 0)
}
