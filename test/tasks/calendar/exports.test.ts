import { describe, expect, test } from 'bun:test'
import { recounted } from '../../support/recounted'
import { actions, type Caller, calendar, codes, makeCalendarWorld, type Shown, todo } from './support'

const world = recounted(await makeCalendarWorld())

const unfold = (text: string): string[] => text.replaceAll(/\r\n[ \t]/g, '').split('\r\n')
/** The lines of a file that begin with one of the names. */
const lines = (text: string, ...names: string[]) =>
  unfold(text).filter((line) => names.some((name) => line.startsWith(name)))
const project = async (me: Caller, name: string): Promise<Shown> =>
  (await me.call('POST', '/api/tasks/projects', { name })).body
const section = async (me: Caller, project_id: string, name: string): Promise<Shown> =>
  (await me.call('POST', '/api/tasks/sections', { project_id, name })).body
const readFeed = async (me: Caller, feed: object): Promise<string> => {
  const { url } = (await me.call('POST', '/api/tasks/feeds', { name: 'Mine', ...feed })).body
  return (await world.call({ address: '198.51.100.7' }, 'GET', url)).body
}

describe('the dates of a file', () => {
  const berlin = (date: string, time: string) => ({ date, time, time_zone: 'Europe/Berlin' })
  test.each<[string, object, string[]]>([
    [
      'whole days',
      { start: { date: '2026-03-01' }, due: { date: '2026-03-05' } },
      ['DTSTART;VALUE=DATE:20260301', 'DUE;VALUE=DATE:20260305'],
    ],
    [
      'floating times',
      { start: { date: '2026-03-01', time: '08:00' }, due: { date: '2026-03-05', time: '09:30' } },
      ['DTSTART:20260301T080000', 'DUE:20260305T093000'],
    ],
    [
      'times of two zones',
      {
        start: { date: '2026-03-01', time: '08:00', time_zone: 'America/New_York' },
        due: berlin('2026-03-05', '09:30'),
      },
      ['DTSTART;TZID=America/New_York:20260301T080000', 'DUE;TZID=Europe/Berlin:20260305T093000'],
    ],
    [
      'a day and a time, of which RFC 5545 wants one kind',
      { start: { date: '2026-03-01' }, due: berlin('2026-03-05', '09:30') },
      [
        'DTSTART;TZID=Europe/Berlin:20260301T000000',
        'DUE;TZID=Europe/Berlin:20260305T093000',
        'X-SATCHEL-START;VALUE=DATE:20260301',
      ],
    ],
    [
      'a floating time and one of a zone',
      { start: { date: '2026-03-01', time: '08:00' }, due: berlin('2026-03-05', '09:30') },
      [
        'DTSTART;TZID=Europe/Berlin:20260301T080000',
        'DUE;TZID=Europe/Berlin:20260305T093000',
        'X-SATCHEL-START;VALUE=DATE-TIME:20260301T080000',
      ],
    ],
    [
      'the hours of a day that repeats',
      {
        start: berlin('2026-03-05', '08:00'),
        due: berlin('2026-03-05', '09:30'),
        recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TH', exdates: ['2026-03-12'] },
      },
      [
        'DTSTART;TZID=Europe/Berlin:20260305T080000',
        'DUE;TZID=Europe/Berlin:20260305T093000',
        'RRULE:FREQ=WEEKLY;BYDAY=TH',
        'EXDATE;TZID=Europe/Berlin:20260312T080000',
      ],
    ],
  ])('are a range of %s, which comes back', async (_, dates, expected) => {
    const [me, there] = [world.stranger(), world.stranger()]
    await me.make({ title: 'a', reminders: [{ offset_minutes: -5, from: 'start' }], ...dates })
    const file = await me.export()
    const todoLines = unfold(file.slice(file.indexOf('BEGIN:VTODO'), file.indexOf('END:VTODO')))
    const named = todoLines.filter((line) => /^(DTSTART|DUE|X-SATCHEL-START|RRULE|EXDATE)/.test(line))
    expect(named).toEqual(expected)
    expect([...actions(await me.import(file)), ...codes(await there.import(file))]).toEqual(['unchanged', ''])
    const [here] = await me.tasks()
    expect((await there.tasks())[0]).toMatchObject({
      due: here.due,
      start: here.start,
      recurrence: here.recurrence,
      reminders: here.reminders,
    })
  })

  test('that another program changed are taken, also where a line of ours says what they were', async () => {
    const me = world.stranger()
    await me.make({ title: 'a', start: { date: '2026-03-01' }, due: { date: '2026-03-05', time: '09:30' } })
    const file = await me.export()
    expect(file).toContain('DTSTART:20260301T000000\r\n')
    expect(actions(await me.import(file.replace('DTSTART:20260301T000000', 'DTSTART:20260302T070000')))).toEqual([
      'updated',
    ])
    expect((await me.tasks())[0].start).toEqual({ date: '2026-03-02', time: '07:00', time_zone: null })
  })
})

