import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { makeKey } from '../support/keys'
import { operations } from '../support/openapi'
import { raw } from '../support/raw'
import { chance, Place, Report, type Row } from './row'
import { exampleOf, type Stock, stock } from './stock'

/** A word that only the owner's space has. */
const SECRET = 'aardvarkium'
/** What one address may have without a key, as docs/operating.md tells. */
const OWNED = { sites: 8, resources: 200, size_bytes: 1_048_576 }
const STORED = ['sites', 'resources', 'size_bytes'] as const
/** Times that every operation is asked from some page, in the long form. */
const ROUNDS = 30

type Head = Readonly<Record<string, string>>

/** Pages of other origins, and of names that were made to lead here, in the browser of somebody who has a scratch space. */
export const page: Row = async ({ seed, quick }) => {
  await using place = new Place()
  const { url } = await place.start({ settings: { FREE_LIMIT_PER_HOUR: '10000000' } })
  const document = (await (await fetch(`${url}/docs/json`)).json()) as JsonObject
  const owned = await stock(url, null, document)
  await hide(url)
  const before = await ownersView(url, owned)
  const left = await remaining(url)
  const asks = operations(document).filter(({ path }) => path.startsWith('/api') && !/stream|usage/.test(path))
  const random = chance(seed)
  // Some examples bring an id of their own, which a page may see again.
  const examples = JSON.stringify(asks.map(({ operation }) => exampleOf(document, operation)))
  const secrets = [SECRET, ...owned.ids.filter((id) => !examples.includes(id))]
  const read: string[] = []
  const sites = new Set<string>()
  let sent = 0
  for (let round = 0; round < (quick ? 2 : ROUNDS); round++) {
    for (const { path, method, operation } of asks) {
      const { site, headers } = pageOf(random)
      sites.add(site)
      sent++
      const target = owned.fill(path) + (/search$/.test(path) ? `?q=${SECRET}` : '')
      const text = await ask(url, target, method.toUpperCase(), exampleOf(document, operation), headers)
      if (secrets.some((word) => text.includes(word) && !target.includes(word)))
        read.push(`${method} ${path} as ${JSON.stringify(headers)}`)
    }
  }
  const after = await ownersView(url, owned)
  const charged = left - (await remaining(url)) - after.asked
  const report = new Report(
    `${sent} requests of pages of ${sites.size} other sites for what somebody has without a key`,
  )
  report.claim('its owner sees it', before.text.includes(SECRET) && !/^[45]/m.test(before.text))
  report.claim('nothing of it is read', read)
  report.claim('nothing of it is adopted', await adopted(url, random))
  report.claim('nothing of it is changed or erased', before.text === after.text)
  report.claim('the address pays for each request', charged === sent ? [] : [`${charged} of ${sent}`])
  report.claim('all sites together hold what one may', stored(place.folder))
  return report
}

/** What the owner has beside one of everything. */
async function hide(url: string): Promise<void> {
  const note = { title: SECRET, body: `of ${SECRET}`, tags: [SECRET], folder: SECRET }
  for (const [path, body] of [
    ['notes', note],
    ['tasks', { title: SECRET, labels: [SECRET] }],
  ] as const)
    await ask(url, `/api/${path}`, 'POST', body, {})
}

/** What the owner sees, and how many requests that took. */
async function ownersView(url: string, owned: Stock): Promise<{ text: string; asked: number }> {
  const paths = ['notes', 'tasks', 'flashcards/facts'].flatMap((path) => [
    `/api/${path}`,
    owned.fill(`/api/${path}/{id}`),
  ])
  paths.push('/api/changes?since=0&limit=200')
  const texts: string[] = []
  for (const path of paths) {
    const response = await fetch(url + path)
    texts.push(`${response.status} ${await response.text()}`)
  }
  return { text: texts.join('\n'), asked: paths.length }
}

/** Another site, and the headers that a browser sends from a page of it. Some come again and again, so that they store. */
function pageOf(random: () => number): { site: string; headers: Head } {
  const n = Math.floor(random() ** 3 * 1000)
  const [host, port] = [`evil${n}.example`, 1024 + n]
  const here = 'localhost:3000'
  const pages: [string, Head][] = [
    [host, { Host: host, Origin: `http://${host}` }],
    [host, { Host: host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }],
    [`https://${host}`, { Host: here, Origin: `https://${host}`, 'Sec-Fetch-Site': 'cross-site' }],
    [`http://localhost:${port}`, { Host: here, Origin: `http://localhost:${port}`, 'Sec-Fetch-Site': 'same-site' }],
    [`http://127.0.0.1:${port}`, { Host: '127.0.0.1', Origin: `http://127.0.0.1:${port}` }],
    ['null', { Host: here, Origin: 'null' }],
    ['null', { Host: here, 'Sec-Fetch-Site': 'cross-site' }],
  ]
  const [site, headers] = pages[Math.floor(random() * pages.length)] ?? ['', {}]
  return { site, headers }
}

async function ask(url: string, path: string, method: string, body: unknown, headers: Head): Promise<string> {
  const what = body === undefined ? {} : { body: raw(body) }
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return (await fetch(url + path, { method, headers: { ...type, ...headers }, ...what })).text()
}

async function remaining(url: string): Promise<number> {
  return Number((await fetch(`${url}/api/usage`)).headers.get('X-RateLimit-Remaining'))
}

async function adopted(url: string, random: () => number): Promise<string[]> {
  const faults: string[] = []
  for (let n = 1; n <= 20; n++) {
    const headers = { ...pageOf(random).headers, 'X-API-Key': makeKey(n) }
    await ask(url, '/api/workspace/adopt', 'POST', undefined, headers)
    const text = await ask(url, '/api/notes', 'GET', undefined, headers)
    if (text.includes(SECRET) || !('items' in asObject(JSON.parse(text))))
      faults.push(`${JSON.stringify(headers)}: ${text}`)
  }
  return faults
}

/** What the scratch spaces in the file have too much. */
function stored(folder: string): string[] {
  using db = new Database(join(folder, 'satchel.db'), { readonly: true })
  const sum = 'count(*) AS sites, sum(resources) AS resources, sum(size_bytes) AS size_bytes'
  const found = db
    .query<Record<keyof typeof OWNED, number>, []>(`SELECT ${sum} FROM workspaces WHERE kind = 'scratch'`)
    .get()
  return STORED.filter((name) => !((found?.[name] ?? Number.NaN) <= OWNED[name])).map(
    (name) => `${found?.[name]} ${name}`,
  )
}
