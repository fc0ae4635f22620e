import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contradictions } from '../../support/recount'
import { recounted } from '../../support/recounted'
import { makeKey } from '../../support/world'
import { actions, type Caller, calendar, codes, makeCalendarWorld, plain, type Shown, todo, totals } from './support'

const world = recounted(await makeCalendarWorld())

const FIXTURES = join(import.meta.dir, '../../fixtures/ical')
const fixture = (name: string) => new Uint8Array(readFileSync(join(FIXTURES, name)))

/** All of a task that a file carries, without what each workspace has of its own. */
const carried = (tasks: Shown[]) => {
  const names = new Map(tasks.map(({ id, title }) => [id, title]))
  return tasks.map(({ id: _, position: __, revision: ___, source: ____, ...task }) => ({
    ...task,
    parent_id: names.get(task.parent_id) ?? null,
    blocked_by: task.blocked_by.map((id: string) => names.get(id)),
  }))
}

describe.each(readdirSync(FIXTURES))('the file of a client, %s', (name) => {
  test('loses no task, tries what it does, and comes and goes unchanged', async () => {
    const [here, there] = [world.stranger(), world.stranger()]
    const text = new TextDecoder().decode(fixture(name))
    const dry = await here.import(fixture(name), '?dry_run=true')
    expect(await here.tasks()).toEqual([])
    const report = await here.import(fixture(name))
    expect(plain(dry)).toEqual(plain(report))
    expect(report.body.items).toHaveLength(text.split(/^BEGIN:VTODO/m).length - 1)
    expect(report.body.totals).toEqual(totals({ created: report.body.items.length }))
    const again = await here.import(fixture(name))
    expect(again.body.totals).toEqual(totals({ unchanged: report.body.items.length }))
    const file = await here.export()
    expect(new Set(actions(await here.import(file)))).toEqual(new Set(['unchanged']))
    await there.import(file)
    expect(await there.export()).toBe(file)
    expect(carried(await there.tasks())).toEqual(carried(await here.tasks()))
  })
})

test('files of other programs come and go unchanged', async () => {
  const folder = join(FIXTURES, '../ical-programs')
  for (const path of new Bun.Glob('**/*.ics').scanSync(folder)) {
    const me = world.stranger()
    const report = await me.import(await Bun.file(join(folder, path)).bytes())
    expect([path, report.body.totals.failed, report.body.totals.skipped]).toEqual([path, 0, 0])
    const again = await me.import(await me.export())
    expect([path, ...new Set(actions(again))]).toEqual([path, 'unchanged'])
  }
})

test('what the API made comes back the same in another workspace, and is unchanged in its own', async () => {
  const [here, there] = [world.stranger(), world.stranger()]
  const whole = await here.make({
    title: 'Whole, with; signs\\ and 🎈 עברית',
    notes: 'a\n\nb,c',
    labels: ['Home', 'a,b'],
  })
  const part = await here.make({
    title: 'Part',
    parent_id: whole.id,
    priority: 3,
    due: { date: '2026-03-31', time: '09:00', time_zone: 'Europe/Berlin' },
    start: { date: '2026-03-30', time: '09:00', time_zone: 'Europe/Berlin' },
    duration_minutes: 90,
    recurrence: { rrule: 'FREQ=MONTHLY', mode: 'completion', exdates: ['2026-05-31'] },
    reminders: [{ offset_minutes: -30 }, { at: '2026-03-30T08:00:00.000Z' }, { offset_minutes: 0, from: 'start' }],
  })
  await here.make({ title: 'Waits', blocked_by: [whole.id, part.id], due: { date: '2026-04-01' } })
  const done = await here.make({ title: 'Done', status: 'done' })
  await here.make({ title: 'Dropped', status: 'cancelled', parent_id: done.id })
  const file = await here.export()
  const own = await here.import(file)
  expect(own.body.totals).toEqual(totals({ unchanged: 5 }))
  expect((await there.import(file)).body.totals).toEqual(totals({ created: 5 }))
  expect(carried(await there.tasks())).toEqual(carried(await here.tasks()))
  expect((await there.tasks()).map(({ source }) => source.system)).toEqual(Array(5).fill('ical'))
  expect(await there.export()).toBe(await there.export())
})