describe('a feed', () => {
  test('of events has ranges with an end, and floating times float', async () => {
    const me = world.stranger()
    await me.make({ title: 'days', start: { date: '2026-03-03' }, due: { date: '2026-03-05' } })
    await me.make({ title: 'floats', due: { date: '2026-03-06', time: '09:00' } })
    await me.make({
      title: 'weekly',
      start: { date: '2026-03-06', time: '08:00', time_zone: 'UTC' },
      due: { date: '2026-03-06', time: '10:00', time_zone: 'UTC' },
      recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2' },
    })
    expect(lines(await readFeed(me, {}), 'SUMMARY', 'DTSTART', 'DTEND')).toEqual([
      ...['SUMMARY:floats', 'DTSTART:20260306T090000'],
      ...['SUMMARY:weekly', 'DTSTART:20260306T080000Z', 'DTEND:20260306T100000Z'],
      ...['SUMMARY:weekly', 'DTSTART:20260313T080000Z', 'DTEND:20260313T100000Z'],
      ...['SUMMARY:days', 'DTSTART;VALUE=DATE:20260303', 'DTEND;VALUE=DATE:20260306'],
    ])
  })

  test('of to-dos is the tasks as they are: undated, repeating, with labels, alarms, relations and places', async () => {
    const me = world.stranger()
    const { id: project_id } = await project(me, 'Home; garden')
    const { id: section_id } = await section(me, project_id, 'Beds')
    const whole = await me.make({ title: 'whole', labels: ['a,b'], priority: 1, project_id, section_id })
    await me.make({
      title: 'part',
      parent_id: whole.id,
      due: { date: '2026-03-06', time: '09:00', time_zone: 'Europe/Berlin' },
      recurrence: { rrule: 'FREQ=DAILY' },
      reminders: [{ offset_minutes: -15 }],
    })
    await me.make({ title: 'closed', status: 'done' })
    const file = await readFeed(me, { component: 'vtodo' })
    const place = ['X-SATCHEL-PROJECT;VALUE=TEXT:Home\\; garden', 'X-SATCHEL-SECTION;VALUE=TEXT:Beds']
    const names = [
      'SUMMARY',
      'RRULE',
      'PRIORITY',
      'CATEGORIES',
      'RELATED',
      'TRIGGER',
      'X-SATCHEL-P',
      'X-SATCHEL-SECTION',
    ]
    expect(lines(file, ...names)).toEqual([
      ...['SUMMARY:part', 'RRULE:FREQ=DAILY', ...place],
      ...[`RELATED-TO;RELTYPE=PARENT:${whole.id}`, 'TRIGGER;RELATED=END:-PT15M'],
      ...['SUMMARY:whole', 'PRIORITY:1', 'CATEGORIES:a\\,b', ...place],
    ])
    const there = world.stranger()
    expect(actions(await there.import(file))).toEqual(['created', 'created'])
    expect(lines(await readFeed(me, { component: 'vtodo', include_done: true }), 'SUMMARY')).toContain('SUMMARY:closed')
    expect(actions(await me.import(file))).toEqual(['unchanged', 'unchanged'])
  })
})

