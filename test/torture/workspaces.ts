import { median } from '../../bench/figures'
import type { JsonObject } from '../../src/openapi/json-schema'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { operations } from '../support/openapi'
import { raw } from '../support/raw'
import { Place, Report, type Row } from './row'
import { exampleOf, stock } from './stock'

const OWNER = makeKey(1)
const PRIER = makeKey(2)
/** How far two medians may lie apart: this share of the lesser, and so many milliseconds. */
const APART = { share: 0.3, ms: 0.25 }
const TRIES = 4
/** Requests of each kind in the first try; in the next twice as many, and so on. */
const ROUNDS = 40

interface Ask {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/**
 * What is another's takes as long as what never was, in every operation that names something. That it is answered alike,
 * test/isolation.slow.ts holds.
 */
export const workspaces: Row = async () => {
  await using place = new Place()
  const { url } = await place.start({ settings: { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '100000000' } })
  const document = (await (await fetch(`${url}/docs/json`)).json()) as JsonObject
  const owned = await stock(url, OWNER, document)
  const asks = operations(document)
    .filter(({ path }) => path.startsWith('/api') && path.includes('{'))
    .map(({ path, method, operation }): Ask => {
      const body = method === 'get' ? undefined : exampleOf(document, operation)
      return { method: method.toUpperCase(), path: owned.fill(path), body }
    })
  const report = new Report(`${asks.length} operations with what is another's, and with what never was, by turns`)
  report.claim(`medians of both are within ${APART.share * 100} % or ${APART.ms} ms`, await timing(url, asks))
  return report
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/** The same with ids that nobody has, each always the same. */
function unknowing({ method, path, body }: Ask): Ask {
  const other = (text: string) => text.replaceAll(UUID, (id) => `01890000-0000-7000-9${id.slice(-16)}`)
  return { method, path: other(path), body: body === undefined ? undefined : JSON.parse(other(JSON.stringify(body))) }
}

/** Asks, always as the same caller: what it has itself makes no difference. */
async function send(url: string, { method, path, body }: Ask): Promise<void> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: raw(body) }
  await (await fetch(url + path, { method, headers: { 'X-API-Key': PRIER, ...type }, ...sent })).text()
}

/** Where a missing thing takes another time than one that is another's: by turns, and only if it does so again and again. */
async function timing(url: string, asks: readonly Ask[]): Promise<string[]> {
  const slow: string[] = []
  for (const ask of asks) {
    let far: string | null = 'not measured'
    for (let tries = 0; tries < TRIES && far; tries++) far = await apart(url, ask, ROUNDS * (tries + 1))
    if (far) slow.push(`${ask.method} ${ask.path}: ${far}`)
  }
  return slow
}

async function apart(url: string, ask: Ask, rounds: number): Promise<string | null> {
  const pairs = [ask, unknowing(ask)].map((one) => ({ one, times: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { one, times } of pairs) {
      const start = performance.now()
      await send(url, one)
      times.push(performance.now() - start)
    }
  }
  const [pried = 0, guessed = 0] = pairs.map(({ times }) => median(times))
  const gap = Math.abs(pried - guessed)
  const isFar = gap > APART.ms && gap > APART.share * Math.min(pried, guessed)
  return isFar ? `${pried.toFixed(2)} ms against ${guessed.toFixed(2)} ms` : null
}
