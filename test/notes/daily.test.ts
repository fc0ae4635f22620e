import { afterAll, describe, expect, test } from 'bun:test'
import { everything, makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world
const DAY = '/api/notes/daily/2026-03-02'

describe('the note of a day', () => {
  test('is made by the first write and changed by the next; absent members stay', async () => {
    const me = stranger()
    expect((await call(me, 'GET', DAY)).status).toBe(404)
    const made = await call(me, 'PUT', DAY, { body: 'one', tags: ['journal'], folder: 'Days' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      title: '2026-03-02',
      daily_date: '2026-03-02',
      body: 'one',
      tags: ['journal'],
      folder: 'Days',
      revision: 1,
    })
    expect([made.headers.get('location'), made.headers.get('etag')]).toEqual([`/api/notes/${made.body.id}`, '"1-0"'])
    const changed = await call(me, 'PUT', DAY, { body: 'two' })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...made.body, ...shown(changed.body), body: 'two', revision: 2 },
    ])
    expect((await call(me, 'PUT', DAY, { body: 'two', title: 'Monday', folder: null })).body).toMatchObject({
      title: 'Monday',
      folder: null,
      tags: ['journal'],
    })
    const read = await call(me, 'GET', DAY)
    expect(read.body).toMatchObject({ id: made.body.id, title: 'Monday', revision: 3 })
    expect((await call(me, 'GET', DAY, undefined, { 'If-None-Match': '"3-0"' })).status).toBe(304)
    expect((await call(me, 'PUT', DAY, { body: 'two' })).body.revision).toBe(3)
  })

  test('If-None-Match: * makes it and never writes over it', async () => {
    const me = stranger()
    const star = { 'If-None-Match': '*' }
    const made = await call(me, 'PUT', DAY, { body: 'one' }, star)
    expect(made.status).toBe(201)
    const refused = await call(me, 'PUT', DAY, { body: 'two' }, star)
    expect([refused.status, refused.body.code, refused.body.current]).toEqual([412, 'precondition_failed', made.body])
    expect((await call(me, 'GET', DAY)).body.body).toBe('one')
  })

  test('If-Match is honoured, also where there is no note', async () => {
    const me = stranger()
    for (const tag of ['"1-0"', '*']) {
      expect((await call(me, 'PUT', DAY, { body: 'x' }, { 'If-Match': tag })).status).toBe(412)
      expect((await call(me, 'POST', `${DAY}/edits`, quick('x'), { 'If-Match': tag })).status).toBe(412)
    }
    expect((await call(me, 'PUT', DAY, { body: 'x' })).status).toBe(201)
    expect((await call(me, 'PUT', DAY, { body: 'y' }, { 'If-Match': '"1-0"' })).status).toBe(200)
    const stale = await call(me, 'PUT', DAY, { body: 'z' }, { 'If-Match': '"1-0"' })
    expect([stale.status, stale.body.current.body]).toEqual([412, 'y'])
  })

  test('ten first writes at once make one note', async () => {
    const me = stranger()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => call(me, 'PUT', DAY, { body: `${i}` }, { 'If-None-Match': '*' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(412)])
    expect((await call(me, 'GET', '/api/notes')).body.items).toHaveLength(1)
  })

  test('in the trash it leaves the day free, and comes back as an ordinary note if the day is taken', async () => {
    const me = stranger()
    const { body: first } = await call(me, 'PUT', DAY, { body: 'first' })
    await call(me, 'DELETE', `/api/notes/${first.id}`)
    expect((await call(me, 'GET', DAY)).status).toBe(404)
    const second = await call(me, 'PUT', DAY, { body: 'second' })
    expect(second.status).toBe(201)
    const back = await call(me, 'POST', `/api/notes/${first.id}/restore`)
    expect([back.status, back.body.daily_date, back.body.body]).toEqual([200, null, 'first'])
    expect((await call(me, 'GET', DAY)).body.id).toBe(second.body.id)
  })

  test('restored to a free day it is the day’s again', async () => {
    const me = stranger()
    const { body: note } = await call(me, 'PUT', DAY, { body: 'first' })
    await call(me, 'DELETE', `/api/notes/${note.id}`)
    expect((await call(me, 'POST', `/api/notes/${note.id}/restore`)).body.daily_date).toBe('2026-03-02')
    expect((await call(me, 'GET', DAY)).body.id).toBe(note.id)
  })

  test.each(['2025-02-30', '2026-13-01', '2026-1-1', 'tomorrow', 'Today', '2026-03-02T00:00:00Z'])(
    '%s is no day',
    async (date) => {
      const refused = await call(stranger(), 'GET', `/api/notes/daily/${date}`)
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/date'])
      expect((await call(stranger(), 'PUT', `/api/notes/daily/${date}`, { body: '' })).status).toBe(400)
    },
  )

  test.each<[string, unknown]>([
    ['no body', {}],
    ['an unknown member', { body: '', pinned: true }],
    ['a bad tag', { body: '', tags: ['a,b'] }],
    ['a null title', { body: '', title: null }],
  ])('refuses %s', async (_, body) => {
    const me = stranger()
    expect((await call(me, 'PUT', DAY, body)).status).toBe(400)
    expect((await call(me, 'GET', DAY)).status).toBe(404)
  })
})

