import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { paged } from '../support/paged'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

type Me = ReturnType<typeof world.stranger>
interface Sorted {
  readonly id: string
  readonly title: string
  readonly properties: Readonly<Record<string, unknown>>
}

async function add(me: Me, notes: readonly { title: string; properties?: object; tags?: string[] }[]): Promise<void> {
  for (const note of notes)
    expect((await world.call(me, 'POST', '/api/notes', { body: 'text', ...note })).status).toBe(201)
}

/** All pages, of two notes each. */
async function titles(me: Me, sort: string, path = '/api/notes?archived=any'): Promise<string[]> {
  const asked = `${path}&limit=2&sort=${encodeURIComponent(sort)}`
  return (await paged((to) => world.call(me, 'GET', to), asked)).map((item) => item.title)
}

const SEARCH = '/api/notes/search?q=text'

describe('the sort by a property', () => {
  test('has numbers, then text, then the notes without it, which are last in both directions', async () => {
    const me = world.stranger()
    await add(me, [
      { title: 'none' },
      { title: 'ten', properties: { Rating: 10 } },
      { title: 'nine', properties: { rating: '9' } },
      { title: 'minus', properties: { rating: -1.5 } },
      { title: 'zoe', properties: { rating: 'Zoë' } },
      { title: 'bob', properties: { rating: 'bob' } },
      { title: 'null', properties: { rating: null } },
      { title: 'list', properties: { rating: [30, 'b', 9.5] } },
      { title: 'same', properties: { rating: ['10.0', 10, 'z'] } },
      { title: 'object', properties: { rating: { a: 1 } } },
    ])
    const ascending = ['minus', 'nine', 'list', 'ten', 'same', 'object', 'bob', 'zoe']
    for (const path of [undefined, SEARCH]) {
      expect(await titles(me, 'property.rating', path)).toEqual([...ascending, 'none', 'null'])
      expect(await titles(me, '-property.RATING', path)).toEqual([...ascending.toReversed(), 'null', 'none'])
    }
  })

  test('by one that no note has is by id, whatever others have', async () => {
    const [me, other] = [world.stranger(), world.stranger()]
    await add(other, [{ title: 'theirs', properties: { rating: 1 } }])
    await add(me, [{ title: 'b' }, { title: 'a', properties: { status: 'x' } }, { title: 'c' }])
    for (const path of [undefined, SEARCH]) {
      expect(await titles(me, 'property.rating', path)).toEqual(['b', 'a', 'c'])
      expect(await titles(me, '-property.rating', path)).toEqual(['c', 'a', 'b'])
    }
  })

  test('is within the filters, and follows each write', async () => {
    const me = world.stranger()
    await add(me, [
      { title: 'a', properties: { rating: 2 }, tags: ['x'] },
      { title: 'b', properties: { rating: 1 } },
      { title: 'c', properties: { rating: 1 }, tags: ['x/y'] },
      { title: 'd', tags: ['x'] },
      { title: 'e', properties: { rating: 0 }, tags: ['x'] },
    ])
    const list = (await world.call(me, 'GET', '/api/notes')).body.items as Sorted[]
    const path = (title: string) => `/api/notes/${list.find((one) => one.title === title)?.id}`
    await world.call(me, 'DELETE', path('e'))
    for (const one of ['/api/notes?tag=x', `${SEARCH}&tag=x`])
      expect(await titles(me, 'property.rating', one)).toEqual(['c', 'a', 'd'])
    await world.call(me, 'PATCH', path('a'), { properties: { rating: 0 } })
    await world.call(me, 'PATCH', path('c'), { properties: { rating: null } })
    await world.call(me, 'POST', `${path('e')}/restore`)
    for (const one of ['/api/notes?tag=x', `${SEARCH}&tag=x`])
      expect(await titles(me, 'property.rating', one)).toEqual(['a', 'e', 'c', 'd'])
  })

  test('sends bodies as well', async () => {
    const me = world.stranger()
    await add(me, [{ title: 'a', properties: { rating: 2 } }, { title: 'b' }])
    const { body } = await world.call(me, 'GET', '/api/notes?include=body&sort=property.rating')
    expect(body.items.map((one: { body: string }) => one.body)).toEqual(['text', 'text'])
  })

  test('is that of a plain model, page by page, for random values', async () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>(1, 2, '2', '2.0', -3, 'a', 'B', 'É', '', '2026-01-01', true, null, { a: 1 }),
      fc.array(fc.constantFrom<unknown>(1, '1.0', 2, 'a', 'b', null, 'A'), { maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 3, maxLength: 12 }), async (values) => {
        const me = world.stranger()
        await add(
          me,
          values.map((one, i) => ({ title: `${i}`, properties: { x: one, y: 1 } })),
        )
        const sorted = values.map((one, i) => ({ keys: keysOf(one), title: `${i}`, i }))
        for (const sign of [1, -1]) {
          const expected = sorted.toSorted(
            (a, b) =>
              Number(a.keys === null) - Number(b.keys === null) ||
              sign * (compared(a.keys ?? [0, 0, ''], b.keys ?? [0, 0, '']) || a.i - b.i),
          )
          for (const path of [undefined, SEARCH])
            expect(await titles(me, sign === 1 ? 'property.x' : '-property.x', path)).toEqual(
              expected.map(({ title }) => title),
            )
        }
      }),
      { numRuns: runs(25) },
    )
  })
})

type Keys = [isText: number, number: number, text: string]

/** The least of the values; null without any. */
function keysOf(value: unknown): Keys | null {
  const all = [value].flat().flatMap((one): Keys[] => {
    if (one === null) return []
    if (typeof one === 'object') return [[1, 0, '']]
    const text = `${one}`.toLowerCase().replace('é', 'e')
    return /^-?[\d.]+$/.test(text) ? [[0, Number(text), '']] : [[1, 0, text]]
  })
  return all.sort(compared)[0] ?? null
}

function compared(a: Keys, b: Keys): number {
  const at = a.findIndex((key, i) => key !== b[i])
  return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1
}

describe('a sort that is none', () => {
  test.each(['property', 'property.', '-property.', 'rating', '--property.x', 'Property.x', 'properties.x'])(
    '%s is refused',
    async (sort) => {
      for (const path of ['/api/notes?', `${SEARCH}&`]) {
        const { status, body } = await world.call(world.stranger(), 'GET', `${path}sort=${sort}`)
        expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '/sort'])
        expect(body.errors[0].detail).toContain('property.NAME')
      }
    },
  )

  test('the trash has none by a property, and a cursor belongs to its own', async () => {
    const me = world.stranger()
    await add(me, [
      { title: 'a', properties: { x: 1, y: 1 } },
      { title: 'b', properties: { x: 1 } },
    ])
    const trash = await world.call(me, 'GET', '/api/notes?trashed=true&sort=property.x')
    expect([trash.status, trash.body.errors[0].pointer]).toEqual([400, '/sort'])
    for (const path of ['/api/notes?', `${SEARCH}&`]) {
      const { body } = await world.call(me, 'GET', `${path}limit=1&sort=property.x`)
      for (const sort of ['-property.x', 'property.y', '-updated']) {
        const answer = await world.call(me, 'GET', `${path}limit=1&sort=${sort}&cursor=${body.next_cursor}`)
        expect([sort, answer.status, answer.body.code]).toEqual([sort, 400, 'invalid_cursor'])
      }
    }
  })
})