describe('projects and sections', () => {
  const places = async (me: Caller) => {
    const names = new Map<string, string>()
    for (const kind of ['projects', 'sections'])
      for (const { id, name } of (await me.call('GET', `/api/tasks/${kind}`)).body.items) names.set(id, name)
    return (await me.tasks()).map(({ title, project_id, section_id }) => [
      title,
      names.get(project_id) ?? null,
      names.get(section_id) ?? null,
    ])
  }

  async function moved() {
    const [me, there] = [world.stranger(), world.stranger()]
    const home = await project(me, 'Home')
    const beds = await section(me, home.id, 'Beds')
    const task = await me.make({ title: 'a', project_id: home.id, section_id: beds.id })
    await me.make({ title: 'b' })
    const report = await there.import(await me.export())
    return { me, there, home, beds, task, report }
  }

  test('travel by name: missing ones are created and told, known ones are found', async () => {
    const { me, there, report } = await moved()
    expect(await places(there)).toEqual([
      ['a', 'Home', 'Beds'],
      ['b', null, null],
    ])
    expect(report.body.resources).toMatchObject({ task_project: { created: 1 }, task_section: { created: 1 } })
    const known = world.stranger()
    const { id } = await project(known, 'HOME')
    await known.import(await me.export(), '?dry_run=true')
    expect((await known.call('GET', '/api/tasks/sections')).body.items).toEqual([])
    await known.import(await me.export())
    expect((await known.tasks())[0].project_id).toBe(id)
  })

  test('follow a move, also into the inbox, unless the task was moved here, too', async () => {
    const { me, there, task } = await moved()
    await me.call('PATCH', `/api/tasks/${task.id}`, { project_id: (await project(me, 'Work')).id })
    expect(actions(await there.import(await me.export()))).toEqual(['updated', 'unchanged'])
    expect((await places(there))[0]).toEqual(['a', 'Work', null])
    await me.call('PATCH', `/api/tasks/${task.id}`, { project_id: null })
    expect(actions(await there.import(await me.export()))).toEqual(['updated', 'unchanged'])
    expect((await places(there))[0]).toEqual(['a', null, null])
    const [{ id }] = (await there.tasks()) as [Shown]
    await there.call('PATCH', `/api/tasks/${id}`, { project_id: (await project(there, 'Mine')).id })
    expect(actions(await there.import(await me.export()))).toEqual(['unchanged', 'unchanged'])
    await me.call('PATCH', `/api/tasks/${task.id}`, { project_id: (await project(me, 'Third')).id })
    const both = await there.import(await me.export())
    expect([actions(both), codes(both)]).toEqual([
      ['skipped', 'unchanged'],
      ['conflict', ''],
    ])
    expect(actions(await there.import(await me.export(), '?on_conflict=overwrite'))).toEqual(['updated', 'unchanged'])
    expect((await places(there))[0]).toEqual(['a', 'Third', null])
  })

  test('stay where a program writes no names, and a name that no project can have is read as one that it can', async () => {
    const { me, there, task } = await moved()
    await me.call('PATCH', `/api/tasks/${task.id}`, { title: 'a2' })
    const file = (await me.export()).replaceAll(/X-SATCHEL-(PROJECT|SECTION|REVISION).*\r\n/g, '')
    expect(actions(await there.import(file))).toEqual(['updated', 'unchanged'])
    expect((await places(there))[0]).toEqual(['a2', 'Home', 'Beds'])
    const odd = world.stranger()
    await odd.import(
      calendar(todo('x', `X-SATCHEL-PROJECT: ${'p'.repeat(150)}\u0085`), todo('y', 'X-SATCHEL-PROJECT:')),
    )
    expect(await places(odd)).toEqual([
      ['x', 'p'.repeat(100), null],
      ['y', null, null],
    ])
  })
})

