import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import { type As, MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** The time zone and the language of a workspace, and everything that goes by them. */

// Half past one at night in Berlin, and still the day before in UTC.
const NOW = Date.parse('2026-03-03T23:30:00.000Z')
const world = recounted(await makeWorld({ settings: MANY_CALLERS, start: NOW }))
const { call } = world

const SETTINGS = '/api/workspace/settings'
const change = (me: As, body: object) => call(me, 'PATCH', SETTINGS, body)

async function berliner(settings: object = {}): Promise<As> {
  const me = stranger()
  expect((await change(me, { time_zone: 'Europe/Berlin', ...settings })).status).toBe(200)
  return me
}

describe('settings', () => {
  test('are unset until somebody changes them, and reading them stores nothing', async () => {
    const me = stranger()
    const { body, headers } = await call(me, 'GET', SETTINGS)
    expect(headers.get('ETag')).toBe('"1"')
    expect(body).toEqual({
      id: '00000000-0000-7000-8000-000000000000',
      revision: 1,
      created_at: null,
      updated_at: null,
      time_zone: null,
      language: null,
      line_breaks: true,
    })
    expect((await change(me, { time_zone: null, language: null })).body).toEqual(body)
    expect((await call(me, 'GET', '/api/changes')).body.latest_seq).toBe(0)
  })

  test.each([
    [{ time_zone: 'Mars/Base' }, '/time_zone'],
    [{ time_zone: '+02:00' }, '/time_zone'],
    [{ time_zone: '' }, '/time_zone'],
    [{ time_zone: 5 }, '/time_zone'],
    [{ language: 'it' }, '/language'],
    [{ language: 'DE' }, '/language'],
    [{ language: '' }, '/language'],
    [{ line_breaks: null }, '/line_breaks'],
  ])('%j is refused, and nothing is changed', async (body, pointer) => {
    const me = await berliner()
    const refused = await change(me, { ...body })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, pointer])
    expect((await call(me, 'GET', SETTINGS)).body).toMatchObject({ revision: 2, time_zone: 'Europe/Berlin' })
  })

  test('move in with what a scratch space held, unless the workspace has newer ones', async () => {
    const address = '192.0.2.77'
    const settings = (await change({ address }, { time_zone: 'Europe/Berlin', language: 'es' })).body
    const [me, other] = [stranger(), stranger()]
    const adopted = async (as: As) => (await call({ ...as, address }, 'POST', '/api/workspace/adopt')).body.resources
    await change(other, { language: 'fr' })
    await change(other, { language: 'de' })
    expect((await adopted(other)).workspace_settings).toMatchObject({ unchanged: 1 })
    expect((await call(other, 'GET', SETTINGS)).body).toMatchObject({ revision: 3, time_zone: null, language: 'de' })
    // Nor an equal revision: a key page has set those of a new key already.
    const fresh = stranger()
    await change(fresh, { language: 'fr' })
    expect((await adopted(fresh)).workspace_settings).toMatchObject({ unchanged: 1 })
    expect((await adopted(me)).workspace_settings).toMatchObject({ created: 1 })
    expect((await call(me, 'GET', SETTINGS)).body).toEqual(settings)
  })

  test('are gone with the workspace', async () => {
    const me = await berliner()
    expect((await call(me, 'DELETE', '/api/workspace?confirm=erase')).status).toBe(204)
    expect((await call(me, 'GET', SETTINGS)).body).toMatchObject({ revision: 1, time_zone: null })
  })
})

