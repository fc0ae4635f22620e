import { median } from '../../bench/figures'
import type { JsonObject } from '../../src/openapi/json-schema'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { operations } from '../support/openapi'
import { raw } from '../support/raw'
import { firstDifference, Place, Report, type Row } from './row'
import { exampleOf, type Stock, stock } from './stock'

/** A word that only the owner's workspace has. */
const SECRET = 'aardvarkium'
const OWNER = makeKey(1)
/** Two strangers who ask the same, one with ids of the owner's, one with ids that never were. */
const PRIER = makeKey(2)
const GUESSER = makeKey(3)
const SETTINGS = { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '100000000' }
/** How far two medians may lie apart: this share of the lesser, and so many milliseconds. */
const APART = { share: 0.3, ms: 0.25 }
const TRIES = 4
/** Requests of each kind in the first try; in the next twice as many, and so on. */
const ROUNDS = 40

interface Ask {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Two workspaces, every operation: ids, words, cursors and ETags of one are to the other what never was. */
export const workspaces: Row = async ({ quick }) => {
  await using place = new Place()
  const { url } = await place.start({ settings: SETTINGS })
  const document = (await (await fetch(`${url}/docs/json`)).json()) as JsonObject
  const owned = await stock(url, OWNER, document)
  await hide(url)
  const cursors = await cursorsOf(url, document, owned)
  const asks = operations(document)
    .filter(({ path }) => path.startsWith('/api') && !path.includes('/changes/stream'))
    .flatMap((one) => asksOf(document, one, owned, cursors))
  const differing: string[] = []
  const telling: string[] = []
  // What was said by oneself may come back.
  const sent: string[] = []
  for (const ask of asks) {
    const [pried, guessed] = [await answerOf(url, PRIER, ask), await answerOf(url, GUESSER, unknowing(ask))]
    const [seen, expected] = [comparable(pried), comparable(guessed)]
    if (seen !== expected) differing.push(`${ask.method} ${ask.path}: ${firstDifference(seen, expected)}`)
    if (pried.text.includes(SECRET) && !ask.path.includes(SECRET)) telling.push(`${ask.method} ${ask.path}`)
    sent.push(said(ask))
    const secrets = owned.ids.filter((id) => !sent.some((text) => text.includes(id)))
    telling.push(...secrets.filter((id) => pried.text.includes(id)).map((id) => `${id} in ${ask.path}`))
  }
  const unshown = await unserved(url, asks)
  const untouched = await changed(url, owned)
  // The clock tells nothing where others are busy, as they are beside the tests.
  const slow = quick ? [] : await timing(url, asks)
  const count = new Set(asks.map(({ operation }) => operation)).size
  const report = new Report(
    `${asks.length} requests to ${count} operations with what is another's, and with what never was`,
  )
  report.claim('the owner is shown all of it', unshown)
  report.claim('both are answered alike: status, headers and body', differing)
  report.claim('nothing of the other shows', telling)
  report.claim('nothing of the other is changed', untouched)
  if (!quick) report.claim(`medians of both are within ${APART.share * 100} % or ${APART.ms} ms`, slow)
  return report
}

/** What the owner has beside one of everything. */
async function hide(url: string): Promise<void> {
  const headers = { 'X-API-Key': OWNER, 'Content-Type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  for (let n = 0; n < 3; n++) {
    await post('/api/notes', { title: `${SECRET} ${n}`, body: `of ${SECRET}`, tags: [SECRET], folder: SECRET })
    await post('/api/tasks', { title: `${SECRET} ${n}`, labels: [SECRET], due: { date: '2026-03-01' } })
  }
}

/** A cursor of the owner's for each list that has one, by its operation. */
async function cursorsOf(url: string, document: JsonObject, owned: Stock): Promise<Map<string, string>> {
  const cursors = new Map<string, string>()
  for (const { path, method } of operations(document).filter((one) =>
    JSON.stringify(one.operation).includes('cursor'),
  )) {
    if (method !== 'get' || path.includes('stream')) continue
    const response = await fetch(
      `${url}${owned.fill(path)}?limit=1&q=${SECRET}`.replace(/&q=.*/, path.endsWith('search') ? '$&' : ''),
      {
        headers: { 'X-API-Key': OWNER },
      },
    )
    const { next_cursor } = (await response.json()) as { next_cursor?: string | null }
    if (next_cursor) cursors.set(path, next_cursor)
  }
  return cursors
}

/** What is asked of one operation: by the owner's ids, with ETags and a cursor of the owner's. */
function asksOf(
  document: JsonObject,
  { path, method, operation }: ReturnType<typeof operations>[number],
  owned: Stock,
  cursors: ReadonlyMap<string, string>,
): Ask[] {
  const body = method === 'get' ? undefined : exampleOf(document, operation)
  const queries = QUERIES[path] ?? ['']
  const cursor = cursors.get(path)
  const one = { operation: `${method} ${path}`, method: method.toUpperCase(), body, headers: {} }
  const asks = queries.map((query): Ask => ({ ...one, path: owned.fill(path) + query }))
  const [first] = asks
  if (!first) return []
  const etag = method === 'get' ? 'If-None-Match' : 'If-Match'
  if (path.includes('{')) asks.push({ ...first, headers: { [etag]: '"1-0"' } })
  // Below a thing, a cursor is bound to the thing, too: to another it is no cursor at all.
  if (cursor && !path.includes('{'))
    asks.push({ ...first, path: `${first.path}${first.path.includes('?') ? '&' : '?'}limit=1&cursor=${cursor}` })
  return asks
}

/** What must be asked for, or what shows more. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/api/search': [`?q=${SECRET}`],
  '/api/notes/search': [`?q=${SECRET}`, `?q=${SECRET.slice(0, 5)}*`],
  '/api/notes': ['', '?trashed=true', `?folder=${SECRET}`, `?tag=${SECRET}`],
  '/api/tasks': ['', `?filter=@${SECRET}`],
  '/api/flashcards/import': ['?format=csv'],
  '/api/flashcards/export': ['?format=csv'],
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/** The same with ids that nobody has, each always the same. */
function unknowing(ask: Ask): Ask {
  const other = (text: string) => text.replaceAll(UUID, (id) => `01890000-0000-7000-9${id.slice(-16)}`)
  const body = ask.body === undefined ? undefined : JSON.parse(other(JSON.stringify(ask.body)))
  return { ...ask, path: other(ask.path), body }
}

const said = ({ path, body }: Ask) => `${path} ${JSON.stringify(body)}`

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

async function answerOf(url: string, key: string, { method, path, body, headers }: Ask): Promise<Answered> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: raw(body) }
  const response = await fetch(url + path, { method, headers: { 'X-API-Key': key, ...type, ...headers }, ...sent })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** All of an answer, less what is made anew for each request. A zip has moments in its bytes: its lists are asked for apart. */