describe('an export that was edited elsewhere', () => {
  async function exported() {
    const me = world.stranger()
    const whole = await me.make({ title: 'whole' })
    const task = await me.make({ title: 'a', parent_id: whole.id, blocked_by: [(await me.make({ title: 'b' })).id] })
    return { me, task, file: (await me.export()).replace('SUMMARY:a\r\n', 'SUMMARY:Edited\r\n') }
  }
  const titles = async (me: Caller) => (await me.tasks()).map(({ title }) => title)

  test('updates what was not changed here', async () => {
    const { me, file } = await exported()
    expect(actions(await me.import(file)).toSorted()).toEqual(['unchanged', 'unchanged', 'updated'])
    expect(await titles(me)).toEqual(['Edited', 'b', 'whole'])
    expect(new Set(actions(await me.import(file)))).toEqual(new Set(['unchanged']))
  })

  test('tells what was changed on both sides', async () => {
    const { me, task, file } = await exported()
    await me.call('PATCH', `/api/tasks/${task.id}`, { notes: 'mine' })
    const report = await me.import(file)
    expect(actions(report).toSorted()).toEqual(['skipped', 'unchanged', 'unchanged'])
    expect(codes(report).join('')).toBe('conflict')
    expect(await titles(me)).toEqual(['a', 'b', 'whole'])
    await me.import(file, '?on_conflict=overwrite')
    expect(await titles(me)).toEqual(['Edited', 'b', 'whole'])
  })

  test('puts back what the last import had, if that is the edit', async () => {
    const me = world.stranger()
    const first = calendar(todo('u', 'SUMMARY:one'))
    const { body } = await me.import(first)
    await me.call('PATCH', `/api/tasks/${body.items[0].id}`, { title: 'two' })
    const back = (await me.export()).replace('SUMMARY:two', 'SUMMARY:one')
    expect(actions(await me.import(first))).toEqual(['unchanged'])
    expect(actions(await me.import(back))).toEqual(['updated'])
    expect(await titles(me)).toEqual(['one'])
  })

  test('is no export of this task if it only has its UID', async () => {
    const { me, file } = await exported()
    const foreign = file.replaceAll(/X-SATCHEL-REVISION.*\r\n/g, 'X-SATCHEL-REVISION:1\r\n')
    expect(actions(await me.import(foreign)).toSorted()).toEqual(['skipped', 'unchanged', 'unchanged'])
  })
})

