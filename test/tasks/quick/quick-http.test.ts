import { afterAll, expect, test } from 'bun:test'
import { makeTasksWorld } from '../support'

const world = await makeTasksWorld()
afterAll(world.close)

const quick = (me: ReturnType<typeof world.stranger>, body: object, headers = {}) =>
  world.call(me, 'POST', '/api/tasks/quick', body, headers)
const EXAMPLE = {
  text: 'Pay rent #Home @bills !2 every month on the 31st at 9am',
  time_zone: 'Europe/Berlin',
  now: '2026-03-02T08:00:00.000Z',
}

test('a dry run answers what the real one then makes, and changes nothing', async () => {
  const me = world.stranger()
  const home = await world.call(me, 'POST', '/api/tasks/projects', { name: 'Home' })
  const before = (await world.call(me, 'GET', '/api/changes')).body
  const dry = await quick(me, { ...EXAMPLE, dry_run: true })
  expect(dry.status).toBe(200)
  expect((await world.call(me, 'GET', '/api/changes')).body).toEqual(before)
  const real = await quick(me, EXAMPLE)
  expect([real.status, real.headers.get('Location')]).toEqual([201, `/api/tasks/${real.body.task.id}`])
  expect(real.body).toEqual({ ...dry.body, task: { ...dry.body.task, id: real.body.task.id } })
  expect(real.body.task).toMatchObject({
    title: 'Pay rent',
    priority: 2,
    labels: ['bills'],
    project_id: home.body.id,
    due: { date: '2026-03-31', time: '09:00', time_zone: 'Europe/Berlin' },
    due_at: '2026-03-31T07:00:00.000Z',
    recurrence: {
      rrule: 'FREQ=MONTHLY;BYMONTHDAY=31',
      mode: 'schedule',
      skip: 'backward',
      anchor: '2026-03-31',
      exdates: [],
    },
  })
  expect(real.body.spans[0]).toEqual({ start: 9, end: 14, kind: 'project', text: '#Home', value: home.body.id })
})

test('a project that is not there stays in the title with a warning, unless it is to be made', async () => {
  const me = world.stranger()
  const left = await quick(me, { text: 'Mow the lawn #Garden' })
  expect(left.body.task).toMatchObject({ title: 'Mow the lawn #Garden', project_id: null })
  expect(left.body.warnings).toMatchObject([{ code: 'unknown_project', text: '#Garden' }])
  const made = await quick(me, { text: 'Mow the lawn #Garden /"Back yard"', create_missing: true })
  const projects = await world.call(me, 'GET', '/api/tasks/projects')
  const sections = await world.call(me, 'GET', '/api/tasks/sections')
  expect(projects.body.items).toMatchObject([{ name: 'Garden', open: 1 }])
  expect(sections.body.items).toMatchObject([{ name: 'Back yard', project_id: projects.body.items[0].id }])
  expect(made.body.task).toMatchObject({
    title: 'Mow the lawn',
    project_id: projects.body.items[0].id,
    section_id: sections.body.items[0].id,
  })
  expect(made.body.spans.map(({ value }: { value: unknown }) => value)).toEqual([
    projects.body.items[0].id,
    sections.body.items[0].id,
  ])
})

test('names are found whatever their case, and only in the workspace of the caller', async () => {
  const [me, other] = [world.stranger(), world.stranger()]
  await world.call(other, 'POST', '/api/tasks/projects', { name: 'Secret' })
  expect((await quick(me, { text: 'Spy #Secret' })).body.task.title).toBe('Spy #Secret')
  await world.call(me, 'POST', '/api/tasks/projects', { name: 'Straße' })
  expect((await quick(me, { text: 'Sweep #STRASSE' })).body.task.title).toBe('Sweep')
})