describe('today', () => {
  test('begins at midnight in the time zone of the query', async () => {
    const me = stranger()
    const now = world.clock.now
    const dates: string[] = []
    for (const [instant, zone] of [
      ['2026-03-01T22:59:59.999Z', 'Europe/Berlin'],
      ['2026-03-01T23:00:00.000Z', 'Europe/Berlin'],
      ['2026-03-01T23:00:00.000Z', 'America/New_York'],
      ['2026-03-01T23:00:00.000Z', undefined],
    ] as const) {
      world.clock.now = Date.parse(instant)
      const query = zone ? `?time_zone=${encodeURIComponent(zone)}` : ''
      dates.push((await call(me, 'PUT', `/api/notes/daily/today${query}`, { body: instant })).body.daily_date)
    }
    world.clock.now = now
    expect(dates).toEqual(['2026-03-01', '2026-03-02', '2026-03-01', '2026-03-01'])
    expect((await call(me, 'GET', '/api/notes/daily/2026-03-02')).body.body).toBe('2026-03-01T23:00:00.000Z')
  })

  test.each(['Mars/Olympus', '+01:00', ''])('in %j is refused', async (zone) => {
    const refused = await call(stranger(), 'GET', `/api/notes/daily/today?time_zone=${encodeURIComponent(zone)}`)
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/time_zone'])
  })

  test.each(['tz', 'timezone'])('under the name %s points to time_zone', async (name) => {
    const refused = await call(stranger(), 'GET', `/api/notes/daily/today?${name}=Europe/Berlin`)
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      400,
      expect.stringContaining('did you mean time_zone?'),
    ])
  })
})

const quick = (content: string, more: object = {}) => ({
  edits: [{ op: 'append', target: { heading: ['Log'] }, content, join: 'line', create_missing: true }],
  ...more,
})

describe('POST /api/notes/daily/{date}/edits', () => {
  test('captures a line in one request, whether there is a note or not', async () => {
    const me = stranger()
    const first = await call(me, 'POST', `${DAY}/edits`, quick('- one'))
    expect([first.status, first.body.body, first.body.title, first.body.revision]).toEqual([
      201,
      '# Log\n- one',
      '2026-03-02',
      1,
    ])
    expect(first.headers.get('location')).toBe(`/api/notes/${first.body.id}`)
    const next = await call(me, 'POST', `${DAY}/edits`, quick('- two'))
    expect([next.status, next.body.id, next.body.body]).toEqual([200, first.body.id, '# Log\n- one\n- two'])
  })

  test('that fail make no note, nor does a dry run', async () => {
    const me = stranger()
    const before = await everything(world, me)
    const refused = await call(me, 'POST', `${DAY}/edits`, { edits: [{ op: 'delete', target: { text: 'x' } }] })
    expect([refused.status, refused.body.code, refused.body.candidates]).toEqual([409, 'edit_target_missing', []])
    const dry = await call(me, 'POST', `${DAY}/edits`, quick('- one', { dry_run: true }))
    expect([dry.status, dry.body.body, dry.headers.get('location')]).toEqual([200, '# Log\n- one', null])
    expect(await everything(world, me)).toEqual(before)
  })

  test('that fit two places change neither', async () => {
    const me = stranger()
    await call(me, 'PUT', DAY, { body: 'x x' })
    const refused = await call(me, 'POST', `${DAY}/edits`, { edits: [{ op: 'delete', target: { text: 'x' } }] })
    expect([refused.status, refused.body.code]).toEqual([409, 'edit_target_ambiguous'])
    expect((await call(me, 'GET', DAY)).body).toMatchObject({ body: 'x x', revision: 1 })
  })

  test('with the same Idempotency-Key are made once', async () => {
    const me = stranger()
    const key = { 'Idempotency-Key': 'k' }
    const [a, b] = await Promise.all([1, 2].map(() => call(me, 'POST', `${DAY}/edits`, quick('- one'), key)))
    expect(b?.body).toEqual(a?.body)
    expect((await call(me, 'GET', DAY)).body.body).toBe('# Log\n- one')
  })
})

/** What follows from the body. */
function shown({ excerpt, word_count }: { excerpt: string; word_count: number }) {
  return { excerpt, word_count }
}