test('a rule beside a start after its due date, or of no date at all, is the same after an export', async () => {
  const me = world.stranger()
  const late = todo('late', 'DUE;VALUE=DATE:20260302', 'DTSTART;VALUE=DATE:20260305', 'RRULE:FREQ=WEEKLY;BYDAY=MO')
  const alone = todo('alone', 'X-SATCHEL-START;VALUE=DATE:20260305', 'RRULE:FREQ=WEEKLY')
  await me.import(calendar(late, alone))
  const before = await me.tasks()
  expect(before.map(({ recurrence }) => recurrence?.rrule ?? null)).toEqual([null, 'FREQ=WEEKLY;BYDAY=MO'])
  expect((await me.import(await me.export())).body.totals).toEqual(totals({ unchanged: 2 }))
  expect(await me.tasks()).toEqual(before)
})

test('notes with line ends and characters that no file carries are no change', async () => {
  const me = world.stranger()
  await me.make({ title: ' padded ', notes: 'one\r\ntwo\u2028three' })
  expect((await me.import(await me.export())).body.totals).toEqual(totals({ unchanged: 1 }))
})

describe('relations', () => {
  const named = async (me: Caller) => {
    const tasks = await me.tasks()
    const titles = new Map(tasks.map(({ id, title }) => [id, title]))
    return tasks.map((task) => [
      task.title,
      titles.get(task.parent_id) ?? null,
      task.blocked_by.map((id: string) => titles.get(id)),
    ])
  }

  test('are found wherever they stand: behind, before, from above, and in earlier files', async () => {
    const me = world.stranger()
    await me.import(calendar(todo('old')))
    const report = await me.import(
      calendar(
        todo('a', 'RELATED-TO:b', 'RELATED-TO;RELTYPE=DEPENDS-ON:old'),
        todo('b', 'RELATED-TO;RELTYPE=CHILD:c', 'RELATED-TO;RELTYPE=PARENT:old'),
        todo('c', 'RELATED-TO;RELTYPE=DEPENDS-ON:b', 'RELATED-TO;RELTYPE=DEPENDS-ON:gone'),
      ),
    )
    expect(codes(report)).toEqual(['', '', 'unknown_relation'])
    expect(await named(me)).toEqual([
      ['a', 'b', ['old']],
      ['b', 'old', []],
      ['c', 'b', ['b']],
      ['old', null, []],
    ])
  })

  test('that close a circle are dropped with a warning, and the tasks stay', async () => {
    const me = world.stranger()
    const file = calendar(
      todo('a', 'RELATED-TO:c', 'RELATED-TO;RELTYPE=DEPENDS-ON:b'),
      todo('b', 'RELATED-TO:a', 'RELATED-TO;RELTYPE=DEPENDS-ON:c'),
      todo('c', 'RELATED-TO:b', 'RELATED-TO;RELTYPE=DEPENDS-ON:a'),
    )
    const dry = await me.import(file, '?dry_run=true')
    const report = await me.import(file)
    expect(codes(report)).toEqual(['', '', 'parent_cycle,dependency_cycle'])
    expect(plain(dry)).toEqual(plain(report))
    expect(await named(me)).toEqual([
      ['a', 'c', ['b']],
      ['b', 'a', ['c']],
      ['c', null, []],
    ])
  })

  test('that make a ninth level or a part too many are dropped with a warning', async () => {
    const me = world.stranger()
    const chain = Array.from({ length: 10 }, (_, i) => todo(`n${i}`, ...(i > 0 ? [`RELATED-TO:n${i - 1}`] : [])))
    for (const items of [chain, chain.toReversed()]) {
      const who = world.stranger()
      const dry = await who.import(calendar(...items), '?dry_run=true')
      const report = await who.import(calendar(...items))
      expect(codes(report).filter((code) => code === 'too_deep')).toHaveLength(1)
      expect(plain(dry)).toEqual(plain(report))
    }
    const parts = Array.from({ length: 502 }, (_, i) => todo(`p${i}`, 'RELATED-TO:whole'))
    const report = await me.import(calendar(todo('whole'), ...parts))
    expect(codes(report).filter((code) => code !== '')).toEqual(['too_many_parts', 'too_many_parts'])
    expect(report.body.totals).toEqual(totals({ created: 503 }))
  })

  test.each(['up', 'down', 'mixed'])('of 200 tasks in a chain %s close a circle only if they do', async (order) => {
    const uids = Array.from({ length: 200 }, (_, i) => `n${i}`)
    const waits = (uid: string, other: string) => todo(uid, `RELATED-TO;RELTYPE=DEPENDS-ON:${other}`)
    const place = (i: number) => ({ up: i, down: -i, mixed: (i * 77) % 200 })[order] ?? 0
    for (const first of ['none', 'n199']) {
      const items = uids.map((uid, i) => waits(uid, uids[i - 1] ?? first)).filter((_, i) => i > 0 || first !== 'none')
      const sorted = items
        .map((item, i) => ({ item, place: place(i) }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ item }) => item)
      const report = await world.stranger().import(calendar(...(first === 'none' ? [todo('n0')] : []), ...sorted))
      const told = codes(report).filter((code) => code !== '')
      expect(told).toEqual(first === 'none' ? [] : ['dependency_cycle'])
      if (first !== 'none') expect(codes(report).at(-1)).toBe('dependency_cycle')
    }
  })

  test('change sides in one file, whichever stands first, at the time of the change', async () => {
    for (const turn of [0, 1]) {
      const me = world.stranger()
      const stamp = 'LAST-MODIFIED:20250101T000000Z'
      await me.import(calendar(todo('a', stamp), todo('b', stamp, 'RELATED-TO:a')))
      const next = [todo('a', stamp, 'RELATED-TO:b'), todo('b', stamp)]
      const report = await me.import(calendar(...(turn ? next.toReversed() : next)))
      expect([actions(report), codes(report)]).toEqual([
        ['updated', 'updated'],
        ['', ''],
      ])
      expect(await named(me)).toEqual([
        ['a', 'b', []],
        ['b', null, []],
      ])
      for (const { updated_at } of await me.tasks()) expect(updated_at).toBe('2026-03-02T12:00:00.000Z')
    }
  })

  test('to what is in the trash, by the second claim, or under another name of one task, are told or dropped', async () => {
    const me = world.stranger()
    const { body } = await me.import(calendar(todo('gone', 'RRULE:FREQ=DAILY', 'DUE;VALUE=DATE:20260301')))
    await me.call('DELETE', `/api/tasks/${body.items[0].id}`)
    const late = todo('gone', 'RECURRENCE-ID;VALUE=DATE:20260303', 'STATUS:COMPLETED')
    expect(codes(await me.import(calendar(todo('p', 'RELATED-TO:gone'), late)))).toEqual([
      'parent_in_trash',
      'not_a_series',
    ])
    const claims = [todo('x', 'RELATED-TO;RELTYPE=CHILD:c'), todo('y', 'RELATED-TO;RELTYPE=CHILD:c'), todo('c')]
    await me.import(calendar(...claims))
    expect((await named(me)).find(([title]) => title === 'c')).toEqual(['c', 'x', []])
    const { id } = (await me.tasks()).find(({ title }) => title === 'c')
    expect(codes(await me.import(calendar(todo('c', 'RELATED-TO:x'), todo(id, 'SUMMARY:c'))))).toEqual([
      '',
      'duplicate',
    ])
  })

  test('follow the file when that changes, and a move here is heard', async () => {
    const me = world.stranger()
    await me.import(calendar(todo('a'), todo('b', 'RELATED-TO:a')))
    const next = calendar(todo('a'), todo('b', 'RELATED-TO;RELTYPE=DEPENDS-ON:a'))
    expect(actions(await me.import(next, '?dry_run=true'))).toEqual(['unchanged', 'updated'])
    expect(actions(await me.import(next))).toEqual(['unchanged', 'updated'])
    expect(await named(me)).toEqual([
      ['a', null, []],
      ['b', null, ['a']],
    ])
    const [a, b] = await me.tasks()
    await me.call('PATCH', `/api/tasks/${b.id}`, { parent_id: a.id })
    expect(actions(await me.import(next))).toEqual(['unchanged', 'unchanged'])
    const other = calendar(todo('a'), todo('b', 'PRIORITY:1'))
    expect(codes(await me.import(other))).toEqual(['', 'conflict'])
  })
})

