import { describe, expect, test } from 'bun:test'
import { recounted } from '../../support/recounted'
import { actions, type Caller, calendar, codes, makeCalendarWorld, plain, type Shown, todo, totals } from './support'

// What one file brought, another file neither changes nor closes, whatever their lines have in common.

const world = recounted(await makeCalendarWorld())

const HEADER = 'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,DATE,DATE_LANG'
const csv = (rows: readonly string[]) => [HEADER, ...rows, ''].join('\r\n')
const GARDEN = csv(['task,Call Ann,about the beans,1,1,2026-04-01,en', 'task,Buy soil,forty litres,2,1,,'])
const HOUSE = csv(['task,Call Ann,about the roof,3,1,2026-05-05,en', 'task,Buy soil,,4,1,,', 'task,Paint,,4,1,,'])

type Place = { readonly file_name?: string; readonly project_id?: string; readonly dry_run?: 'true' }
const queryOf = (place: Place) => `?${new URLSearchParams(place)}`
const importCsv = (me: Caller, file: string, place: Place = {}) =>
  me.import(file, queryOf(place), { 'Content-Type': 'text/csv' })
const importTxt = (me: Caller, lines: readonly string[], place: Place = {}) =>
  me.import(lines.join('\n'), queryOf(place), { 'Content-Type': 'text/plain' })
const project = async (me: Caller, name: string): Promise<string> =>
  (await me.call('POST', '/api/tasks/projects', { name })).body.id
describe('the CSV files of two projects of Todoist with tasks of the same texts', () => {
  test.each<[string, Place, Place]>([
    ['without names', {}, {}],
    ['with two names', { file_name: 'Garden.csv' }, { file_name: 'House.csv' }],
    ['with one name', { file_name: 'Export.csv' }, { file_name: 'Export.csv' }],
    ['into two projects', { project_id: 'A' }, { project_id: 'B' }],
    ['into one project', { project_id: 'A' }, { project_id: 'A' }],
    ['with one name, into two', { file_name: 'E.csv', project_id: 'A' }, { file_name: 'E.csv', project_id: 'B' }],
  ])('%s: each keeps its notes and dates, and a repeat of either changes nothing', async (_, one, two) => {
    const me = world.stranger()
    const ids = { A: await project(me, 'A'), B: await project(me, 'B') }
    const within = (place: Place) =>
      place.project_id ? { ...place, project_id: ids[place.project_id as keyof typeof ids] } : place
    const [first, second] = [within(one), within(two)]
    await importCsv(me, GARDEN, first)
    const garden = await me.tasks()
    const dry = await importCsv(me, HOUSE, { ...second, dry_run: 'true' })
    const report = await importCsv(me, HOUSE, second)
    expect(report.body.totals).toEqual(totals({ created: 3 }))
    expect(plain(dry)).toEqual(plain(report))
    const all = await me.tasks()
    expect(all).toHaveLength(5)
    expect(garden.map(({ id }) => all.find((task) => task.id === id))).toEqual(garden)
    for (const [file, place, unchanged] of [
      [GARDEN, first, 2],
      [HOUSE, second, 3],
    ] as const)
      expect((await importCsv(me, file, place)).body.totals).toEqual(totals({ unchanged }))
    expect(await me.tasks()).toEqual(all)
  })
})

test('one file into two projects is in both', async () => {
  const me = world.stranger()
  for (const name of ['A', 'B']) {
    const place = { file_name: 'Garden.csv', project_id: await project(me, name) }
    expect((await importCsv(me, GARDEN, place)).body.totals).toEqual(totals({ created: 2 }))
    expect((await importCsv(me, GARDEN, place)).body.totals).toEqual(totals({ unchanged: 2 }))
  }
})

test('calendars know their tasks by UIDs, never by texts; without one by all that the item says', async () => {
  const me = world.stranger()
  const both = (uid: string, notes: string) =>
    calendar(todo(uid, 'SUMMARY:a', `DESCRIPTION:${notes}`), ['SUMMARY:b', notes])
  for (const file of [both('1', 'X-A:1'), both('2', 'X-A:2')]) {
    expect((await me.import(file)).body.totals).toEqual(totals({ created: 2 }))
    expect((await me.import(file)).body.totals).toEqual(totals({ unchanged: 2 }))
  }
  expect((await me.tasks()).map(({ title }) => title)).toEqual(['a', 'a', 'b', 'b'])
})

