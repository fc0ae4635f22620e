import { readdirSync } from 'node:fs'
import { median } from '../../bench/figures'
import { run as load } from '../../bench/load'
import { processorSeconds } from '../../bench/proc'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { Crowd } from './crowd'
import { Place, Report, type Row } from './row'

const KEY = makeKey(1)
const HONEST = `GET /api/notes?limit=20 HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n\r\n`
/** Times that p99 and the processor's time for an answer may grow. */
const BOUND = 2
/**
 * In the quick run: slow connections cost the same in each second, so each answer bears the more of it the fewer answers a
 * busy machine gives. What looked at all connections for each answer would cost more than ten times as much.
 */
const QUICK_BOUND = 4
/** How many more files the server may hold open than before. */
const FILES_LEFT = 20

interface Measured {
  /** Milliseconds. */
  readonly p99: number
  /** Microseconds of the processor's time, for each answer. */
  readonly cost: number
}

/** Idle and slow connections beside honest callers, who are measured in turns with and without them. */
export const connections: Row = async ({ seed, quick }) => {
  const size = quick
    ? { idle: 500, slow: 50, rounds: 3, seconds: 0.5 }
    : { idle: 5000, slow: 500, rounds: 9, seconds: 3 }
  await using place = new Place()
  const { url, pid } = await place.start({ settings: { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '100000000' } })
  const port = Number(new URL(url).port)
  await fillNotes(url)
  const measure = async (): Promise<Measured> => {
    const before = processorSeconds(pid)
    const { p99, statuses } = await load({ port, request: HONEST, connections: 4, seconds: size.seconds })
    return { p99, cost: ((processorSeconds(pid) - before) * 1e6) / (statuses[200] ?? 0) }
  }
  // The first requests of a server are slower than all others.
  await measure()
  const filesBefore = openFiles(pid)
  const quiet: Measured[] = []
  const busy: Measured[] = []
  let fewest = Number.POSITIVE_INFINITY
  for (let round = 0; round < size.rounds; round++) {
    quiet.push(await measure())
    const crowd = new Crowd(port, KEY, seed + round)
    await crowd.gather(size.idle, size.slow)
    busy.push(await measure())
    fewest = Math.min(fewest, openFiles(pid) - filesBefore)
    crowd.leave()
  }
  const wanted = size.idle + size.slow
  const report = new Report(`${size.idle} idle and ${size.slow} slow connections, ${size.rounds} rounds by turns`)
  // By the clock only where the machine is left alone, as the tests leave it not.
  if (!quick) compare(report, 'p99 of honest callers', 'ms', BOUND, quiet, busy, ({ p99 }) => p99)
  const bound = quick ? QUICK_BOUND : BOUND
  compare(report, "the processor's time for each of their answers", 'µs', bound, quiet, busy, ({ cost }) => cost)
  report.claim(`at least ${fewest} of ${wanted} connections were held in each round`, fewest >= wanted * 0.95)
  report.claim('all were let go', (await filesAfter(pid, filesBefore + FILES_LEFT)) <= filesBefore + FILES_LEFT)
  report.claim('and the server answers', (await fetch(`${url}/healthz`)).ok)
  return report
}

async function fillNotes(url: string): Promise<void> {
  const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' }
  for (let n = 0; n < 40; n++)
    await fetch(`${url}/api/notes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ title: `note ${n}`, body: 'b' }),
    })
}

/** Claims that the median of the rounds' ratios is under the bound. */
function compare(
  report: Report,
  what: string,
  unit: string,
  bound: number,
  quiet: readonly Measured[],
  busy: readonly Measured[],
  of: (measured: Measured) => number,
): void {
  const [before, after] = [quiet.map(of), busy.map(of)]
  const ratio = median(after.map((value, i) => value / (before[i] ?? 0)))
  const figures = `${median(after).toPrecision(3)} against ${median(before).toPrecision(3)} ${unit}`
  report.claim(`${what}: ${ratio.toFixed(2)} times the quiet one (under ${bound}; ${figures})`, ratio < bound)
}

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** The files that the server has open, once it has noticed that everybody left. */
async function filesAfter(pid: number, wanted: number): Promise<number> {
  const end = performance.now() + 5000
  while (openFiles(pid) > wanted && performance.now() < end) await Bun.sleep(20)
  return openFiles(pid)
}