describe('a repeat', () => {
  const first = calendar(todo('a', 'SUMMARY:A'), todo('b', 'SUMMARY:B'))
  const second = calendar(todo('a', 'SUMMARY:A2'), todo('b', 'SUMMARY:B2'))

  test('takes over what changed in the file alone', async () => {
    const me = world.stranger()
    await me.import(first)
    expect(actions(await me.import(second))).toEqual(['updated', 'updated'])
    expect((await me.tasks()).map(({ title }) => title)).toEqual(['A2', 'B2'])
  })

  test.each([
    ['skip', ['skipped', 'updated'], ['B2', 'Mine']],
    ['overwrite', ['updated', 'updated'], ['A2', 'B2']],
    ['copy', ['created', 'updated'], ['A2', 'B2', 'Mine']],
  ])('with on_conflict=%s where both changed', async (how, expected, titles) => {
    const me = world.stranger()
    const made = await me.import(first)
    await me.call('PATCH', `/api/tasks/${made.body.items[0].id}`, { title: 'Mine' })
    const dry = await me.import(second, `?on_conflict=${how}&dry_run=true`)
    const report = await me.import(second, `?on_conflict=${how}`)
    expect(plain(dry)).toEqual(plain(report))
    expect([actions(report), codes(report)]).toEqual([expected, ['conflict', '']])
    expect((await me.tasks()).map(({ title }) => title)).toEqual(titles)
    expect(new Set(actions(await me.import(second, `?on_conflict=${how}`)))).toEqual(
      new Set(how === 'skip' ? ['skipped', 'unchanged'] : ['unchanged']),
    )
  })

  test('leaves what is in the trash there, and deletes nothing that a file lacks', async () => {
    const me = world.stranger()
    const { body } = await me.import(first)
    await me.call('DELETE', `/api/tasks/${body.items[0].id}`)
    const report = await me.import(second)
    expect([actions(report), codes(report)]).toEqual([
      ['skipped', 'updated'],
      ['in_trash', ''],
    ])
    const empty = await me.import(calendar())
    expect([empty.status, empty.body.items]).toEqual([200, []])
    expect(await me.tasks()).toHaveLength(1)
  })

  test('that names a task twice takes the first', async () => {
    const me = world.stranger()
    const report = await me.import(calendar(todo('a', 'SUMMARY:one'), todo('a', 'SUMMARY:two')))
    expect([actions(report), codes(report)]).toEqual([
      ['created', 'failed'],
      ['', 'duplicate'],
    ])
  })
})