describe('a done.txt', () => {
  test.each<[string, Place, Place]>([
    ['without names', {}, {}],
    ['by its name', { file_name: 'todo.txt' }, { file_name: 'done.txt' }],
    ['with the name of the other file', { file_name: 'todo.txt' }, { file_name: 'todo.txt' }],
  ])('closes no open task of the same text: %s', async (_, first, second) => {
    const me = world.stranger()
    await importTxt(me, ['(A) Water the plants +Home due:2026-03-05', 'Call Ann', 'Call Bob'], first)
    const open = await me.tasks()
    const done = ['x 2026-01-02 Water the plants +Home', 'x 2026-01-09 Water the plants +Home', 'x 2026-02-01 Call Ann']
    const isSameName = second.file_name === 'todo.txt'
    const file = isSameName ? [...done, '(A) Water the plants +Home due:2026-03-05', 'Call Ann', 'Call Bob'] : done
    const report = await importTxt(me, file, second)
    expect(report.body.totals).toEqual(totals({ created: 3, unchanged: isSameName ? 3 : 0 }))
    const all = await me.tasks()
    expect(open.map(({ id }) => all.find((task) => task.id === id))).toEqual(open)
    expect((await importTxt(me, file, second)).body.totals).toEqual(totals({ unchanged: file.length }))
    expect(await me.tasks()).toEqual(all)
  })
})

const TODO = ['(A) Call Ann +Family due:2026-03-05', 'Call Bob', 'Call Bob', 'Buy milk', 'Write @home']
const NAMED: Place = { file_name: 'todo.txt' }

/** Imports a todo.txt and then a changed one of the same name, after a dry run with the same report. */
async function change(before: readonly string[], after: readonly string[], [first, second] = [NAMED, NAMED]) {
  const me = world.stranger()
  await importTxt(me, before, first)
  const old = await me.tasks()
  const dry = await importTxt(me, after, { ...second, dry_run: 'true' })
  const report = await importTxt(me, after, second)
  expect(plain(dry)).toEqual(plain(report))
  const now = await me.tasks()
  const again = await importTxt(me, after, second)
  expect(again.body.totals).toEqual(totals({ unchanged: after.length }))
  expect(await me.tasks()).toEqual(now)
  return { me, old, now, report }
}

