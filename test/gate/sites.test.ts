/** Over real sockets: which requests of one address share a scratch space, and what all its spaces may have together. */
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { FREE_LIMIT, listeningWorld, remainingOf, Visitor } from '../support/visitor'

const world = await listeningWorld({ ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '100000' })
afterAll(() => world.close())

type Head = Readonly<Record<string, string>>
const HERE = { Host: 'notes.example:4105' }
const HTTPS_PAGE = { Host: 'notes.example', Origin: 'https://notes.example' }

/** What a caller finds with these headers, after a note was made at the same address with `own`. */
async function found(seen: Head, own: Head = HERE, key?: string): Promise<unknown[]> {
  const visitor = new Visitor(world.base, key)
  await visitor.send({ method: 'POST', path: '/api/notes', body: { title: 'mine' }, headers: own })
  const { items } = (await (await visitor.send({ path: '/api/notes', headers: seen })).json()) as { items: unknown[] }
  return items
}

const ONE_SITE: [string, Head, Head][] = [
  ['another port', HERE, { Host: 'notes.example:80' }],
  ['no port', HERE, { Host: 'notes.example' }],
  ['other letters', HERE, { Host: 'NOTES.Example:4105' }],
  ['localhost and 127.0.0.1', { Host: 'localhost:4105' }, { Host: '127.0.0.1:4105' }],
  ['localhost and [::1]', { Host: 'localhost:4105' }, { Host: '[::1]:4105' }],
  ['two loopback addresses', { Host: '127.8.8.8' }, { Host: '[::ffff:127.0.0.1]' }],
  ['localhost and a name below it', { Host: 'localhost' }, { Host: 'satchel.localhost:4105' }],
  ['a page of the same origin', HERE, { ...HERE, 'Sec-Fetch-Site': 'same-origin' }],
  ['what a person typed', HERE, { ...HERE, 'Sec-Fetch-Site': 'none' }],
  ['the browser itself', HERE, { ...HERE, Origin: 'https://a.example', 'Sec-Fetch-Site': 'none' }],
  ['the same origin, where the browser says no more', HERE, { ...HERE, Origin: 'http://notes.example:4105' }],
  [
    'the same origin behind a proxy that ends TLS',
    { Host: 'notes.example' },
    { Host: 'notes.example:443', Origin: 'https://notes.example' },
  ],
  [
    'the same origin behind a proxy that rewrites Host',
    HERE,
    { ...HERE, Origin: 'https://www.example', 'Sec-Fetch-Site': 'same-origin' },
  ],
]

