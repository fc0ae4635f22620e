import { readdirSync } from 'node:fs'
import { run as load } from '../../bench/load'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { Crowd } from './crowd'
import { median, Place, Report, type Row } from './row'

const KEY = makeKey(1)
const HONEST = `GET /api/notes?limit=20 HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n\r\n`
/** Times that p99 may grow. */
const BOUND = 2
/** How many more files the server may hold open than before. */
const FILES_LEFT = 20

/** Idle and slow connections beside honest callers, who are measured in turns with and without them. */
export const connections: Row = async ({ seed, quick }) => {
  const size = quick
    ? { idle: 500, slow: 50, rounds: 3, seconds: 0.5 }
    : { idle: 5000, slow: 500, rounds: 9, seconds: 3 }
  await using place = new Place()
  const { url, pid } = await place.start({ settings: { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '100000000' } })
  const port = Number(new URL(url).port)
  const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' }
  for (let n = 0; n < 40; n++)
    await fetch(`${url}/api/notes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ title: `note ${n}`, body: 'b' }),
    })
  const measure = async () => (await load({ port, request: HONEST, connections: 4, seconds: size.seconds })).p99
  // The first requests of a server are slower than all others.
  await measure()
  const filesBefore = readdirSync(`/proc/${pid}/fd`).length
  const quiet: number[] = []
  const busy: number[] = []
  let fewest = Number.POSITIVE_INFINITY
  for (let round = 0; round < size.rounds; round++) {
    quiet.push(await measure())
    const crowd = new Crowd(port, KEY, seed + round)
    await crowd.gather(size.idle, size.slow)
    busy.push(await measure())
    fewest = Math.min(fewest, readdirSync(`/proc/${pid}/fd`).length - filesBefore)
    crowd.leave()
  }
  const ratio = median(busy.map((p99, i) => p99 / (quiet[i] ?? 0)))
  const wanted = size.idle + size.slow
  const report = new Report(`${size.idle} idle and ${size.slow} slow connections, ${size.rounds} rounds by turns`)
  const figures = `${median(busy).toFixed(2)} ms against ${median(quiet).toFixed(2)} ms`
  report.claim(
    `p99 of honest callers ${ratio.toFixed(2)} times the quiet one (under ${BOUND}; ${figures})`,
    ratio < BOUND,
  )
  report.claim(`at least ${fewest} of ${wanted} connections were held in each round`, fewest >= wanted * 0.95)
  report.claim('all were let go', (await filesAfter(pid)) <= filesBefore + FILES_LEFT)
  report.claim('and the server answers', (await fetch(`${url}/healthz`)).ok)
  return report
}

/** The files that the server has open, once it has noticed that everybody left. */
async function filesAfter(pid: number): Promise<number> {
  let now = readdirSync(`/proc/${pid}/fd`).length
  for (let tries = 0; tries < 50 && now > FILES_LEFT * 2; tries++) {
    await Bun.sleep(20)
    now = readdirSync(`/proc/${pid}/fd`).length
  }
  return now
}
