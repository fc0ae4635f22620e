import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromDay } from '../../src/lib/civil/day'
import { createCalendarPrograms } from '../support/calendar-programs'
import { makeFolder } from '../support/folder'
import { startServer } from '../support/server'
import { makeKey } from '../support/world'

/** vdirsyncer, todoman and khal read every export and feed; what todoman edits is imported. */

const KEY = makeKey(1)
const TODAY = Math.floor(Date.now() / 86_400_000)
const day = (offset: number) => fromDay(TODAY + offset)
/** Seconds since 1970 of a time in UTC. */
const at = (date: string, time: string) => Date.parse(`${date}T${time}:00Z`) / 1000

/** Returns the address of a server, and a function that asks it about tasks. */
async function start() {
  const { url } = await startServer()
  const ask = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const text = typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body)
    const headers = { 'X-API-Key': KEY, 'Content-Type': type }
    const response = await fetch(`${url}/api/tasks${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: text }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response
  }
  return { url, ask }
}

async function setUp() {
  const { url, ask } = await start()
  const make = async (task: object) => (await ask('POST', '', task)).json()
  const project = await (await ask('POST', '/projects', { name: 'Home; and, garden' })).json()
  const utc = (date: string, time: string) => ({ date, time, time_zone: 'UTC' })
  const whole = await make({
    title: 'Ünïcode; 🎈, \\ whole',
    notes: `${'é'.repeat(200)}\nsecond`,
    priority: 1,
    labels: ['a,b'],
  })
  await make({ title: 'allday range', start: { date: day(3) }, due: { date: day(5) }, parent_id: whole.id })
  await make({ title: 'floats', due: { date: day(4), time: '09:00' }, reminders: [{ offset_minutes: -15 }] })
  await make({ title: 'mixed', start: { date: day(6) }, due: utc(day(7), '10:00'), project_id: project.id })
  await make({ title: 'done', status: 'done', due: { date: day(1) } })
  await make({
    title: 'weekly',
    start: utc(day(8), '08:00'),
    due: utc(day(8), '10:00'),
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' },
  })
  const berlin = { date: day(9), time: '12:00', time_zone: 'Europe/Berlin' }
  const moved = await make({ title: 'moved', due: berlin, recurrence: { rrule: 'FREQ=MONTHLY' } })
  await ask('PATCH', `/${moved.id}`, { due: { date: day(10) } })
  const feedOf = async (component: string) =>
    (await (await ask('POST', '/feeds', { name: component, component, include_done: true })).json()).url
  const folder = makeFolder()
  const path = join(folder, 'tasks.ics')
  writeFileSync(path, await (await ask('GET', '/export')).text())
  const programs = createCalendarPrograms(folder, {
    export: { path },
    todos: { url: url + (await feedOf('vtodo')) },
    events: { url: url + (await feedOf('vevent')) },
  })
  await programs.sync()
  return { ask, programs, path }
}

const TITLES = ['allday range', 'done', 'floats', 'mixed', 'moved', 'weekly', 'Ünïcode; 🎈, \\ whole']

test('todoman shows the tasks of the export and of the feed alike, and khal the events', async () => {
  const { programs } = await setUp()
  for (const calendar of ['export', 'todos']) {
    expect(programs.readItems(calendar)).toHaveLength(TITLES.length)
    const todos = await programs.listTodos(calendar)
    expect(new Set(todos.map(({ summary }) => summary))).toEqual(new Set(TITLES))
    const due = new Map(todos.map((todo) => [todo.summary, todo.due]))
    expect(due.get('mixed')).toBe(at(day(7), '10:00'))
    expect(due.get('weekly')).toBe(at(day(8), '10:00'))
    expect(due.get('Ünïcode; 🎈, \\ whole')).toBeNull()
    const noon = new Date((due.get('floats') ?? 0) * 1000)
    expect(noon.toLocaleString('sv', { timeZone: 'Europe/Berlin' })).toBe(`${day(4)} 09:00:00`)
    expect(todos.find(({ summary }) => summary === 'done')?.percent).toBe(100)
    expect(todos.find(({ priority }) => priority === 1)?.summary).toStartWith('Ünïcode')
  }
  const events = await programs.listEvents('events', day(0), day(31))
  const here = (date: string, time: string) =>
    new Date(at(date, time) * 1000).toLocaleString('sv', { timeZone: 'Europe/Berlin' }).slice(0, 16)
  expect(events.toSorted()).toEqual(
    [
      `done|${day(1)}|${day(1)}`,
      `allday range|${day(3)}|${day(5)}`,
      `floats|${day(4)} 09:00|${day(4)} 10:00`,
      `mixed|${here(day(6), '00:00')}|${here(day(7), '10:00')}`,
      ...[8, 15, 22].map((n) => `weekly|${here(day(n), '08:00')}|${here(day(n), '10:00')}`),
      `moved|${day(10)} 12:00|${day(10)} 13:00`,
    ].toSorted(),
  )
})

test('todoman shows every task of the files of other programs, after their import and export', async () => {
  const { ask } = await start()
  const files = join(import.meta.dir, '../fixtures')
  for (const file of [...new Bun.Glob('{ical,ical-programs}/**/*.ics').scanSync(files)].toSorted())
    await ask('POST', '/import?on_conflict=copy', Bun.file(join(files, file)), 'text/calendar')
  const folder = makeFolder()
  const path = join(folder, 'tasks.ics')
  writeFileSync(path, await (await ask('GET', '/export')).text())
  const programs = createCalendarPrograms(folder, { export: { path } })
  await programs.sync()
  const { items } = await (await ask('GET', '/export?format=json')).json()
  const titles = items.map(({ title }: { title: string }) => title)
  expect(titles.length).toBeGreaterThan(70)
  expect((await programs.listTodos('export')).map(({ summary }) => summary)).toEqual(titles.toSorted())
})

test('what todoman edits in an export is imported, and what was changed here as well is told', async () => {
  const { ask, programs, path } = await setUp()
  const todos = await programs.listTodos('export')
  const idOf = (title: string) => String(todos.find(({ summary }) => summary === title)?.id)
  await programs.todoman('edit', idOf('mixed'), '--priority', 'high', '--due', `${day(12)} 15:30`)
  await programs.todoman('done', idOf('floats'))
  await programs.todoman('edit', idOf('allday range'), '--priority', 'low')
  await programs.sync()
  const { items } = await (await ask('GET', '')).json()
  const changed = items.find(({ title }: { title: string }) => title === 'allday range')
  await ask('PATCH', `/${changed.id}`, { notes: 'mine' })
  const report = await (await ask('POST', '/import', await Bun.file(path).text(), 'text/calendar')).json()
  expect(report.totals).toMatchObject({ created: 0, updated: 2, skipped: 1, failed: 0 })
  const conflict = report.items.find(({ action }: { action: string }) => action === 'skipped')
  expect([conflict.id, conflict.warnings[0].code]).toEqual([changed.id, 'conflict'])
  const all = (await (await ask('GET', '/export?format=json')).json()).items
  const byTitle = new Map(all.map((task: { title: string }) => [task.title, task]))
  expect(byTitle.get('mixed')).toMatchObject({ priority: 2, due: { date: day(12) } })
  expect(byTitle.get('floats')).toMatchObject({ status: 'done' })
  expect(byTitle.get('moved')).toMatchObject({ due: { date: day(10) } })
})