const OTHER_SITES: [string, Head, Head][] = [
  ['a name that was made to lead here', { Host: 'localhost:4105' }, { Host: 'evil.example:4105' }],
  ['a name that begins with another', HERE, { Host: 'notes.example.evil.example' }],
  ['a name that ends like localhost', { Host: 'localhost' }, { Host: 'notlocalhost' }],
  ['an address that is not loopback', { Host: '127.0.0.1' }, { Host: '192.168.0.5' }],
  ['a page of another site', HERE, { ...HERE, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
  [
    'a page of another site at another name',
    { ...HERE, Origin: 'https://evil.example' },
    { Host: 'other.example', Origin: 'https://evil.example' },
  ],
  ['a page of a name beside it', HERE, { ...HERE, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-site' }],
  ['a page of a name beside it that hides its origin', HERE, { ...HERE, 'Sec-Fetch-Site': 'same-site' }],
  ['a page of another site that hides its origin', HERE, { ...HERE, 'Sec-Fetch-Site': 'cross-site' }],
  ['a page of another port, from a browser that says no more', HERE, { ...HERE, Origin: 'http://notes.example:4118' }],
  ['a page of another host, from such a browser', HERE, { ...HERE, Origin: 'http://evil.example:4105' }],
  ['a page without an origin, from such a browser', HERE, { ...HERE, Origin: 'null' }],
  [
    'localhost from 127.0.0.1, on other ports',
    { Host: '127.0.0.1:4105' },
    { Host: '127.0.0.1:4105', Origin: 'http://localhost:4118' },
  ],
  [
    'a name made to lead here, called from its own page',
    { Host: 'localhost' },
    { Host: 'evil.example', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' },
  ],
  [
    'a mark of the browser sent twice',
    HERE,
    { ...HERE, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin, cross-site' },
  ],
]

describe('one scratch space', () => {
  test.each(ONE_SITE)('%s', async (_, own, seen) => {
    expect(await found(seen, own)).toHaveLength(1)
  })
})

describe('a scratch space of its own', () => {
  test.each(OTHER_SITES)('%s', async (_, own, seen) => {
    expect(await found(seen, own)).toEqual([])
  })

  test('a key sees its workspace from each of them', async () => {
    for (const [n, [, own, seen]] of [...OTHER_SITES, ...ONE_SITE].entries())
      expect(await found(seen, own, makeKey(n + 1))).toHaveLength(1)
  })

  test('two pages share none, and neither finds the same one at another address', async () => {
    const [one, two] = ['https://a.example', 'https://b.example'].map((Origin) => ({ ...HERE, Origin }))
    expect(await found(one ?? {}, two)).toEqual([])
    expect(await found(one ?? {}, one)).toHaveLength(1)
    const elsewhere = await new Visitor(world.base).send({ path: '/api/notes', headers: one ?? {} })
    expect(await elsewhere.json()).toMatchObject({ items: [] })
  })

  test('is what a key adopts: the one of the site that asks', async () => {
    const visitor = new Visitor(world.base)
    await visitor.send({ method: 'POST', path: '/api/notes', body: { title: 'mine' }, headers: HERE })
    const adopt = async (key: string, headers: Head) => {
      const keyed = new Visitor(world.base, key, visitor.address)
      expect((await keyed.send({ method: 'POST', path: '/api/workspace/adopt', headers })).status).toBe(200)
      return (await (await keyed.send({ path: '/api/notes' })).json()) as { items: unknown[] }
    }
    expect((await adopt(makeKey(101), { ...HERE, Origin: 'https://evil.example' })).items).toEqual([])
    expect((await adopt(makeKey(102), HERE)).items).toHaveLength(1)
  })
})

describe('a proxy that rewrites Host', () => {
  const warned = async (headers: Head): Promise<boolean> => {
    const own = await listeningWorld()
    await new Visitor(own.base).send({ path: '/api/notes', headers })
    const told = own.logged.filter(({ fields }) => 'warning' in fields && fields.warning === 'host_rewritten')
    await own.close()
    return told.length === 1
  }
  const page = { 'Sec-Fetch-Site': 'same-origin' }

  test.each<[string, Head]>([
    ['another name', { Host: '127.0.0.1:3000', Origin: 'https://notes.example' }],
    ['another port', { Host: 'notes.example', Origin: 'https://notes.example:8443' }],
    ['a name below', { Host: 'www.notes.example', Origin: 'http://notes.example' }],
  ])('is warned of: %s', async (_, headers) => {
    expect(await warned({ ...headers, ...page })).toBe(true)
  })

  test.each<[string, Head]>([
    ['Host as the browser sent it', { Host: 'notes.example', Origin: 'https://notes.example', ...page }],
    ['an origin that a page hides', { Host: 'notes.example', Origin: 'null', ...page }],
    ['a page of another site', { Host: 'a.example', Origin: 'https://b.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['a program', { Host: '127.0.0.1:3000' }],
  ])('is not warned of: %s', async (_, headers) => {
    expect(await warned(headers)).toBe(false)
  })
})

describe('1,000 Host names of one address', () => {
  test('have no more requests than one', async () => {
    const own = await listeningWorld()
    const visitor = new Visitor(own.base)
    const statuses: number[] = []
    for (let n = 0; n < 1000; n++) {
      const { status } = await visitor.send({ path: '/api/notes', headers: { Host: `h${n}.example` } })
      statuses.push(status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(FREE_LIMIT)
    expect(remainingOf(await visitor.send({ path: '/api/usage' }))).toBe(0)
    await own.close()
  })

  test('have spaces at 8 sites, which hold no more than one may; the ninth is refused what would be stored', async () => {
    const visitor = new Visitor(world.base)
    const statuses: number[] = []
    for (let n = 0; n < 1000; n++) {
      const answer = await visitor.send({ method: 'POST', path: '/api/notes', body: {}, headers: at(n % 500) })
      statuses.push(answer.status)
      if (answer.status !== 201) expect(await answer.json()).toMatchObject({ code: 'quota_exceeded' })
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(16)
    expect((await visitor.send({ path: '/api/notes', headers: at(400) })).status).toBe(200)
    expect((await visitor.send({ method: 'POST', path: '/api/notes', body: {}, headers: at(7) })).status).toBe(201)
    // Another address has its own.
    const other = new Visitor(world.base)
    expect((await other.send({ method: 'POST', path: '/api/notes', body: {}, headers: at(400) })).status).toBe(201)
  })

  test('share the resources and bytes of one space; what makes room at one makes it for all', async () => {
    const visitor = new Visitor(world.base)
    const batch = async (n: number, count: number) => {
      const body = { ops: Array.from({ length: count }, () => ({ op: 'create', data: {} })) }
      return visitor.send({ method: 'POST', path: '/api/notes/batch', body, headers: at(n) })
    }
    expect((await batch(1, 100)).status).toBe(200)
    expect((await batch(2, 99)).status).toBe(200)
    const third = { method: 'POST', path: '/api/notes', body: { title: 'third' }, headers: at(3) }
    expect((await visitor.send(third)).status).toBe(201)
    const refused = await visitor.send(third)
    expect([refused.status, (await refused.json()) as unknown]).toEqual([
      429,
      expect.objectContaining({ code: 'quota_exceeded', detail: expect.stringContaining('200 resources') }),
    ])
    expect(
      (await visitor.send({ method: 'DELETE', path: '/api/workspace', body: { confirm: 'erase' }, headers: at(1) }))
        .status,
    ).toBe(204)
    expect((await visitor.send(third)).status).toBe(201)
    const text = { title: 'large', body: 'x'.repeat(600_000) }
    const large = (n: number) => visitor.send({ method: 'POST', path: '/api/notes', body: text, headers: at(n) })
    expect([(await large(1)).status, (await large(2)).status]).toEqual([201, 429])
    // With a key the quota is the key's.
    const keyed = new Visitor(world.base, makeKey(200), visitor.address)
    expect((await keyed.send({ method: 'POST', path: '/api/notes', body: text, headers: at(2) })).status).toBe(201)
  })
})

/** What a browser sends from a page of another site, and from one whose name was made to lead here. */
const foreignPage = (n: number): Head => ({ ...HERE, Origin: `https://evil${n}.example` })
const reboundPage = (n: number): Head => ({ Host: `h${n}.evil.example`, Origin: `http://h${n}.evil.example` })

/** Sites that no page of another name can pass for. */
const OWN: [string, Head][] = [
  ['the key page at localhost', { Host: 'localhost:4105', Origin: 'http://localhost:4105' }],
  ['the key page at 127.0.0.1', { Host: '127.0.0.1:4105', Origin: 'http://127.0.0.1:4105' }],
  ['the key page at an address', { Host: '192.168.0.5:4105', Origin: 'http://192.168.0.5:4105' }],
  ['the key page at an IPv6 address', { Host: '[2001:db8::5]:4105', Origin: 'http://[2001:db8::5]:4105' }],
  ['the key page over https', HTTPS_PAGE],
  ['the key page over https, in a browser that says so', { ...HTTPS_PAGE, 'Sec-Fetch-Site': 'same-origin' }],
  ['a program at a name', HERE],
]
const PLAIN_PAGE: Head = { ...HERE, Origin: 'http://notes.example:4105' }

describe('the places of an address', () => {
  const store = async (visitor: Visitor, headers: Head) =>
    (await visitor.send({ method: 'POST', path: '/api/notes', body: {}, headers })).status
  /** How many of 20 pages could store. */
  const storeFrom = async (visitor: Visitor, page: (n: number) => Head) => {
    let stored = 0
    for (let n = 0; n < 20; n++) if ((await store(visitor, page(n))) === 201) stored++
    return stored
  }

  test.each([...OWN, ['the key page at a name without https', PLAIN_PAGE]] satisfies [string, Head][])(
    'are left for %s by pages of other sites',
    async (_, own) => {
      const visitor = new Visitor(world.base)
      expect([await storeFrom(visitor, foreignPage), await store(visitor, own)]).toEqual([6, 201])
      // Who has a place keeps it.
      expect([await store(visitor, foreignPage(5)), await store(visitor, foreignPage(6))]).toEqual([201, 429])
      expect([await store(visitor, own), await store(visitor, foreignPage(0))]).toEqual([201, 201])
    },
  )

  test.each(OWN)('are left for %s by names that were made to lead here', async (_, own) => {
    const visitor = new Visitor(world.base)
    const stored = [await storeFrom(visitor, foreignPage), await storeFrom(visitor, reboundPage)]
    expect([...stored, await store(visitor, own)]).toEqual([6, 1, 201])
    const other = new Visitor(world.base)
    expect([await storeFrom(other, reboundPage), await store(other, own)]).toEqual([7, 201])
  })

  test('are not left for a name without https by names that were made to lead here: both look alike', async () => {
    const visitor = new Visitor(world.base)
    expect([await storeFrom(visitor, reboundPage), await store(visitor, PLAIN_PAGE)]).toEqual([7, 429])
    // Its space is there for who was there first.
    const first = new Visitor(world.base)
    expect([await store(first, PLAIN_PAGE), await storeFrom(first, reboundPage)]).toEqual([201, 6])
    expect(await store(first, PLAIN_PAGE)).toBe(201)
  })

  test('say to a page what is kept', async () => {
    const visitor = new Visitor(world.base)
    await storeFrom(visitor, foreignPage)
    const refused = await visitor.send({ method: 'POST', path: '/api/notes', body: {}, headers: foreignPage(19) })
    expect(await refused.json()).toMatchObject({
      code: 'quota_exceeded',
      detail: expect.stringMatching(/6 sites.*kept/),
    })
    // What is read needs no place.
    expect((await visitor.send({ path: '/api/notes', headers: foreignPage(19) })).status).toBe(200)
  })

  test('hold for any pages, in any order', async () => {
    const page = fc.oneof(fc.nat(30).map(foreignPage), fc.nat(30).map(reboundPage))
    await fc.assert(
      fc.asyncProperty(fc.array(page, { maxLength: 25 }), fc.constantFrom(...OWN), async (pages, [, own]) => {
        const visitor = new Visitor(world.base)
        const stored = new Set<string>()
        for (const headers of pages) if ((await store(visitor, headers)) === 201) stored.add(JSON.stringify(headers))
        const foreign = [...stored].filter((site) => site.includes('https'))
        expect([stored.size <= 7, foreign.length <= 6]).toEqual([true, true])
        expect(await store(visitor, own)).toBe(201)
      }),
      { numRuns: runs(30) },
    )
  })
})

function at(n: number): Head {
  return { Host: `h${n}.example` }
}
