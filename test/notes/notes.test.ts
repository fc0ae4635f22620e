import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)

describe('a note', () => {
  test('is created with everything that it was sent, and read back the same', async () => {
    const me = stranger()
    const sent = {
      id: '01890000-0000-7000-8000-000000000001',
      title: 'Trip',
      body: '# Plan\r\n\r\n- train\t\u{1f682}\n',
      folder: 'Work/Plans',
      tags: ['travel', 'a/b'],
      pinned: true,
      archived_at: '2026-01-02T03:04:05.678Z',
      properties: { aliases: ['Voyage'], nested: { a: [1, null] } },
    }
    const made = await world.call(me, 'POST', '/api/notes', sent)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ ...sent, revision: 1, deleted_at: null, created_at: '2026-03-02T12:00:00.000Z' })
    expect(made.headers.get('location')).toBe(`/api/notes/${sent.id}`)
    expect(made.headers.get('etag')).toBe('"1-0"')
    const read = await world.call(me, 'GET', `/api/notes/${sent.id}`)
    expect([read.status, read.body, read.headers.get('etag')]).toEqual([200, made.body, '"1-0"'])
  })

  test('needs nothing at all', async () => {
    const { status, body } = await world.call(stranger(), 'POST', '/api/notes', {})
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: 1,
      created_at: '2026-03-02T12:00:00.000Z',
      updated_at: '2026-03-02T12:00:00.000Z',
      deleted_at: null,
      ...{ title: 'Untitled', file_name: null, body: '', folder: null, tags: [], inline_tags: [], pinned: false },
      ...{ archived_at: null, properties: {}, source: null, daily_date: null, excerpt: '', word_count: 0 },
      checklist: { total: 0, done: 0 },
      links: { out: 0, unresolved: 0, in: 0 },
    })
  })

  test('takes its title from its body, once', async () => {
    const me = stranger()
    const { body } = await world.call(me, 'POST', '/api/notes', { body: 'intro\n\n# The *plan*\n' })
    expect(body.title).toBe('The plan')
    const edited = await world.call(me, 'PATCH', `/api/notes/${body.id}`, { body: '# Another' })
    expect(edited.body.title).toBe('The plan')
    const derived = await world.call(me, 'PATCH', `/api/notes/${body.id}`, { title: null })
    expect(derived.body.title).toBe('Another')
  })

  test('keeps any text byte for byte', async () => {
    const me = stranger()
    const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((s) => s.isWellFormed() && !s.includes('\0'))
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const made = await world.call(me, 'POST', '/api/notes', { body })
        const read = await world.call(me, 'GET', `/api/notes/${made.body.id}`)
        expect(read.body.body).toBe(body.startsWith('\ufeff') ? body.slice(1) : body)
      }),
      { numRuns: runs(50) },
    )
  })

  test.each<[string, object, string]>([
    ['an unknown member', { colour: 'red' }, '/colour'],
    ['a wrong type', { title: 5 }, '/title'],
    ['a number as text', { pinned: 'true' }, '/pinned'],
    ['a title too long', { title: 'x'.repeat(501) }, '/title'],
    ['a blank title', { title: '  ' }, '/title'],
    ['a title of two lines', { title: 'a\nb' }, '/title'],
    ['a body too large', { body: 'ä'.repeat(524_289) }, '/body'],
    ['a folder that climbs', { folder: 'a/../b' }, '/folder'],
    ['a folder with an empty part', { folder: 'a//b' }, '/folder'],
    ['a folder with a blank edge', { folder: 'a/ b' }, '/folder'],
    ['a folder too deep', { folder: `${'a/'.repeat(16)}a` }, '/folder'],
    ['a tag with a comma', { tags: ['ok', 'a,b'] }, '/tags/1'],
    ['a tag too long', { tags: ['x'.repeat(101)] }, '/tags/0'],
    ['too many tags', { tags: Array.from({ length: 65 }, (_, i) => `t${i}`) }, '/tags'],
    ['properties too large', { properties: { a: 'x'.repeat(65_536) } }, '/properties'],
    ['properties too deep', { properties: JSON.parse(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`) }, '/properties'],
    ['an id that is no UUIDv7', { id: '01890000-0000-4000-8000-000000000001' }, '/id'],
    ['an instant that is none', { archived_at: '2026-02-30T00:00:00.000Z' }, '/archived_at'],
    ['an instant with an offset', { archived_at: '2026-02-03T00:00:00+01:00' }, '/archived_at'],
  ])('with %s is refused, and says where', async (_, body, pointer) => {
    const me = stranger()
    const refused = await world.call(me, 'POST', '/api/notes', body)
    expect(refused.status).toBe(400)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(refused.body).toMatchObject({
      code: 'invalid_request',
      type: '/docs/errors#invalid_request',
      status: 400,
      error: refused.body.detail,
    })
    expect(refused.body.errors[0].pointer).toBe(pointer)
    expect((await world.call(me, 'GET', '/api/notes')).body.items).toEqual([])
  })

  test('limits count code points, not UTF-16 units', async () => {
    expect((await world.call(stranger(), 'POST', '/api/notes', { title: '\u{1f600}'.repeat(500) })).status).toBe(201)
  })

  test('tags are equal without regard to case and to how accents are written', async () => {
    const { body } = await world.call(stranger(), 'POST', '/api/notes', {
      tags: ['Caf\u00e9', 'cafe\u0301', 'CAFÉ', 'tea'],
    })
    expect(body.tags).toEqual(['Café', 'tea'])
  })
})

describe('changing a note', () => {
  test('is a merge patch: absent stays, null clears', async () => {
    const me = stranger()
    const { body: note } = await world.call(me, 'POST', '/api/notes', {
      title: 'T',
      folder: 'F',
      tags: ['x'],
      properties: { keep: 1, drop: 2, deep: { a: 1, b: 2 } },
    })
    world.clock.now += 1000
    const { status, body, headers } = await world.call(me, 'PATCH', `/api/notes/${note.id}`, {
      folder: null,
      properties: { drop: null, deep: { b: null, c: 3 } },
    })
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"2-0"')
    expect(body).toEqual({
      ...note,
      revision: 2,
      updated_at: new Date(world.clock.now).toISOString(),
      folder: null,
      properties: { keep: 1, deep: { a: 1, c: 3 } },
    })
    for (const patch of [{ properties: { keep: 1 } }, { folder: null }])
      expect((await world.call(me, 'PATCH', `/api/notes/${note.id}`, patch)).body).toEqual(body)
  })
})

test('a list shows the latest change first, and no bodies', async () => {
  const me = stranger()
  const [first] = await Promise.all(['a', 'b'].map((body) => world.call(me, 'POST', '/api/notes', { body })))
  world.clock.now += 1000
  await world.call(me, 'PATCH', `/api/notes/${first?.body.id}`, { pinned: true })
  const { items } = (await world.call(me, 'GET', '/api/notes')).body
  expect(items[0].id).toBe(first?.body.id)
  for (const item of items) expect(Object.keys(item)).not.toContain('body')
})

describe('Idempotency-Key', () => {
  const key = { 'Idempotency-Key': 'once-only' }

  test('a refused request is not stored, and its repeat is judged anew', async () => {
    const me = stranger()
    expect((await world.call(me, 'POST', '/api/notes', { title: 5 }, key)).status).toBe(400)
    expect((await world.call(me, 'POST', '/api/notes', { title: 'five' }, key)).status).toBe(201)
  })

  test('is forgotten after 24 hours', async () => {
    const me = stranger()
    const first = await world.call(me, 'POST', '/api/notes', { title: 'T' }, key)
    world.clock.now += 24 * 3_600_000 + 1
    const later = await world.call(me, 'POST', '/api/notes', { title: 'T' }, key)
    expect(later.body.id).not.toBe(first.body.id)
  })

  test.each(['', 'ä', 'a b', 'x'.repeat(256)])('%j is refused', async (value) => {
    const { status } = await world.call(stranger(), 'POST', '/api/notes', {}, { 'Idempotency-Key': value })
    expect(status).toBe(400)
  })
})
