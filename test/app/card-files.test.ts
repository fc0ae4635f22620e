/** Which files of cards the browser keeps. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import type { Card } from '../../app/api/types'
import type { Database, Store } from '../../app/data/database'

Object.assign(globalThis, { document: { baseURI: 'http://localhost/app/' } })
const { hour, Refused, Unreachable } = await import('../../app/api/client')
const { createCardFiles } = await import('../../app/data/card-files')

const MB = 2 ** 20
const pathOf = (name: string) => `/api/flashcards/media/${name}`
const picture = (name: string) => `<p>Where?<img src="${pathOf(name)}" alt="map"></p>`
const sound = (name: string) => `<audio controls preload="none" src="${pathOf(name)}"></audio>`
const card = (prompt_html: string, answer_html = '') => ({ prompt_html, answer_html }) as Card

interface Stored {
  readonly address: string
  readonly blob: Blob
}

/** A browser that keeps files until it is full, and a server that has all files, of a size. */
function makeWorld({ size = 10, full = Number.POSITIVE_INFINITY } = {}) {
  const kept = new Map<string, Stored>()
  const asked: string[] = []
  const failures = new Map<string, Error>()
  const db = {
    getAll: async () => [...kept.values()],
    get: async (_: string, address: string) => kept.get(address),
    delete: async (_: string, address: string) => kept.delete(address),
    put: async (_: string, file: Stored) => {
      if (kept.size >= full) throw new DOMException('There is no room', 'QuotaExceededError')
      kept.set(file.address, file)
    },
  }
  const files = createCardFiles({ use: (work: (db: Database) => unknown) => work(db as never) } as unknown as Store)
  const api = {
    async open({ path }: { path: string }) {
      const name = path.split('/').at(-1) ?? ''
      asked.push(name)
      const failure = failures.get(name)
      if (failure) throw failure
      return { blob: async () => ({ size }) } as unknown as Response
    },
  }
  const keep = (...cards: Card[]) => files.keep(api, cards)
  const names = () => [...kept.keys()].map((address) => address.split('/').at(-1))
  return { files, keep, kept, names, asked, failures }
}

afterEach(() => {
  hour.value = null
  Reflect.deleteProperty(navigator, 'storage')
})
afterAll(() => Reflect.deleteProperty(globalThis, 'document'))

test('pictures and sounds of both sides are kept, each once, and others are forgotten', async () => {
  const { files, keep, names, asked } = makeWorld()
  await keep(card(picture('a'), picture('a') + sound('b')), card(picture('c')))
  expect(names()).toEqual(['a', 'b', 'c'])
  await keep(card(picture('c'), sound('d')))
  expect(names()).toEqual(['c', 'd'])
  expect(asked).toEqual(['a', 'b', 'c', 'd'])
  expect(await files.read(pathOf('c'))).toMatchObject({ size: 10 })
  expect(await files.read(pathOf('a'))).toBeNull()
})

test.each([
  ['a link', `<a href="${pathOf('a')}">map.pdf</a>`],
  ['a picture of another host', '<img src="https://elsewhere.example/a">'],
  ['the name of an address', `<code>${pathOf('a')}</code>`],
  ['another path of this server', '<img src="/api/notes/attachments/a">'],
])('nothing is fetched for %s', async (_, html) => {
  const { keep, asked } = makeWorld()
  await keep(card(html, html))
  expect(asked).toEqual([])
})

const ten = (from = 0) => Array.from({ length: 10 }, (_, at) => card(picture(`n${from + at}`)))

test.each([
  ['few bytes', { size: 10 }, 10],
  ['bytes up to the limit', { size: 5 * MB }, 10],
  ['more bytes than the limit', { size: 8 * MB }, 7],
  ['files beyond what the browser has room for', { full: 4 }, 4],
])('of ten files with %s so many are kept, the first ones', async (_, given, count) => {
  const { keep, names, asked } = makeWorld(given)
  await keep(...ten())
  expect(names()).toEqual(ten().flatMap((_, at) => (at < count ? [`n${at}`] : [])))
  // None is fetched in vain, again and again.
  asked.length = 0
  if (!('full' in given)) await keep(...ten())
  expect(asked).toEqual([])
})

test.each([
  [100, 0, 5],
  [100, 99, 1],
  [100, 100, 0],
  [10_000, 0, 10],
])(
  'of a browser with room for %d bytes, of which %d are used, half of the rest is taken',
  async (quota, usage, count) => {
    const { keep, kept } = makeWorld()
    Object.defineProperty(navigator, 'storage', {
      value: { estimate: async () => ({ quota, usage }) },
      configurable: true,
    })
    await keep(...ten())
    expect(kept.size).toBe(count)
  },
)

test('no more than 200 are kept', async () => {
  const { keep, kept } = makeWorld()
  await keep(...Array.from({ length: 30 }, (_, at) => ten(at * 10)).flat())
  expect(kept.size).toBe(200)
})

test.each([
  [999, 10],
  [500, 10],
  [499, 0],
])('with %d of 1,000 requests left, %d of ten files are fetched', async (remaining, count) => {
  const { keep, asked } = makeWorld()
  hour.value = { limit: 1000, remaining, endsAt: 0 }
  await keep(...ten())
  expect(asked.length).toBe(count)
})

test('one that was erased is passed over; the network and a busy server are waited for', async () => {
  const { keep, names, failures } = makeWorld()
  failures.set('n1', new Refused(404, 'not_found', 'There is no such file.', null))
  failures.set('n3', new Unreachable())
  await expect(keep(...ten())).rejects.toBeInstanceOf(Unreachable)
  expect(names()).toEqual(['n0', 'n2'])
  failures.set('n3', new Refused(429, 'rate_limited', 'The hour is used up.', 60))
  await expect(keep(...ten())).rejects.toMatchObject({ status: 429 })
  failures.clear()
  await keep(...ten())
  expect(names().toSorted()).toEqual(ten().map((_, at) => `n${at}`))
})
