import fc from 'fast-check'
import { median } from '../../bench/figures'
import { residentMiB } from '../../bench/proc'
import type { JsonObject } from '../../src/openapi/json-schema'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { operations } from '../support/openapi'
import type { Server } from '../support/process'
import { type BadRequest, badRequests, type Ground } from './bad-request'
import { BOMBS } from './bombs'
import { faultsOf, type Judged, undocumented } from './judge'
import { malformed, rawFaults, sendRaw } from './malformed'
import { Place, Report, type Row } from './row'
import { stock } from './stock'

const SETTINGS = { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '100000000', TRUSTED_PROXIES: '127.0.0.1' }
/** Workspaces that are asked for in turns. */
const KEYS = 3
/** One of so many requests is sent as bytes that are no HTTP. */
const RAW_SHARE = 10
/** How far memory may be over what it was after the warm-up: this share of it and so many MiB. */
const GROWTH = { share: 0.25, MiB: 64 }
/** How often every operation is asked for at least: with fewer requests by chance most are hardly tried, and some never. */
const LEAST_ASKED = 10
const SAMPLES = 5
const SAMPLE_MS = 50
/** What a part of the requests may take, in milliseconds. */
const PART_MS = 10 * 60_000
/** What a single answer may take, in milliseconds. */
const PATIENCE_MS = 60_000

/** Bad requests by the document, and bytes that are no requests. */
export const requests: Row = async ({ seed, quick }) => {
  const { total, part } = quick ? { total: 4800, part: 1200 } : { total: 100_000, part: 2500 }
  await using place = new Place()
  const server = await place.start({ settings: SETTINGS })
  const document = (await (await fetch(`${server.url}/docs/json`)).json()) as JsonObject
  const statuses = new Map<number, number>()
  const asked = new Map(
    operations(document)
      .filter(({ path }) => path.startsWith('/api'))
      .map(({ path, method }) => [`${method.toUpperCase()} ${path}`, 0]),
  )
  const faults: string[] = []
  const memory: number[] = []
  if (!quick) faults.push(...(await everyBomb(server)))
  for (let at = 0; at < total; at += part) {
    // New workspaces each time: in the old ones much was erased by chance.
    const ground = await groundOf(server, document, at)
    faults.push(...(await tormented(server, ground, { seed: seed + at, total: part, statuses, asked })))
    // The page caches of the database may fill with what is stored: it is to be the same each time.
    await erase(server, ground.keys)
    memory.push(await settledMiB(server))
  }
  const told = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  const report = new Report(`${total} bad requests (${told.join(', ')})`)
  report.claim('no 5xx, no crash, headers on every answer, every error a known problem', faults)
  const seldom = [...asked].filter(([, times]) => times < LEAST_ASKED)
  report.claim(
    `each of ${asked.size} operations asked for ${LEAST_ASKED} times or more`,
    seldom.map(([name, times]) => `${name}: ${times}`),
  )
  claimMemory(report, memory)
  report.claim('alive at the end', (await fetch(`${server.url}/readyz`)).ok)
  const { code, stdout } = await server.stop('SIGTERM')
  const failed = stdout.split('\n').filter((line) => /"level":(50|60)/.test(line))
  report.claim('no failure in the log, and it stops in order', code === 0 ? failed : [`code ${code}`, ...failed])
  return report
}

async function erase({ url }: Server, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    await fetch(`${url}/api/workspace`, { method: 'DELETE', headers, body: '{"confirm":"erase"}' })
  }
}

/** The least of some samples, while nothing is asked: what lies about to be collected comes and goes. */
async function settledMiB({ pid }: Server): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let sample = 0; sample < SAMPLES; sample++) {
    await Bun.sleep(SAMPLE_MS)
    least = Math.min(least, residentMiB(pid))
  }
  return least
}

/** By the medians of the quarter after the warm-up and of the last one. */
function claimMemory(report: Report, memory: readonly number[]): void {
  const quarter = Math.ceil(memory.length / 4)
  const [warm, end] = [median(memory.slice(1, 1 + quarter)), median(memory.slice(-quarter))]
  const bound = warm * (1 + GROWTH.share) + GROWTH.MiB
  const course = memory.filter((_, i) => i % Math.ceil(memory.length / 10) === 0).map(Math.round)
  const figures = `${Math.round(warm)} MiB after the warm-up, ${Math.round(end)} at the end (bound ${Math.round(bound)}; ${course.join(', ')})`
  report.claim(`memory ${figures}`, end <= bound)
}

