import { describe, expect, test } from 'bun:test'
import { slow } from '../../support/full'
import { recounted } from '../../support/recounted'
import { actions, type Caller, codes, makeCalendarWorld, plain, type Shown } from './support'

const world = recounted(await makeCalendarWorld())

const HEADER =
  'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT'
const importCsv = (me: Caller, rows: readonly string[], query = '?file_name=Work.csv', header = HEADER) =>
  me.import([header, ...rows, ''].join('\r\n'), query, { 'Content-Type': 'text/csv' })
const importTxt = (me: Caller, lines: readonly string[], query = '?file_name=todo.txt') =>
  me.import(lines.join('\n'), query, { 'Content-Type': 'text/plain; charset=utf-8' })

describe('a CSV file of Todoist', () => {
  const ROWS = [
    'meta,view_style=list,,,,,,,,,,',
    'task,Buy food @errands @home,Milk,1,1,Ann (1),,every day at 18:00,en,Europe/Berlin,30,minute',
    'task,Eggs,,4,2,Ann (1),,,,,None,None',
    'note,"A dozen, brown",,,,Ann (1),,,,,,',
    ',,,,,,,,,,,',
    'section,Garden,,,,,,,,,,',
    'task,Beans,,2,1,Ann (1),Bob (2),5. Mai,de,,,',
    'task,Ask ann@example.org @ 5,,3,1,Ann (1),,2026-04-09,ja,,,',
  ]

  test('becomes tasks with their parts, comments, labels, sections, priorities and dates', async () => {
    const me = world.stranger()
    const dry = await importCsv(me, ROWS, '?file_name=Work.csv&dry_run=true')
    const report = await importCsv(me, ROWS)
    expect(plain(dry)).toEqual(plain(report))
    expect([actions(report), codes(report)]).toEqual([Array(4).fill('created'), ['', '', '', '']])
    expect(report.body).toMatchObject({ format: 'todoist', warnings: [] })
    expect(report.body.ignored).toEqual([
      { component: 'meta', count: 1 },
      { component: 'AUTHOR', count: 5 },
      { component: 'RESPONSIBLE', count: 1 },
    ])
    expect(report.body.items.map(({ where, source }: Shown) => [where, source.system])).toEqual([
      ['line 3', 'todoist'],
      ['line 4', 'todoist'],
      ['line 8', 'todoist'],
      ['line 9', 'todoist'],
    ])
    const [ask, beans, food, eggs] = (await me.tasks()) as [Shown, Shown, Shown, Shown]
    expect(food).toMatchObject({
      title: 'Buy food',
      notes: 'Milk',
      priority: 1,
      labels: ['errands', 'home'],
      due: { date: '2026-03-02', time: '18:00', time_zone: 'Europe/Berlin' },
      recurrence: { rrule: 'FREQ=DAILY', mode: 'schedule' },
      duration_minutes: 30,
    })
    expect(eggs).toMatchObject({ title: 'Eggs', notes: 'A dozen, brown', priority: 0, parent_id: food.id })
    expect(beans).toMatchObject({ title: 'Beans', priority: 2, due: { date: '2026-05-05', time: null } })
    expect(ask).toMatchObject({ title: 'Ask ann@example.org @ 5', labels: [], due: { date: '2026-04-09' } })
    const projects = (await me.call('GET', '/api/tasks/projects')).body.items
    expect(projects.map(({ name }: Shown) => name)).toEqual(['Work'])
    const [section] = (await me.call('GET', '/api/tasks/sections')).body.items
    expect([beans.section_id, food.section_id, food.project_id]).toEqual([section.id, null, projects[0].id])
  })

  test('goes into the project of the request, and a repeat changes nothing, whatever the day is', async () => {
    const me = world.stranger()
    const { id } = (await me.call('POST', '/api/tasks/projects', { name: 'Mine' })).body
    const rows = [...ROWS, 'task,Call,,4,1,,,tomorrow,en,,,']
    await importCsv(me, rows, `?project_id=${id}`)
    const before = await me.tasks()
    expect(new Set(before.map(({ project_id }) => project_id))).toEqual(new Set([id]))
    world.clock.now += 3 * 86_400_000
    const again = await importCsv(me, rows, `?project_id=${id}`)
    expect(again.body.totals).toMatchObject({ unchanged: 5, created: 0, updated: 0 })
    expect(await me.tasks()).toEqual(before)
    const edited = rows.with(-1, 'task,Call,,1,1,,,tomorrow,en,,,')
    expect(actions(await importCsv(me, edited, `?project_id=${id}`))).toEqual([
      ...Array(4).fill('unchanged'),
      'updated',
    ])
    world.clock.now -= 3 * 86_400_000
  })

  test.each([
    ['every 3rd full moon', 'en'],
    ['every day until the cows come home', 'en'],
    ['morgen', 'en'],
    ['jutro', 'pl'],
    ['31 feb', 'en'],
    ['in the garden', 'en'],
  ])('keeps a date that is not understood, %s (%s), in the report and the notes', async (words, language) => {
    const me = world.stranger()
    const report = await importCsv(me, [`task,a,note,4,1,,,${words},${language},,,`])
    expect(codes(report)).toEqual(['not_understood'])
    expect(report.body.items[0].warnings[0].detail).toContain(words)
    expect((await me.tasks())[0]).toMatchObject({ due: null, recurrence: null, notes: `note\n\nDATE: ${words}` })
  })

  test('is read in the zone and the language of the workspace, unless a row says so', async () => {
    const me = world.stranger()
    await me.call('PATCH', '/api/workspace/settings', { time_zone: 'Asia/Tokyo', language: 'de' })
    await importCsv(me, ['task,a,,4,1,,,morgen um 9 Uhr,,,,', 'task,b,,4,1,,,tomorrow at 9am,en,Europe/Berlin,,'])
    expect((await me.tasks()).map(({ due }) => due)).toEqual([
      { date: '2026-03-03', time: '09:00', time_zone: 'Asia/Tokyo' },
      { date: '2026-03-03', time: '09:00', time_zone: 'Europe/Berlin' },
    ])
  })

  test('tells what else it cannot keep', async () => {
    const me = world.stranger()
    const header = `${HEADER},DEADLINE,DEADLINE_LANG,COLOR`
    const report = await importCsv(
      me,
      [
        'note,of the project,,,,,,,,,,,,,',
        'task,zone,,9,1,,,2026-04-09 10:00,en,Mars/Base,0,minute,,,',
        'task,both,,4,5,,,2026-04-09,en,,,,2026-04-12,en,red',
        'task,late,,4,1,,,every friday,en,,,,2026-04-12,en,',
        'section,S,,,,,,,,,,,,,',
        'note,of a section,,,,,,,,,,,,,',
      ],
      '?file_name=Work.csv',
      header,
    )
    expect(codes(report)).toEqual(['not_understood,unreadable_cell,unreadable_cell', '', 'not_understood'])
    expect(report.body.warnings.map(({ code, detail }: Shown) => [code, detail.slice(0, 7)])).toEqual([
      ['comment_without_task', 'Line 2:'],
      ['comment_without_task', 'Line 7:'],
    ])
    expect(report.body.ignored).toEqual([{ component: 'COLOR', count: 1 }])
    const [both, late, zone] = (await me.tasks()) as [Shown, Shown, Shown]
    expect(both).toMatchObject({ start: { date: '2026-04-09' }, due: { date: '2026-04-12' }, parent_id: zone.id })
    expect([late.notes, late.recurrence.rrule]).toEqual(['DEADLINE: 2026-04-12', 'FREQ=WEEKLY;BYDAY=FR'])
    expect(zone.due).toEqual({ date: '2026-04-09', time: '10:00', time_zone: null })
  })

  test.each([
    ['of something else', 'front,back\r\na,b\r\n', 'archive_refused'],
    ['with a quote that never ends', `${HEADER}\r\ntask,"a`, 'invalid_request'],
    ['in another encoding', new Uint8Array([0xff, 0x41]), 'archive_refused'],
  ])('%s is refused whole', async (_, file, code) => {
    const me = world.stranger()
    const answer = await me.import(file, '', { 'Content-Type': 'text/csv' })
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })
})