function comparable({ status, headers, text }: Answered): string {
  const isZip = headers.get('Content-Type') === 'application/zip'
  // How long it took has now more digits, now fewer; and a hash is of ids and moments, too.
  const isTimed = text.includes('_duration"')
  const odd = ['date', 'ratelimit', ...(isZip || isTimed ? ['content-length', 'content-disposition'] : [])]
  const fields = [...headers].filter(([name]) => !odd.includes(name))
  return JSON.stringify([status, fields, isZip ? '' : text])
    .replaceAll(UUID, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'moment')
    .replaceAll(/\d{8}T\d{6}Z/g, 'moment')
    .replaceAll(/(_duration|"created\\)\\?":\d+/g, '$1')
    .replaceAll(/reset_seconds\\":\d+/g, 'reset_seconds')
    .replaceAll(/\["etag","\\"[\w-]{43}\\""\]/g, 'hash')
    .replaceAll(/\\"(next_cursor|token|url|cursor)\\":\\"[^"]+\\"/g, '"$1":"minted"')
}

/** What the owner is not shown: if it were nothing, that nothing shows to others would be no wonder. */
async function unserved(url: string, asks: readonly Ask[]): Promise<string[]> {
  const reading = asks.filter(({ method, path, headers }) => {
    return method === 'GET' && !path.includes('cursor=') && Object.keys(headers).length === 0
  })
  const statuses = await Promise.all(reading.map(async (ask) => (await answerOf(url, OWNER, ask)).status))
  return reading.flatMap(({ path }, i) => (statuses[i] === 200 ? [] : [`${path}: ${statuses[i]}`]))
}

/** What of the owner's is not there any more, after all that. */
async function changed(url: string, owned: Stock): Promise<string[]> {
  const paths = ['notes', 'tasks', 'tasks/projects', 'flashcards/decks', 'flashcards/cards', 'flashcards/reviews']
  const headers = { 'X-API-Key': OWNER }
  const found = await Promise.all(
    paths.map(async (path) => {
      const whole = owned.fill(`/api/${path}/{id}`)
      return (await fetch(url + whole, { headers })).ok ? [] : [whole]
    }),
  )
  return found.flat()
}

/** Where a missing thing takes another time than one that is another's: by turns, and only if it does so again and again. */
async function timing(url: string, asks: readonly Ask[]): Promise<string[]> {
  const slow: string[] = []
  const named = asks.filter(({ operation, headers }) => operation.includes('{') && Object.keys(headers).length === 0)
  for (const ask of named) {
    let far: string | null = 'not measured'
    for (let tries = 0; tries < TRIES && far; tries++) far = await apart(url, ask, ROUNDS * (tries + 1))
    if (far) slow.push(`${ask.operation}: ${far}`)
  }
  return slow
}

async function apart(url: string, ask: Ask, rounds: number): Promise<string | null> {
  const times = { pried: [] as number[], guessed: [] as number[] }
  const other = unknowing(ask)
  for (let round = 0; round < rounds; round++) {
    for (const [name, one] of [
      ['pried', ask],
      ['guessed', other],
    ] as const) {
      const start = performance.now()
      // The same caller both times: what it has itself makes no difference.
      await answerOf(url, PRIER, one)
      times[name].push(performance.now() - start)
    }
  }
  const [pried, guessed] = [median(times.pried), median(times.guessed)]
  const gap = Math.abs(pried - guessed)
  const isFar = gap > APART.ms && gap > APART.share * Math.min(pried, guessed)
  return isFar ? `${pried.toFixed(2)} ms against ${guessed.toFixed(2)} ms` : null
}