describe('a line finished since the last import', () => {
  test('finishes its task, which stays the same one', async () => {
    const { old, now, report } = await change(TODO, [
      'x 2026-03-02 Call Ann +Family pri:A due:2026-03-05',
      ...TODO.slice(1),
    ])
    expect(actions(report)).toEqual(['updated', 'unchanged', 'unchanged', 'unchanged', 'unchanged'])
    const [ann] = now.filter(({ status }) => status === 'done')
    expect([ann.title, ann.id, ann.priority]).toEqual([
      'Call Ann',
      old.find(({ title }) => title === 'Call Ann')?.id,
      1,
    ])
    expect(now).toHaveLength(5)
  })

  test('finishes one of two that are equal', async () => {
    const { old, now, report } = await change(TODO, [TODO[0] ?? '', 'x 2026-03-02 Call Bob', ...TODO.slice(2)])
    expect(report.body.totals).toEqual(totals({ updated: 1, unchanged: 4 }))
    const bobs = (tasks: Shown[]) => tasks.filter(({ title }) => title === 'Call Bob')
    expect(
      bobs(now)
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual(['done', 'open'])
    expect(new Set(bobs(now).map(({ id }) => id))).toEqual(new Set(bobs(old).map(({ id }) => id)))
  })

  test('is its own task while the file has the open line, before or after it', async () => {
    for (const after of [
      ['x 2026-03-02 Buy milk', ...TODO],
      [...TODO, 'x 2026-03-02 Buy milk'],
    ]) {
      const { old, now, report } = await change(TODO, after)
      expect(report.body.totals).toEqual(totals({ created: 1, unchanged: 5 }))
      expect(old.map(({ id }) => now.find((task) => task.id === id))).toEqual(old)
    }
  })

  test('is a separate task each week, and an open line of its text that comes later is another task', async () => {
    const { me, now } = await change(TODO, [...TODO.toSpliced(3, 1), 'x 2026-02-23 Buy milk'])
    const [first] = now.filter(({ title }) => title === 'Buy milk')
    const next = await importTxt(me, [...TODO, 'x 2026-02-23 Buy milk'], NAMED)
    expect(next.body.totals).toEqual(totals({ created: 1, unchanged: 5 }))
    const third = await importTxt(me, [...TODO.toSpliced(3, 1), 'x 2026-03-01 Buy milk'], NAMED)
    expect(third.body.totals).toEqual(totals({ updated: 1, unchanged: 4 }))
    const milk = (await me.tasks()).filter(({ title }) => title === 'Buy milk')
    expect(milk.map(({ completed_at }) => completed_at.slice(0, 10)).toSorted()).toEqual(['2026-02-23', '2026-03-01'])
    expect(milk).toContainEqual(first)
  })

  test('finishes up to eight that are equal; more are tasks of their own', async () => {
    const more = Array.from({ length: 20 }, (_, n) => `Other ${n}`)
    const { now, report } = await change(
      [...Array(10).fill('Sweep'), ...more],
      [...Array(10).fill('x 2026-03-01 Sweep'), ...more],
    )
    expect(report.body.totals).toEqual(totals({ updated: 8, created: 2, unchanged: 20 }))
    const sweep = now.filter(({ title }) => title === 'Sweep')
    expect([sweep.length, sweep.filter(({ status }) => status === 'open').length]).toEqual([12, 2])
  })

  test('leaves a series that the file goes on with', async () => {
    const series = ['Wash rec:+1w due:2026-03-07', ...TODO]
    const after = ['x 2026-03-07 Wash rec:+1w due:2026-03-07', 'Wash rec:+1w due:2026-03-14', ...TODO]
    const { old, now, report } = await change(series, after)
    expect(report.body.totals).toEqual(totals({ created: 1, updated: 1, unchanged: 5 }))
    const wash = now.filter(({ title }) => title === 'Wash')
    expect(wash.map(({ status, due }) => [status, due.date]).toSorted()).toEqual([
      ['done', '2026-03-07'],
      ['open', '2026-03-14'],
    ])
    expect(wash.find(({ status }) => status === 'open')?.id).toBe(old.find(({ title }) => title === 'Wash')?.id)
  })

  test('leaves a series alone in its file, whose dates move on by themselves', async () => {
    const { now } = await change(
      ['Wash rec:+1w due:2026-03-07'],
      ['Wash rec:+1w due:2026-03-14', 'x 2026-03-07 Wash rec:+1w due:2026-03-07'],
    )
    expect(now.map(({ status }) => status).toSorted()).toEqual(['done', 'open'])
  })

  test('finishes its task, also where most of the file was finished', async () => {
    const after = ['x 2026-03-02 Call Ann', 'x 2026-03-03 Buy milk', 'Pay rent']
    const { old, now, report } = await change(['Call Ann', 'Buy milk', 'Pay rent'], after)
    expect(report.body.totals).toEqual(totals({ updated: 2, unchanged: 1 }))
    expect(now.map(({ id }) => id).toSorted()).toEqual(old.map(({ id }) => id).toSorted())
  })

  test('in doubt leaves the open task: a file with nothing else in common may be another one', async () => {
    const { old, now, report } = await change(['Call Ann', 'Buy milk'], ['x 2026-01-01 Call Ann', 'x 2026-01-02 Paint'])
    expect(report.body.totals).toEqual(totals({ created: 2 }))
    expect(codes(report)).toEqual(['other_file', ''])
    expect(old.map(({ id }) => now.find((task) => task.id === id))).toEqual(old)
  })
})

describe('a changed file', () => {
  const edited = TODO.with(3, '(B) Buy milk due:2026-03-09')

  test('of the same name changes its tasks', async () => {
    const { now, report } = await change(TODO, [...edited, 'New'])
    expect(report.body.totals).toEqual(totals({ updated: 1, created: 1, unchanged: 4 }))
    expect(now.find(({ title }) => title === 'Buy milk')).toMatchObject({ priority: 2, due: { date: '2026-03-09' } })
  })

  test.each<[string, readonly string[], readonly string[], number]>([
    ['one line alone', ['Call Ann'], ['(A) Call Ann'], 1],
    ['every line, and a third of new ones: none, it is another file', ['a', 'b'], ['(A) a', '(A) b', 'c'], 0],
    ['every line, and less than a third of new ones', ['a', 'b', 'c'], ['(A) a', '(A) b', '(A) c', 'd'], 3],
  ])('of the same name with edits of %s', async (_, before, after, updated) => {
    const { report } = await change(before, after)
    expect(report.body.totals).toEqual(totals({ updated, created: after.length - updated }))
  })

  test('of the same name whose lines are mostly others is another file, also from then on', async () => {
    const other = ['Call Ann +Family due:2027-01-01', '(C) Buy milk', 'Paint', 'Call Bob', 'Sweep']
    const { me, old, now, report } = await change(TODO, other)
    expect(report.body.totals).toEqual(totals({ created: 5 }))
    expect(codes(report)).toEqual(['other_file', '', '', '', ''])
    expect(report.body.items[0].warnings[0].detail).toContain('nothing of that one was changed')
    expect(old.map(({ id }) => now.find((task) => task.id === id))).toEqual(old)
    for (const [file, updated] of [
      [other.with(3, '(D) Call Bob'), 1],
      [edited, 1],
      [other.with(3, '(D) Call Bob'), 0],
      [edited, 0],
    ] as const)
      expect((await importTxt(me, file, NAMED)).body.totals).toEqual(totals({ updated, unchanged: 5 - updated }))
    expect(await me.tasks()).toHaveLength(10)
  })

  test.each<[string, Place, Place, string]>([
    ['without a name is another file, and the report says so', {}, {}, 'no_file_name'],
    ['of another name is another file', { file_name: 'a/todo.txt' }, { file_name: 'b/todo.txt' }, ''],
    ['that lost its name is another file', { file_name: 'todo.txt' }, {}, 'no_file_name'],
  ])('%s', async (_, first, second, code) => {
    const { old, now, report } = await change(TODO, edited, [first, second])
    expect(report.body.totals).toEqual(totals({ created: 5 }))
    expect(report.body.warnings.map((warning: Shown) => warning.code).join()).toBe(code)
    expect(old.map(({ id }) => now.find((task) => task.id === id))).toEqual(old)
  })

  test('without a name into a project changes the tasks of the project', async () => {
    const me = world.stranger()
    const place = { project_id: await project(me, 'Mine') }
    await importTxt(me, TODO, place)
    const report = await importTxt(me, edited, place)
    expect([report.body.totals, report.body.warnings]).toEqual([totals({ updated: 1, unchanged: 4 }), []])
    // It may be the done.txt of this todo.txt.
    const done = TODO.slice(1).map((line) => `x 2026-03-02 ${line}`)
    expect((await importTxt(me, done, place)).body.totals).toEqual(totals({ created: 4 }))
  })

  test('is compared with all of itself, however long: an import that ended early is finished', async () => {
    const me = world.stranger()
    const long = Array.from({ length: 1000 }, (_, n) => `Task ${n} due:2026-03-05`)
    await importTxt(me, long.slice(0, 100), NAMED)
    const moved = long.map((line, n) => (n < 40 ? line.replace('03-05', '03-06') : line))
    expect((await importTxt(me, moved, NAMED)).body.totals).toEqual(
      totals({ updated: 40, unchanged: 60, created: 900 }),
    )
    const others = long.map((line, n) => (n < 600 ? line.replace('03-05', '03-07') : `Other ${n}`))
    expect((await importTxt(me, others, NAMED)).body.totals).toEqual(totals({ created: 1000 }))
  })
})

describe('the project of a CSV file of Todoist', () => {
  const inProjects = async (me: Caller) => {
    const { items } = (await me.call('GET', '/api/tasks/projects')).body
    const nameOf = new Map(items.map(({ id, name }: Shown) => [id, name]))
    return (await me.tasks()).map(({ title, project_id }) => `${title}: ${nameOf.get(project_id) ?? 'inbox'}`)
  }
  const rows = ['task,a,,4,1,,', 'task,b,,4,2,,']
  const withSection = [...rows, 'section,S,,,,,', 'task,c,,4,1,,']

  test.each<[string, readonly string[], Place, string]>([
    ['is named by the file', rows, { file_name: 'Garden.csv' }, 'Garden'],
    ['is named by the last part of a path', rows, { file_name: 'C:\\Backup\\Garden.CSV' }, 'Garden'],
    ['is cut to the length of names', rows, { file_name: 'g'.repeat(200) }, 'g'.repeat(100)],
    ['has no control characters', rows, { file_name: 'A\tb.csv' }, 'A b'],
    ['is the inbox without a name', rows, {}, 'inbox'],
    ['is the inbox of a file that is only an ending', rows, { file_name: ' .csv' }, 'inbox'],
    ['is Todoist without a name, for sections', withSection, {}, 'Todoist'],
  ])('%s', async (_, file, place, name) => {
    const me = world.stranger()
    await importCsv(me, csv(file), place)
    const titles = file === rows ? ['a', 'b'] : ['a', 'b', 'c']
    expect(await inProjects(me)).toEqual(titles.map((title) => `${title}: ${name}`))
  })

  test('is that of the request first', async () => {
    const me = world.stranger()
    await importCsv(me, csv(withSection), { file_name: 'Garden.csv', project_id: await project(me, 'Mine') })
    expect(await inProjects(me)).toEqual(['a: Mine', 'b: Mine', 'c: Mine'])
  })

  test('has its own parts: those of equal texts are below the task of their file', async () => {
    const me = world.stranger()
    await importCsv(me, csv(rows), { file_name: 'Garden.csv' })
    await importCsv(me, csv(rows.map((row) => `${row}`.replace(',,4', ',x,4'))), { file_name: 'House.csv' })
    const tasks = await me.tasks()
    const byId = new Map(tasks.map((task) => [task.id, task]))
    const parts = tasks.filter(({ title }) => title === 'b')
    expect(parts.map((task) => byId.get(task.parent_id)?.project_id === task.project_id)).toEqual([true, true])
    expect(new Set(parts.map(({ parent_id }) => parent_id)).size).toBe(2)
  })
})

test.each(['', 'a'.repeat(256), 'a%0Ab'])('a file_name that cannot be one is refused: %p', async (name) => {
  const answer = await world.stranger().import('a', `?file_name=${name}`, { 'Content-Type': 'text/plain' })
  expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/file_name'])
})
