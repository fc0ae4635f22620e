import { describe, expect, test } from 'bun:test'
import ICAL from 'ical.js'
import { tablesOf } from '../../support/database'
import { recounted } from '../../support/recounted'
import { makeKey, makeWorld } from '../../support/world'
import { makeCalendarWorld, type Shown } from './support'

const world = recounted(await makeCalendarWorld())

const anybody = { address: '198.51.100.77' }
const unfolded = (text: string): string[] => text.replaceAll(/\r\n[ \t]/g, '').split('\r\n')
const lines = (text: string, name: string) => unfolded(text).filter((line) => line.startsWith(name))

type Caller = ReturnType<typeof world.stranger>
const subscribe = async (me: Caller, feed: object = {}): Promise<Shown> =>
  (await me.call('POST', '/api/tasks/feeds', { name: 'Mine', ...feed })).body
const read = (url: string, headers = {}) => world.call(anybody, 'GET', url, undefined, headers)

describe('the calendar of a feed', () => {
  test('is read by whoever has its token, is valid, and says the same text', async () => {
    const me = world.stranger()
    const title = `👩‍👩‍👧‍👦 שלום עולם; مرحبا, \\ ${'é'.repeat(100)}`
    await me.make({
      title,
      notes: 'one\r\nBEGIN:VEVENT\nX:1',
      due: { date: '2026-03-05', time: '09:00', time_zone: 'Europe/Berlin' },
    })
    const { url } = await subscribe(me)
    const { status, headers, body } = await read(url)
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/calendar; charset=utf-8'])
    for (const line of body.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    const [event, ...more] = new ICAL.Component(ICAL.parse(body)).getAllSubcomponents('vevent')
    expect(more).toEqual([])
    expect(event?.getFirstPropertyValue('summary')).toBe(title)
    expect(event?.getFirstPropertyValue('description')).toBe('one\nBEGIN:VEVENT\nX:1')
    expect(lines(body, 'DTSTART')).toEqual(['DTSTART:20260305T080000Z'])
  })

  test('shows each date of 90 days, on its own, and what is open without regard to its age', async () => {
    const me = world.stranger()
    await me.make({ title: 'weekly', due: { date: '2026-02-23' }, recurrence: { rrule: 'FREQ=WEEKLY' } })
    await me.make({
      title: 'after',
      due: { date: '2026-03-03' },
      recurrence: { rrule: 'FREQ=DAILY', mode: 'completion' },
    })
    await me.make({ title: 'old', due: { date: '2001-01-01' } })
    await me.make({ title: 'starts', start: { date: '2027-01-01', time: '10:00' } })
    await me.make({ title: 'undated' })
    const { url } = await subscribe(me)
    const { body } = await read(url)
    const dates = Array.from({ length: 13 }, (_, i) =>
      new Date(Date.UTC(2026, 2, 2 + 7 * i)).toISOString().slice(0, 10),
    )
    const days = ['2001-01-01', '2026-02-23', '2026-03-03', ...dates].toSorted()
    expect(lines(body, 'DTSTART').toSorted()).toEqual([
      'DTSTART:20270101T100000',
      ...days.map((date) => `DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`),
    ])
    expect(new Set(lines(body, 'UID')).size).toBe(days.length + 1)
    expect(lines(body, 'RRULE')).toEqual([])
  })

  test('shows its filter alone, and closed tasks only if it is asked for', async () => {
    const me = world.stranger()
    const due = { date: '2026-03-05' }
    await me.make({ title: 'one', priority: 1, due })
    await me.make({ title: 'two', due })
    await me.make({ title: 'done', priority: 1, due, status: 'done' })
    await me.make({ title: 'long done', priority: 1, due: { date: '2025-03-05' }, status: 'done' })
    const titles = async (feed: object) =>
      lines((await read((await subscribe(me, feed)).url)).body, 'SUMMARY').toSorted()
    expect(await titles({ filter: 'p1' })).toEqual(['SUMMARY:one'])
    expect(await titles({ filter: 'p1', include_done: true })).toEqual(['SUMMARY:done', 'SUMMARY:one'])
    expect(await titles({ filter: 'done' })).toEqual(['SUMMARY:done'])
    const todos = (await read((await subscribe(me, { component: 'vtodo', include_done: true })).url)).body
    expect(lines(todos, 'BEGIN:VTODO')).toHaveLength(3)
    expect(lines(todos, 'STATUS').toSorted()).toEqual([
      'STATUS:COMPLETED',
      'STATUS:NEEDS-ACTION',
      'STATUS:NEEDS-ACTION',
    ])
  })

  test('is the same until something changes: 304', async () => {
    const me = world.stranger()
    const task = await me.make({ title: 'one', due: { date: '2026-03-05' } })
    const { url } = await subscribe(me)
    const tag = (await read(url)).headers.get('ETag') ?? ''
    expect((await read(url, { 'If-None-Match': tag })).status).toBe(304)
    await me.call('PATCH', `/api/tasks/${task.id}`, { title: 'two' })
    expect((await read(url, { 'If-None-Match': tag })).status).toBe(200)
  })

  test('is 400 while a name in its filter is gone, and comes back with the name', async () => {
    const me = world.stranger()
    const project = (await me.call('POST', '/api/tasks/projects', { name: 'Work' })).body
    const { url } = await subscribe(me, { filter: '#Work' })
    await me.call('PATCH', `/api/tasks/projects/${project.id}`, { name: 'Other' })
    const gone = await read(url)
    expect([gone.status, gone.body.code]).toEqual([400, 'invalid_filter'])
    await me.call('PATCH', `/api/tasks/projects/${project.id}`, { name: 'work' })
    expect((await read(url)).status).toBe(200)
  })

  test('is gone with the next request once its feed is deleted', async () => {
    const me = world.stranger()
    const { id, url } = await subscribe(me)
    expect((await read(url)).status).toBe(200)
    expect((await me.call('DELETE', `/api/tasks/feeds/${id}`)).status).toBe(204)
    const gone = await read(url)
    expect([gone.status, gone.body.code]).toEqual([404, 'not_found'])
    expect((await me.call('GET', `/api/tasks/feeds/${id}`)).status).toBe(404)
  })

  test('is read, and nothing else: a token changes and deletes nothing, and opens no other path', async () => {
    const me = world.stranger()
    const { url, id } = await subscribe(me)
    for (const method of ['PATCH', 'DELETE', 'POST', 'PUT']) {
      const answer = await world.call(anybody, method, url, method === 'PATCH' ? { name: 'x' } : undefined)
      expect([method, answer.status >= 400 && answer.status < 500]).toEqual([method, true])
    }
    for (const path of [
      url.replace('.ics', ''),
      `/api/tasks/feeds/${id}`,
      url.replace('feeds/', 'feeds//'),
      `${url}/x`,
    ])
      expect((await read(path)).status).toBeGreaterThanOrEqual(400)
    expect((await me.call('GET', `/api/tasks/feeds/${id}`)).body.name).toBe('Mine')
  })
})

describe('feeds', () => {
  test('are kept with all but their tokens, of which nothing is stored', async () => {
    const me = world.stranger()
    const made = await me.call('POST', '/api/tasks/feeds', { name: 'Mine', filter: 'p1' }, { 'Idempotency-Key': 'f' })
    const { token, url, ...feed } = made.body
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(url).toBe(`/api/tasks/feeds/${token}.ics`)
    const shown = await me.call('GET', made.headers.get('Location') ?? '')
    expect([shown.body, shown.headers.get('ETag')]).toEqual([feed, '"1"'])
    expect((await me.call('GET', '/api/tasks/feeds')).body).toEqual({ items: [feed], next_cursor: null })
    const again = await me.call('POST', '/api/tasks/feeds', { name: 'Mine', filter: 'p1' }, { 'Idempotency-Key': 'f' })
    expect([again.status, again.body]).toEqual([201, { ...feed, token: null, url: null }])
    const tables = await tablesOf(world.db)
    for (const name of ['task_feeds', 'idempotency', 'changes']) {
      expect(tables).toContain(name)
      expect(JSON.stringify(await world.db.all(`SELECT * FROM ${name}`))).not.toContain(token)
    }
    await read(`${url}x`)
    expect(JSON.stringify(world.logged)).not.toContain(token)
  })

  test('change by merge patches', async () => {
    const me = world.stranger()
    const { id, url } = await subscribe(me, { filter: 'p1' })
    const path = `/api/tasks/feeds/${id}`
    const patched = await me.call('PATCH', path, { filter: null, component: 'vtodo' })
    expect(patched.body).toMatchObject({ revision: 2, filter: null, component: 'vtodo', name: 'Mine' })
    expect((await me.call('PATCH', path, { filter: 'due <' })).body.code).toBe('invalid_filter')
    expect((await me.call('PATCH', path, { name: '' })).status).toBe(400)
    expect((await read(url)).status).toBe(200)
  })

  test('are at most 20', async () => {
    const me = world.stranger()
    for (let i = 0; i < 20; i++) await subscribe(me)
    expect((await me.call('POST', '/api/tasks/feeds', { name: 'x' })).body.code).toBe('quota_exceeded')
  })
})

describe('a request with a token', () => {
  const makeCounted = () => makeWorld({ settings: { API_LIMIT_PER_HOUR: '100', FREE_LIMIT_PER_HOUR: '10' } })
  const left = ({ headers }: { headers: Headers }) => [headers.get('X-Tier'), headers.get('X-RateLimit-Remaining')]

  test('is counted on the owner, and at most 60 an hour; others of the owner go on', async () => {
    const { call, clock, close } = await makeCounted()
    const owner = { key: makeKey(1) }
    const { url } = (await call(owner, 'POST', '/api/tasks/feeds', { name: 'a' })).body
    const other = (await call(owner, 'POST', '/api/tasks/feeds', { name: 'b' })).body
    for (let i = 0; i < 60; i++) {
      const address = `198.51.100.${i % 20}`
      const answer = await call({ address }, 'GET', url)
      expect([answer.status, ...left(answer)]).toEqual([200, 'api', String(97 - i)])
    }
    const refused = await call(anybody, 'GET', url)
    expect([refused.status, refused.body.violated_policies]).toEqual([429, ['feed']])
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(left(refused)).toEqual(['api', '38'])
    expect(left(await call(owner, 'GET', '/api'))).toEqual(['api', '37'])
    expect(left(await call(anybody, 'HEAD', other.url))).toEqual(['api', '36'])
    // Nothing of all that was the callers' own.
    expect(left(await call({ address: '198.51.100.1' }, 'GET', '/api'))).toEqual(['free', '9'])
    clock.now += 3_600_000
    expect((await call(anybody, 'GET', url)).status).toBe(200)
    await close()
  })

  test('uses up the hour of its owner as any other does', async () => {
    const { call, close } = await makeCounted()
    const owner = { address: '192.0.2.9' }
    const { url } = (await call(owner, 'POST', '/api/tasks/feeds', { name: 'a' })).body
    for (let i = 0; i < 9; i++) expect(left(await call(anybody, 'GET', url))).toEqual(['free', String(8 - i)])
    const refused = await call(anybody, 'GET', url)
    expect([refused.status, refused.body.violated_policies]).toEqual([429, ['free']])
    expect((await call(owner, 'GET', '/api')).status).toBe(429)
    expect(left(await call(anybody, 'GET', '/api'))).toEqual(['free', '9'])
    await close()
  })

  test('is held by the ceiling of the network that it comes from, as any other without a key', async () => {
    const { call, close } = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '2' } })
    const readers = { address: '2001:db8:1:9::1' }
    // An owner makes a feed, and has one request left; the readers' /48 has as many as 16 owners of 2.
    const urls: string[] = []
    for (let i = 0; i <= 32; i++)
      urls.push((await call({ address: `203.0.113.${i}` }, 'POST', '/api/tasks/feeds', { name: 'a' })).body.url)
    for (const url of urls.slice(0, 32)) expect((await call(readers, 'GET', url)).status).toBe(200)
    const refused = await call(readers, 'GET', urls[32] ?? '')
    expect([refused.status, refused.body.violated_policies]).toEqual([429, ['free-48']])
    expect((await call({ address: '198.51.100.1' }, 'GET', urls[32] ?? '')).status).toBe(200)
    await close()
  })

  test('that nobody gave is 404, and counted on whoever asks', async () => {
    const { call, close } = await makeCounted()
    const unknown = `/api/tasks/feeds/${'A'.repeat(43)}.ics`
    const answer = await call(anybody, 'GET', unknown)
    expect([answer.status, answer.body.code, ...left(answer)]).toEqual([404, 'not_found', 'free', '9'])
    const keyed = await call({ key: makeKey(2) }, 'GET', unknown)
    expect([keyed.status, ...left(keyed)]).toEqual([404, 'api', '99'])
    for (let i = 0; i < 9; i++) await call(anybody, 'GET', unknown)
    expect((await call(anybody, 'GET', unknown)).status).toBe(429)
    await close()
  })

  test('beside a key that breaks a rule, or a key in Authorization, is 400 and counted on whoever asks', async () => {
    const { call, close } = await makeCounted()
    const { url } = (await call({ key: makeKey(1) }, 'POST', '/api/tasks/feeds', { name: 'a' })).body
    const misplaced = await call(anybody, 'GET', url, undefined, { Authorization: `Bearer ${makeKey(1)}` })
    expect([misplaced.status, misplaced.body.code, ...left(misplaced)]).toEqual([400, 'invalid_api_key', 'free', '9'])
    const malformed = await call({ ...anybody, key: 'short' }, 'GET', url)
    expect([malformed.status, malformed.body.code, ...left(malformed)]).toEqual([400, 'invalid_api_key', 'free', '8'])
    const other = await call(anybody, 'GET', url, undefined, { Authorization: `Basic ${btoa('user:password')}` })
    expect([other.status, ...left(other)]).toEqual([200, 'api', '98'])
    await close()
  })

  test('counts on the caller for all but reading', async () => {
    const { call, close } = await makeCounted()
    const owner = { key: makeKey(3) }
    const { url } = (await call(owner, 'POST', '/api/tasks/feeds', { name: 'a' })).body
    expect(left(await call(anybody, 'DELETE', url))).toEqual(['free', '9'])
    expect(
      left(
        await call(
          anybody,
          'GET',
          url.replace(/\/(.)(?=[^/]*$)/, (_: string, c: string) => `/%${c.charCodeAt(0).toString(16)}`),
        ),
      ),
    ).toEqual(['free', '8'])
    expect(left(await call(owner, 'GET', '/api'))).toEqual(['api', '98'])
    await close()
  })
})