describe('a single date of a series', () => {
  const series = todo('s', 'DUE;VALUE=DATE:20260301', 'DTSTART;VALUE=DATE:20260301', 'RRULE:FREQ=DAILY')
  const date = (...lines: string[]) => todo('s', 'RECURRENCE-ID;VALUE=DATE:20260303', ...lines)
  const done = date('STATUS:COMPLETED', 'COMPLETED:20260302T100000Z')

  test.each([
    ['behind', [series, done]],
    ['before', [done, series]],
  ])('that was done becomes a completion, %s its series, which stays', async (_, items) => {
    const me = world.stranger()
    const file = calendar(...items)
    const dry = await me.import(file, '?dry_run=true')
    const report = await me.import(file)
    expect(plain(dry)).toEqual(plain(report))
    expect(actions(report)).toEqual(['created', 'created'])
    const [task, ...more] = await me.tasks()
    expect([task.due.date, more]).toEqual(['2026-03-01', []])
    const { items: history } = (await me.call('GET', `/api/tasks/${task.id}/completions`)).body
    expect(history).toMatchObject([
      { kind: 'done', occurrence: '2026-03-03', completed_at: '2026-03-02T10:00:00.000Z' },
    ])
    expect(actions(await me.import(file))).toEqual(['unchanged', 'unchanged'])
    const undone = await me.call('DELETE', `/api/tasks/${task.id}/completions/${history[0].id}`)
    expect([undone.status, (await me.tasks())[0].due.date]).toEqual([200, '2026-03-01'])
  })

  test('that was done and is due moves its series to the first open date; a repeat changes nothing, undoing puts it back', async () => {
    const me = world.stranger()
    const completed = (date: string) =>
      todo('s', `RECURRENCE-ID;VALUE=DATE:${date}`, 'STATUS:COMPLETED', `COMPLETED:${date}T100000Z`)
    const file = calendar(
      series,
      completed('20260302'),
      completed('20260301'),
      completed('20260304'),
      completed('20260303'),
    )
    expect(actions(await me.import(file))).toEqual(['created', 'created', 'created', 'created', 'created'])
    const [task] = await me.tasks()
    expect([task.due.date, task.status]).toEqual(['2026-03-05', 'open'])
    expect(actions(await me.import(file))).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged', 'unchanged'])
    // The file says something else by now: the owner has changed nothing, so it is taken, and the series goes on again.
    const renamed = file.replace('SUMMARY:s', 'SUMMARY:Renamed')
    expect(actions(await me.import(renamed))[0]).toBe('updated')
    expect((await me.tasks()).map(({ title, due }: Shown) => [title, due.date])).toEqual([['Renamed', '2026-03-05']])
    const { items: history } = (await me.call('GET', `/api/tasks/${task.id}/completions`)).body
    expect(history.map(({ occurrence, next_due }: Shown) => [occurrence, next_due])).toEqual([
      ['2026-03-03', '2026-03-05'],
      ['2026-03-04', null],
      ['2026-03-01', '2026-03-03'],
      ['2026-03-02', null],
    ])
    for (const [i, due] of ['2026-03-03', '2026-03-03', '2026-03-01'].entries()) {
      const undone = await me.call('DELETE', `/api/tasks/${task.id}/completions/${history[i].id}`)
      expect([undone.status, undone.body.due.date]).toEqual([200, due])
    }
  })

  test('that was done ahead is passed over when its series comes to it', async () => {
    const me = world.stranger()
    await me.import(calendar(series, done))
    const [task] = await me.tasks()
    const { body } = await me.call('POST', `/api/tasks/${task.id}/skip`)
    expect(body.task.due.date).toBe('2026-03-02')
    expect((await me.call('POST', `/api/tasks/${task.id}/skip`)).body.task.due.date).toBe('2026-03-04')
  })

  test('that was the last leaves its series done', async () => {
    const me = world.stranger()
    const one = todo('s', 'DUE;VALUE=DATE:20260303', 'RRULE:FREQ=DAILY;COUNT=1')
    await me.import(calendar(one, done))
    const shown = await me.call('GET', '/api/tasks?filter=done')
    expect(shown.body.items[0]).toMatchObject({ status: 'done', completed_at: '2026-03-02T10:00:00.000Z' })
  })

  test('that was moved or cancelled is so here, comes and goes through a file, and is not moved twice', async () => {
    const [me, there] = [world.stranger(), world.stranger()]
    const weekly = todo('s', 'DUE;VALUE=DATE:20260302', 'RRULE:FREQ=WEEKLY')
    const one = (id: string, ...lines: string[]) => todo('s', `RECURRENCE-ID;VALUE=DATE:${id}`, ...lines)
    const file = calendar(
      weekly,
      one('20260309', 'DUE;VALUE=DATE:20260311'),
      one('20260316', 'STATUS:CANCELLED'),
      one('20260302', 'DUE;VALUE=DATE:20260301'),
      one('20260324', 'DUE;VALUE=DATE:20260325'),
    )
    const report = await me.import(file)
    expect(actions(report)).toEqual(['created', 'updated', 'updated', 'updated', 'skipped'])
    const [task] = await me.tasks()
    const moved = [
      { occurrence: '2026-03-02', moved_to: '2026-03-01' },
      { occurrence: '2026-03-09', moved_to: '2026-03-11' },
    ]
    expect([task.due.date, task.recurrence]).toMatchObject(['2026-03-01', { exdates: ['2026-03-16'], moved }])
    expect(actions(await me.import(file))).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged', 'skipped'])
    const written = await me.export()
    expect(written).toContain('RECURRENCE-ID;VALUE=DATE:20260309\r\n')
    expect(new Set(actions(await me.import(written)))).toEqual(new Set(['unchanged']))
    await there.import(written)
    expect((await there.tasks())[0].recurrence.moved).toEqual(moved)
    expect((await me.call('POST', `/api/tasks/${task.id}/skip`)).body.task.due.date).toBe('2026-03-11')
    expect((await me.call('POST', `/api/tasks/${task.id}/skip`)).body.task.due.date).toBe('2026-03-23')
    const cancelled = world.stranger()
    await cancelled.import(calendar(weekly, one('20260302', 'STATUS:CANCELLED')))
    expect((await cancelled.tasks())[0].due.date).toBe('2026-03-09')
  })

  test('that says anything else, or has no series, is told', async () => {
    const me = world.stranger()
    expect(codes(await me.import(calendar(series, date('SUMMARY:moved'))))).toEqual(['', 'occurrence_ignored'])
    expect(codes(await world.stranger().import(calendar(done)))).toEqual(['series_missing'])
    expect(codes(await world.stranger().import(calendar(todo('s'), done)))).toEqual(['', 'not_a_series'])
  })
})