describe('a request that names no zone has that of the workspace', () => {
  const due = (date: string) => ({ title: date, due: { date, time: null } })

  async function dated(me: As): Promise<void> {
    for (const date of ['2026-03-03', '2026-03-04'])
      expect((await call(me, 'POST', '/api/tasks', due(date))).status).toBe(201)
  }
  const titles = ({ body }: { body: { items: { title: string }[] } }) => body.items.map(({ title }) => title)

  test('a list by today, and by a saved filter', async () => {
    for (const [me, today] of [
      [stranger(), '2026-03-03'],
      [await berliner(), '2026-03-04'],
    ] as const) {
      await dated(me)
      expect(titles(await call(me, 'GET', '/api/tasks?filter=today'))).toEqual([today])
      const saved = await call(me, 'POST', '/api/tasks/filters', { name: 'Now', filter: 'today' })
      expect(titles(await call(me, 'GET', `/api/tasks?filter_id=${saved.body.id}`))).toEqual([today])
      // What names one is as before.
      expect(titles(await call(me, 'GET', '/api/tasks?filter=today&time_zone=UTC'))).toEqual(['2026-03-03'])
    }
  })

  test('an agenda, reminders and statistics', async () => {
    const me = await berliner()
    const reminders = [{ offset_minutes: 0 }]
    await call(me, 'POST', '/api/tasks', { ...due('2026-03-05'), reminders })
    const agenda = (await call(me, 'GET', '/api/tasks/agenda')).body
    expect([agenda.from, agenda.time_zone]).toEqual(['2026-03-04', 'Europe/Berlin'])
    const { items } = (await call(me, 'GET', '/api/tasks/reminders')).body
    expect(items).toMatchObject([{ at: '2026-03-04T23:00:00.000Z' }])
    const stats = (await call(me, 'GET', '/api/tasks/stats')).body
    expect([stats.to, stats.time_zone]).toEqual(['2026-03-04', 'Europe/Berlin'])
    expect((await call(me, 'GET', '/api/tasks/stats?time_zone=UTC')).body.to).toBe('2026-03-03')
  })

  test('a calendar feed', async () => {
    const me = await berliner()
    await dated(me)
    const { url } = (await call(me, 'POST', '/api/tasks/feeds', { name: 'Now', filter: 'today' })).body
    const text: string = (await call({}, 'GET', url)).body
    expect(text.match(/SUMMARY:.*/g)).toEqual(['SUMMARY:2026-03-04'])
  })

  test('words in due and in quick add, also by their language', async () => {
    const me = await berliner({ language: 'de' })
    const made = await call(me, 'POST', '/api/tasks', { title: 'A', due: 'morgen um 9 Uhr' })
    expect(made.body.due).toEqual({ date: '2026-03-05', time: '09:00', time_zone: 'Europe/Berlin' })
    const patched = await call(me, 'PATCH', `/api/tasks/${made.body.id}`, { due: 'heute' })
    expect(patched.body.due.date).toBe('2026-03-04')
    const quick = await call(me, 'POST', '/api/tasks/quick', { text: 'Blumen gießen übermorgen um 18 Uhr' })
    expect(quick.body.task).toMatchObject({
      title: 'Blumen gießen',
      due: { date: '2026-03-06', time: '18:00', time_zone: 'Europe/Berlin' },
    })
    // A request may name others, or with null no zone at all.
    const named = { title: 'B', due: 'tomorrow 9am', language: 'en', time_zone: 'Asia/Tokyo' }
    expect((await call(me, 'POST', '/api/tasks', named)).body.due).toEqual({
      date: '2026-03-05',
      time: '09:00',
      time_zone: 'Asia/Tokyo',
    })
    const floating = { title: 'C', due: 'morgen um 9 Uhr', time_zone: null }
    expect((await call(me, 'POST', '/api/tasks', floating)).body.due).toEqual({
      date: '2026-03-04',
      time: '09:00',
      time_zone: null,
    })
  })

  test('the day of a completion, and with PATCH that of the zone that it names', async () => {
    const series = { title: 'S', due: { date: '2026-03-03' }, recurrence: { rrule: 'FREQ=DAILY', mode: 'completion' } }
    for (const [me, path, body, next] of [
      [stranger(), '/complete', {}, '2026-03-04'],
      [await berliner(), '/complete', {}, '2026-03-05'],
      [await berliner(), '/complete', { time_zone: 'UTC' }, '2026-03-04'],
      [stranger(), '', { status: 'done' }, '2026-03-04'],
      [await berliner(), '', { status: 'done' }, '2026-03-05'],
      [stranger(), '', { status: 'done', time_zone: 'Europe/Berlin' }, '2026-03-05'],
      [await berliner(), '', { status: 'done', time_zone: null }, '2026-03-04'],
    ] as const) {
      const { id } = (await call(me, 'POST', '/api/tasks', series)).body
      const done = await call(me, path === '' ? 'PATCH' : 'POST', `/api/tasks/${id}${path}`, body)
      expect([path, body, (done.body.task ?? done.body).due.date]).toEqual([path, body, next])
    }
  })

  test('the note of today, and a search by day', async () => {
    const me = await berliner()
    const { body } = await call(me, 'PUT', '/api/notes/daily/today', { body: 'kettle' })
    expect(body.daily_date).toBe('2026-03-04')
    expect((await call(me, 'GET', '/api/notes/daily/today?time_zone=UTC')).status).toBe(404)
    for (const path of ['/api/notes/search', '/api/search']) {
      const found = async (q: string) => (await call(me, 'GET', `${path}?q=${encodeURIComponent(q)}`)).body.items.length
      expect([path, await found('created:2026-03-04'), await found('created:2026-03-03')]).toEqual([path, 1, 0])
    }
  })

  test('the chat', async () => {
    const me = await berliner()
    await dated(me)
    const { body } = await call(me, 'POST', '/api/chat', {
      messages: [{ role: 'user', content: 'What is due today?' }],
    })
    expect(body.message.content).toContain('2026-03-04')
  })

  test('the days that the chat is told, in that language and in others', async () => {
    const me = await berliner({ language: 'de' })
    const ask = async (content: string) =>
      (await call(me, 'POST', '/api/chat', { messages: [{ role: 'user', content }] })).body.message.content
    expect(await ask('add a task: Bericht bis Freitag')).toBe('Created the task "Bericht", due 2026-03-06.')
    const moved: [string, string][] = [
      ['übermorgen', 'Changed due of the task "Bericht": 2026-03-06.'],
      ['tomorrow', 'Changed due of the task "Bericht": 2026-03-05.'],
      ['demain', 'Changed due of the task "Bericht": 2026-03-05.'],
      ['irgendwann', 'I do not know when "irgendwann" is'],
    ]
    for (const [day, said] of moved) expect(await ask(`move the task Bericht to ${day}`)).toContain(said)
  })
})