/** Each workspace has one of everything. */
async function groundOf({ url }: Server, document: JsonObject, at: number): Promise<Ground> {
  const keys = Array.from({ length: KEYS }, (_, i) => makeKey(at + i))
  const stocks = await Promise.all(keys.map((key) => stock(url, key, document)))
  return { document, keys, fills: stocks.map(({ fill }) => fill), ids: stocks.flatMap(({ ids }) => ids) }
}

interface Torment {
  readonly seed: number
  readonly total: number
  /** How many answers had which status; counted on. */
  readonly statuses: Map<number, number>
  /** How often which operation was asked for; counted on. */
  readonly asked: Map<string, number>
}

/** What went wrong in so many requests, with the least request that shows it. */
async function tormented(server: Server, ground: Ground, { seed, total, statuses, asked }: Torment): Promise<string[]> {
  const rawCount = Math.floor(total / RAW_SHARE)
  const port = Number(new URL(server.url).port)
  const note = (status: number) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const shaped = fc.asyncProperty(badRequests(ground), async (request) => {
    const answer = await send(server, request)
    note(answer.status)
    const name = request.operation ?? ''
    if (asked.has(name)) asked.set(name, (asked.get(name) ?? 0) + 1)
    // As it went out: the client takes dots out of a path.
    const { pathname } = new URL(server.url + request.path)
    const found = [
      ...faultsOf(answer, pathname),
      ...undocumented(ground.document, request.operation, pathname, answer.status),
    ]
    if (found.length > 0) throw new Error(found.join(', '))
  })
  const raw = fc.asyncProperty(malformed, async (text) => {
    const answer = await sendRaw(port, text)
    note(Number(answer.slice(9, 12)))
    const found = rawFaults(answer)
    if (found.length > 0) throw new Error(found.join(', '))
  })
  return [...(await checked(shaped, seed, total - rawCount, server)), ...(await checked(raw, seed, rawCount, server))]
}

async function checked<T>(
  property: fc.IAsyncProperty<[T]>,
  seed: number,
  numRuns: number,
  server: Server,
): Promise<string[]> {
  const details = await fc.check(property, {
    seed,
    numRuns,
    interruptAfterTimeLimit: PART_MS,
    markInterruptAsFailure: true,
  })
  if (!details.failed) return []
  const [least] = details.counterexample ?? []
  const error = details.errorInstance instanceof Error ? details.errorInstance.message : 'interrupted'
  // A server that is gone has an exit code: without it each further request would tell the same.
  const gone = await Promise.race([server.ended, Bun.sleep(50).then(() => null)])
  if (gone) throw new Error(`the server ended with ${gone.code} at ${describe(least)}: ${gone.stderr.slice(0, 500)}`)
  return [`${error} for ${describe(least)} (seed ${seed}, path ${details.counterexamplePath})`]
}

const describe = (request: unknown) => fc.stringify(request).slice(0, 1500)

async function send(
  { url }: Server,
  request: Pick<BadRequest, 'method' | 'path' | 'headers' | 'body'>,
): Promise<Judged> {
  const { method, path, headers, body } = request
  const sent = body === null ? {} : { body: bytesOf(body) }
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const response = await fetch(url + path, { method, headers, redirect: 'manual', signal, ...sent })
  // The stream of changes does not end.
  const isEndless = response.headers.get('Content-Type')?.startsWith('text/event-stream')
  if (isEndless) await response.body?.cancel()
  const text = isEndless ? '' : await response.text()
  return { status: response.status, headers: response.headers, text }
}

function bytesOf(body: NonNullable<BadRequest['body']>): string | Uint8Array<ArrayBuffer> {
  if ('bomb' in body) return BOMBS[body.bomb]?.bytes() ?? ''
  return 'text' in body ? body.text : new Uint8Array(body.bytes)
}

/** Each of them once, so that memory has been through the worst before it is measured. */
async function everyBomb(server: Server): Promise<string[]> {
  const faults: string[] = []
  for (const [bomb, { path, type }] of Object.entries(BOMBS)) {
    const headers = { 'X-API-Key': makeKey(-1), 'Content-Type': type }
    const answer = await send(server, { method: 'POST', path, headers, body: { bomb } })
    faults.push(...faultsOf(answer, path.split('?')[0] ?? '').map((fault) => `${bomb}: ${fault}`))
  }
  return faults
}