test('times and statuses are those of the file, and project_id puts new tasks into a project', async () => {
  const me = world.stranger()
  const project = (await me.call('POST', '/api/tasks/projects', { name: 'P' })).body
  const file = calendar(
    todo(
      'a',
      'STATUS:COMPLETED',
      'COMPLETED:20250102T030405Z',
      'CREATED:20250101T000000Z',
      'LAST-MODIFIED:20250103T000000Z',
    ),
    todo('b', 'STATUS:IN-PROCESS', 'PRIORITY:4', 'X-OTHER:kept', 'DUE;VALUE=DATE:20260401', 'RRULE:FREQ=HOURLY'),
  )
  const report = await me.import(file, `?project_id=${project.id}`)
  expect(codes(report)).toEqual(['', 'unsupported_recurrence'])
  expect(await me.tasks()).toMatchObject([
    {
      status: 'done',
      completed_at: '2025-01-02T03:04:05.000Z',
      created_at: '2025-01-01T00:00:00.000Z',
      updated_at: '2025-01-03T00:00:00.000Z',
      project_id: project.id,
      source: { system: 'ical', id: 'a' },
    },
    { status: 'in_progress', priority: 2, recurrence: null, project_id: project.id },
  ])
  for (const line of ['X-OTHER:kept', 'RRULE:FREQ=HOURLY', 'PRIORITY:4']) expect(await me.export()).toContain(line)
  await me.call('PATCH', `/api/tasks/${report.body.items[1].id}`, { priority: 1 })
  expect(await me.export()).toContain('PRIORITY:1\r\n')
  const unknown = await me.import(
    file,
    `?project_id=${project.id.replace(/.$/, (last: string) => (last === 'f' ? '0' : 'f'))}`,
  )
  expect([unknown.status, unknown.body.errors[0].code]).toEqual([400, 'unknown_project'])
})