test.each([
  ['nothing left for a title', { text: '@home tomorrow' }, 'empty_title'],
  ['too long a text', { text: 'x'.repeat(1001) }, '/text'],
  ['too long a title', { text: 'x'.repeat(600) }, '/text'],
  ['an offset for a zone', { text: 'x', time_zone: '+02:00' }, '/time_zone'],
  ['no instant', { text: 'x', now: 'soon' }, '/now'],
  ['a project of nobody', { text: 'x', project_id: '01890000-0000-7000-8000-00000000ffff' }, '/project_id'],
])('%s is 400, and nothing is made', async (_, body, fault) => {
  const me = world.stranger()
  const answer = await quick(me, { ...body, create_missing: true })
  expect([answer.status, answer.body.errors?.[0]?.pointer ?? answer.body.code]).toEqual([400, fault])
  expect((await world.call(me, 'GET', '/api/changes')).body.items).toEqual([])
})

test('the language of the text is that of the request, else the words tell', async () => {
  const me = world.stranger()
  const added = await quick(me, { ...EXAMPLE, text: 'Miete zahlen jeden Monat am 31. um 9 Uhr', language: 'de' })
  expect(added.body.task).toMatchObject({
    title: 'Miete zahlen',
    due: { date: '2026-03-31', time: '09:00' },
    recurrence: { rrule: 'FREQ=MONTHLY;BYMONTHDAY=31' },
  })
  expect((await quick(me, { ...EXAMPLE, text: 'Miete zahlen morgen' })).body.task.title).toBe('Miete zahlen')
  expect((await quick(me, { ...EXAMPLE, language: 'it' })).status).toBe(400)
})

test('what is not understood sets no date, and the warning counts characters', async () => {
  const { task, spans, warnings } = (await quick(world.stranger(), { ...EXAMPLE, text: '🎉 party tomorrow 3rd floor' }))
    .body
  expect([task.title, task.due, spans]).toEqual(['🎉 party tomorrow 3rd floor', null, []])
  expect(warnings).toMatchObject([{ code: 'not_understood', start: 8, end: 20, text: 'tomorrow 3rd' }])
})

test('a time in another zone is due there, and what starts needs not be due', async () => {
  const me = world.stranger()
  const call = await quick(me, { ...EXAMPLE, text: 'Call Bob friday 9am EST' })
  expect(call.body.task).toMatchObject({
    due: { date: '2026-03-06', time: '09:00', time_zone: 'America/New_York' },
    due_at: '2026-03-06T14:00:00.000Z',
  })
  const project = await quick(me, { ...EXAMPLE, text: 'Project starting tomorrow' })
  expect(project.body.task).toMatchObject({ title: 'Project', due: null, start: { date: '2026-03-03' } })
})

test.each([
  ['Pills every 4 hours', 'FREQ=HOURLY;INTERVAL=4', '09:00', '13:00'],
  ['Pills every day at 9:30am and 9:30pm', 'FREQ=DAILY;BYHOUR=9,21;BYMINUTE=30', '09:30', '21:30'],
  ['Pills every hour from 10am to 6pm', 'FREQ=DAILY;BYHOUR=10,11,12,13,14,15,16,17,18;BYMINUTE=0', '10:00', '11:00'],
])('%s makes a series by time, which goes on to its next time', async (text, rrule, first, next) => {
  const me = world.stranger()
  const { status, body } = await quick(me, { text, time_zone: 'Europe/Berlin', now: '2026-03-02T08:00:00.000Z' })
  expect([status, body.warnings, body.task.title]).toEqual([201, [], 'Pills'])
  expect(body.task).toMatchObject({
    due: { date: '2026-03-02', time: first, time_zone: 'Europe/Berlin' },
    recurrence: { rrule, anchor: `2026-03-02T${first}` },
  })
  const completed_at = body.task.due_at
  const done = await world.act(me, body.task.id, 'complete', { completed_at })
  expect(done.body.task.due).toEqual({ date: '2026-03-02', time: next, time_zone: 'Europe/Berlin' })
})

test('where clocks go forward, a series by the hour begins at its time of day', async () => {
  const me = world.stranger()
  const settings = { time_zone: 'Europe/Berlin', now: '2026-03-28T23:30:00.000Z' }
  const { body } = await quick(me, { text: 'Pills every day at 2:30 and 14:30', ...settings })
  expect(body.task).toMatchObject({
    due: { date: '2026-03-29', time: '02:30' },
    due_at: '2026-03-29T01:30:00.000Z',
    recurrence: { rrule: 'FREQ=DAILY;BYHOUR=2,14;BYMINUTE=30' },
  })
})