describe('an occurrence that was moved', () => {
  const weekly = { title: 's', due: { date: '2026-03-09', time: '09:00' }, recurrence: { rrule: 'FREQ=WEEKLY' } }

  test.each([
    ['earlier', { date: '2026-03-07' }],
    ['later', { date: '2026-03-12' }],
  ])('%s keeps its slot in the export, also if it is the current one', async (_, due) => {
    const [me, there] = [world.stranger(), world.stranger()]
    const task = await me.make({ ...weekly, start: { date: '2026-03-06' } })
    await me.call('PATCH', `/api/tasks/${task.id}`, { due })
    const file = await me.export()
    expect(lines(file, 'DTSTART', 'DUE', 'RECURRENCE-ID')).toEqual([
      'DTSTART:20260309T090000',
      'DUE:20260309T090000',
      'RECURRENCE-ID:20260309T090000',
      'DTSTART:20260306T000000',
      `DUE:${due.date.replaceAll('-', '')}T090000`,
    ])
    expect(actions(await me.import(file))).toEqual(['unchanged', 'unchanged'])
    expect(actions(await there.import(file))).toEqual(['created', 'updated'])
    const [here] = await me.tasks()
    const [copy] = await there.tasks()
    expect([copy.due, copy.recurrence]).toEqual([here.due, here.recurrence])
    expect(here.recurrence.moved).toEqual([{ occurrence: '2026-03-09', moved_to: due.date }])
    for (const [who, { id }] of [
      [me, here],
      [there, copy],
    ] as const) {
      const { body } = await who.call('POST', `/api/tasks/${id}/skip`)
      expect(body.task.due.date).toBe('2026-03-16')
    }
    expect(await there.export()).toBe(await there.export())
  })

  test('stays moved when the rest of the file was edited, and moves on when the file moves it', async () => {
    const me = world.stranger()
    const task = await me.make(weekly)
    await me.call('PATCH', `/api/tasks/${task.id}`, { due: { date: '2026-03-12' } })
    const file = await me.export()
    expect(actions(await me.import(file.replaceAll('SUMMARY:s', 'SUMMARY:t')))).toEqual(['updated', 'unchanged'])
    expect((await me.tasks())[0]).toMatchObject({ title: 't', due: { date: '2026-03-12' } })
    expect(actions(await me.import(file.replace('DUE:20260312', 'DUE:20260313')))[1]).toBe('updated')
    expect((await me.tasks())[0].recurrence.moved).toEqual([{ occurrence: '2026-03-09', moved_to: '2026-03-13' }])
  })

  test('of a series that starts on another day is named by its start, in files of others', async () => {
    const me = world.stranger()
    const span = ['DTSTART;VALUE=DATE:20260309', 'DUE;VALUE=DATE:20260311', 'RRULE:FREQ=WEEKLY;BYDAY=MO']
    const one = (id: string, ...lines: string[]) => todo('s', `RECURRENCE-ID;VALUE=DATE:${id}`, ...lines)
    const file = calendar(
      todo('s', ...span),
      one('20260309', 'STATUS:COMPLETED', 'COMPLETED:20260302T100000Z'),
      one('20260316', 'DTSTART;VALUE=DATE:20260317', 'DUE;VALUE=DATE:20260319'),
    )
    expect([actions(await me.import(file)), codes(await me.import(file))]).toEqual([
      ['created', 'created', 'updated'],
      ['', '', ''],
    ])
    const [task] = await me.tasks()
    expect(task).toMatchObject({ start: { date: '2026-03-17' }, due: { date: '2026-03-19' } })
    expect(task.recurrence.moved).toEqual([{ occurrence: '2026-03-18', moved_to: '2026-03-19' }])
    expect(new Set(actions(await me.import(await me.export())))).toEqual(new Set(['unchanged']))
  })

  test('to another time is told: a series by date has one time', async () => {
    const me = world.stranger()
    const series = todo('s', 'DUE:20260309T090000', 'RRULE:FREQ=WEEKLY')
    const one = (id: string, due: string) => todo('s', `RECURRENCE-ID:${id}T090000`, `DUE:${due}`)
    const report = await me.import(
      calendar(
        series,
        one('20260309', '20260310T100000'),
        one('20260316', '20260317T110000'),
        one('20260323', '20260323T110000'),
        one('20260330', '20260331T090000'),
      ),
    )
    expect(actions(report)).toEqual(['created', 'updated', 'updated', 'skipped', 'updated'])
    const told = 'occurrence_time_dropped'
    expect(codes(report)).toEqual(['', told, told, told, ''])
    expect((await me.tasks())[0].due).toMatchObject({ date: '2026-03-10', time: '09:00' })
    const allDay = world.stranger()
    const day = todo('d', 'DUE;VALUE=DATE:20260309', 'RRULE:FREQ=WEEKLY')
    const timed = todo('d', 'RECURRENCE-ID;VALUE=DATE:20260309', 'DUE:20260309T100000')
    expect(codes(await allDay.import(calendar(day, timed)))).toEqual(['', told])
    const hourly = todo('h', 'DUE:20260309T090000', 'RRULE:FREQ=DAILY;BYHOUR=9,21')
    const slot = todo('h', 'RECURRENCE-ID:20260309T210000', 'DUE:20260309T200000')
    expect(codes(await world.stranger().import(calendar(hourly, slot)))).toEqual(['', ''])
  })
})