describe('a todo.txt', () => {
  test('becomes tasks as its format says', async () => {
    const me = world.stranger()
    const file = [
      '(A) 2026-02-27 Thank Mom for the meatballs @phone +Family due:2026-03-05 t:2026-03-03',
      '',
      'x 2026-03-01 2026-02-20 Review Tim’s pull request +TodoTxtTouch @github pri:C',
      '@GroceryStore Eskimo pies rec:+1w due:2026-03-07',
      'Post signs +GarageSale +Yard rec:3d due:2026-03-08 http://example.org/a',
      'xylophone lesson',
      '(b) Get back to the boss',
      'Email SoAndSo at soandso@example.com 2026-03-03',
    ]
    const dry = await importTxt(me, file, '?file_name=todo.txt&dry_run=true')
    const report = await importTxt(me, file)
    expect(plain(dry)).toEqual(plain(report))
    expect(report.body.format).toBe('todo.txt')
    expect(codes(report)).toEqual(['', '', '', 'projects_dropped', '', '', ''])
    expect(report.body.items.map(({ where }: Shown) => where)).toEqual([1, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}`))
    const byTitle = new Map((await me.tasks()).map((task) => [task.title, task]))
    expect([...byTitle.keys()].toSorted()).toEqual([
      '(b) Get back to the boss',
      'Email SoAndSo at soandso@example.com 2026-03-03',
      'Eskimo pies',
      'Post signs http://example.org/a',
      'Review Tim’s pull request',
      'Thank Mom for the meatballs',
      'xylophone lesson',
    ])
    expect(byTitle.get('Thank Mom for the meatballs')).toMatchObject({
      priority: 1,
      created_at: '2026-02-27T00:00:00.000Z',
      labels: ['phone'],
      due: { date: '2026-03-05', time: null },
      start: { date: '2026-03-03', time: null },
      source: { system: 'todo.txt' },
    })
    expect(byTitle.get('Review Tim’s pull request')).toMatchObject({
      status: 'done',
      priority: 3,
      completed_at: '2026-03-01T00:00:00.000Z',
      created_at: '2026-02-20T00:00:00.000Z',
    })
    expect(byTitle.get('Eskimo pies').recurrence).toMatchObject({ rrule: 'FREQ=WEEKLY', mode: 'schedule' })
    const signs = byTitle.get('Post signs http://example.org/a')
    expect(signs.recurrence).toMatchObject({ rrule: 'FREQ=DAILY;INTERVAL=3', mode: 'completion' })
    expect(signs.labels).toEqual(['Yard'])
    const { items } = (await me.call('GET', '/api/tasks/projects')).body
    expect(items.map(({ name }: Shown) => name).toSorted()).toEqual(['Family', 'GarageSale', 'TodoTxtTouch'])
  })

  test('repeated changes nothing, and a line that was finished since finishes its task', async () => {
    const me = world.stranger()
    const open = ['(A) Call Ann +Family due:2026-03-05', 'Call Bob', 'Call Bob']
    await importTxt(me, open)
    expect(new Set(actions(await importTxt(me, open)))).toEqual(new Set(['unchanged']))
    const done = open.with(0, 'x 2026-03-02 Call Ann +Family due:2026-03-05 pri:A')
    expect(actions(await importTxt(me, done))).toEqual(['updated', 'unchanged', 'unchanged'])
    expect((await me.tasks()).map(({ title, status }) => [title, status])).toEqual([
      ['Call Ann', 'done'],
      ['Call Bob', 'open'],
      ['Call Bob', 'open'],
    ])
  })

  test.each([
    ['a due:tomorrow', 'a due:tomorrow', 'not_understood'],
    ['a due:2026-02-30', 'a due:2026-02-30', 'not_understood'],
    ['a due:2026-03-05 due:2026-03-06', 'a due:2026-03-06', 'not_understood'],
    ['a due:2026-03-05 rec:2b', 'a rec:2b', 'not_understood'],
    ['a rec:1w', 'a rec:1w', 'recurrence_without_date'],
    ['a t:2026-03-06 due:2026-03-05', 'a t:2026-03-06', 'start_dropped'],
    ['(Z) a', 'a', 'priority_changed'],
    ['a uuid:1 h:1', 'a uuid:1 h:1', ''],
    ['@phone', '@phone', ''],
    ['x', 'x', ''],
    ['2026-03-05', '2026-03-05', ''],
    ['a due:2026-03-05 rec:1b', 'a', ''],
  ])('%s: the title is %s, the warning %p', async (line, title, code) => {
    const me = world.stranger()
    expect(codes(await importTxt(me, [line]))).toEqual([code])
    expect((await me.tasks()).map((task) => task.title)).toEqual([title])
  })
})

describe('what nobody writes', () => {
  slow.each<[string, string, string, string]>([
    ['a long line', 'text/plain', 'x '.repeat(20_000), 'failed line_too_long'],
    [
      'a million words in a date',
      'text/csv',
      `${HEADER}\r\ntask,a,,4,1,,,${'every day '.repeat(1e6)},en`,
      'created not_understood,notes_cut',
    ],
    ['a million labels', 'text/csv', `${HEADER}\r\ntask,a ${'@b '.repeat(1e6)},,4,1`, 'created labels_dropped'],
    ['a deep part', 'text/csv', `${HEADER}\r\ntask,a,,4,1\r\ntask,b,,4,99999`, 'created ,created '],
  ])('%s is read in time', async (_, type, file, expected) => {
    const report = await world.stranger().import(file, '', { 'Content-Type': type })
    expect(
      actions(report)
        .map((action, i) => `${action} ${codes(report)[i]}`)
        .join(),
    ).toBe(expected)
  })

  test('a million cells are refused', async () => {
    const answer = await world
      .stranger()
      .import(`${HEADER}\r\ntask${','.repeat(1e6)}`, '', { 'Content-Type': 'text/csv' })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
  })
})

test('the source of each kind of file is its own: the same UIDs are other tasks', async () => {
  const me = world.stranger()
  const report = await importTxt(me, ['a'])
  const { id } = report.body.items[0].source
  await me.import(`BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:${id}\r\nSUMMARY:b\r\nEND:VTODO\r\nEND:VCALENDAR\r\n`)
  expect((await me.tasks()).map(({ title, source }) => [title, source.system])).toEqual([
    ['a', 'todo.txt'],
    ['b', 'ical'],
  ])
})