describe('a broken file', () => {
  test('fails item by item: a cut one, a nested one, and an event among tasks', async () => {
    const me = world.stranger()
    const whole = calendar(todo('a'), ['UID:b', 'SUMMARY:b', 'BEGIN:VTODO', 'UID:c', 'SUMMARY:c'])
    const text = `\ufeff${whole.replace('END:VCALENDAR', 'BEGIN:VEVENT\r\nUID:e\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nUID:d')}`
    const report = await me.import(text.slice(0, text.indexOf('UID:d') + 5))
    expect(report.body.ignored).toEqual([{ component: 'VEVENT', count: 1 }])
    expect(report.body.warnings.map(({ code }: Shown) => code)).toEqual(['truncated'])
    expect((await me.tasks()).map(({ title }) => title)).toEqual(['a', 'c'])
    expect(actions(report)).toEqual(['created', 'failed', 'created', 'failed'])
  })

  test('with a rule that never comes true keeps the task', async () => {
    const me = world.stranger()
    const report = await me.import(
      calendar(todo('r', 'DUE;VALUE=DATE:20260301', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')),
    )
    expect([actions(report), codes(report)]).toEqual([['created'], ['recurrence_never_occurs']])
  })
})

test('the quota holds, in a dry run as well, and nothing is half imported', async () => {
  await using small = await makeCalendarWorld({ WORKSPACE_RESOURCES: '60', IMPORT_ITEMS: '70' })
  const me = small.stranger({ key: makeKey(9001) })
  const file = calendar(...Array.from({ length: 70 }, (_, i) => todo(`q${i}`)))
  const dry = await me.import(file, '?dry_run=true')
  const report = await me.import(file)
  expect(plain(dry)).toEqual(plain(report))
  expect(report.body.totals).toEqual(totals({ created: 60, failed: 10 }))
  expect((await me.usage()).resources).toBe(60)
  const longer = await me.import(file.replace('END:VCALENDAR', 'BEGIN:VTODO\r\nEND:VTODO\r\nEND:VCALENDAR'))
  expect([longer.status, longer.body.code]).toEqual([413, 'too_large'])
  expect(await contradictions(small.folder)).toEqual([])
})

test('what is erased gives back all its bytes, also those of what no member holds', async () => {
  const me = world.stranger()
  const before = await me.usage()
  const { body } = await me.import(calendar(todo('a', `X-LONG:${'x'.repeat(3000)}`)))
  expect((await me.usage()).size_bytes - before.size_bytes).toBeGreaterThan(3000)
  await me.call('DELETE', `/api/tasks/${body.items[0].id}?permanent=true`)
  expect((await me.usage()).size_bytes).toBe(before.size_bytes)
})

describe('an export', () => {
  test('holds the tasks of its filter, of every status unless it names one', async () => {
    const me = world.stranger()
    await me.make({ title: 'open', priority: 1 })
    await me.make({ title: 'done', priority: 1, status: 'done' })
    await me.make({ title: 'other' })
    const titles = async (query: string) => {
      const { body } = await me.call('GET', `/api/tasks/export?format=json${query}`)
      return body.items.map(({ title }: Shown) => title).toSorted()
    }
    expect(await titles('')).toEqual(['done', 'open', 'other'])
    expect(await titles('&filter=p1')).toEqual(['done', 'open'])
    expect(await titles('&filter=p1%20and%20open')).toEqual(['open'])
    expect((await me.call('GET', '/api/tasks/export?filter=%23nowhere')).body.code).toBe('invalid_filter')
  })

  test('says what it is, and HEAD says the same', async () => {
    const me = world.stranger()
    for (const [format, type] of [
      ['ics', 'text/calendar; charset=utf-8'],
      ['json', 'application/json'],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const asked = { method, headers: { 'X-API-Key': me.as.key ?? '' } }
        const { status, headers } = await fetch(`${world.base}api/tasks/export?format=${format}`, asked)
        expect([status, headers.get('Content-Type')]).toEqual([200, type])
        expect(headers.get('Content-Disposition')).toBe(`attachment; filename="tasks.${format}"`)
      }
  })
})
