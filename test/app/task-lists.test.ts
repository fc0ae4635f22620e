/** Lists of tasks: the focus, the selection, moves in the order of positions, and what is due when. */
import { describe, expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import fc from 'fast-check'
import type { Task } from '../../app/api/types'
import { createCopy } from '../../app/data/copy'
import type { Store } from '../../app/data/database'
import { applyToTask, type ResourceWrite } from '../../app/data/writes'
import { moveDate, nextMonday, nextMonth, nextSaturday } from '../../app/tasks/dates'
import { keepCurrent, rangeOf, stepFrom } from '../../app/tasks/list-state'
import { laterDates } from '../../app/tasks/occurrences'
import { everyDay, planOf } from '../../app/tasks/plan'
import { lengthInWords, reminderInWords, shortLength } from '../../app/tasks/reminder-words'
import { findTasks } from '../../app/tasks/shown-tasks'
import { isBlocked, partCounts } from '../../app/tasks/status'
import {
  byPosition,
  gapSpot,
  indentSpot,
  isWithin,
  moveWrites,
  outdentSpot,
  spotOf,
  stepSpot,
} from '../../app/tasks/tree'

const INBOX = { project_id: null, section_id: null, parent_id: null }

/** A task as a browser makes it, with some members of its own. */
function task(id: string, members: Partial<Task> = {}): Task {
  const made = applyToTask(null, { type: 'task', op: { op: 'create', id, data: { title: id } } }, 0)
  if (!made) throw new Error('No task was made')
  return { ...made, position: 'a0', ...members }
}

describe('what a task shows of others', () => {
  const store = { fault: signal(null), use: async () => null } as unknown as Store
  const confirmed = (resource: Task) => ({ type: 'task', id: resource.id, resource }) as const
  async function makeHouse() {
    const copy = createCopy(
      store,
      () => {},
      () => 0,
    )
    const house = task('house', { blocked: true, blocked_by: ['a'], subtasks: { total: 9, done: 9 } })
    const parts = [task('a', { parent_id: 'house' }), task('b', { parent_id: 'house' }), task('c', { parent_id: 'a' })]
    await copy.confirm([house, ...parts].map(confirmed))
    const write = (op: { op: 'complete' | 'reopen' | 'delete'; id: string }, seq: number) =>
      copy.addPending([{ type: 'task', op, seq, tab: '', at: 0 } as unknown as ResourceWrite])
    return { copy, house, write }
  }

  test('counts its own parts as they are here, not as the server counted them', async () => {
    const { copy, write } = await makeHouse()
    expect(partCounts(copy, 'house')).toEqual({ total: 2, done: 0 })
    expect(partCounts(copy, 'c')).toEqual({ total: 0, done: 0 })
    write({ op: 'complete', id: 'a' }, 1)
    expect(partCounts(copy, 'house')).toEqual({ total: 2, done: 1 })
    write({ op: 'delete', id: 'b' }, 2)
    expect(partCounts(copy, 'house')).toEqual({ total: 1, done: 1 })
    write({ op: 'reopen', id: 'a' }, 3)
    expect(partCounts(copy, 'house')).toEqual({ total: 1, done: 0 })
  })

  test('waits until the other is done, and no more if the server said that it does not', async () => {
    const { copy, house, write } = await makeHouse()
    expect(isBlocked(copy, house)).toBe(true)
    expect(isBlocked(copy, { ...house, blocked: false })).toBe(false)
    write({ op: 'complete', id: 'a' }, 1)
    expect(isBlocked(copy, house)).toBe(false)
  })
})

test('tasks are found by all words of a query, in titles, notes and labels, the open ones first', () => {
  const tasks = [
    task('done', { title: 'Call Ann', status: 'done' }),
    task('late', { title: 'Write', notes: 'Ask ANN for a call.' }),
    task('soon', { title: 'Callback', labels: ['ann'], due: { date: '2026-03-02', time: null, time_zone: null } }),
    task('other', { title: 'Call Bob' }),
  ]
  expect(findTasks(tasks, ' call  ann ').map(({ id }) => id)).toEqual(['soon', 'late', 'done'])
  expect(findTasks(tasks, 'call carl')).toEqual([])
  expect(findTasks(tasks, ' ')).toEqual([])
})

describe('the focus of a list', () => {
  test.each([
    ['stays on its row', ['a', 'b', 'c'], ['b', 'a'], 'b', 'b'],
    ['goes to the next row that is left', ['a', 'b', 'c', 'd'], ['a', 'd'], 'b', 'd'],
    ['goes back where there is none behind', ['a', 'b', 'c'], ['a', 'b'], 'c', 'b'],
    ['goes nowhere without rows', ['a'], [], 'a', null],
  ])('%s', (_, before, after, current, kept) => expect(keepCurrent(before, after, current)).toBe(kept))

  test('moves by rows, and not over the ends', () => {
    expect(stepFrom(['a', 'b'], null, 1)).toBe('a')
    expect(stepFrom(['a', 'b'], 'b', 1)).toBe('b')
    expect(stepFrom(['a', 'b'], 'b', -1)).toBe('a')
    expect(stepFrom([], null, 1)).toBeNull()
  })

  test('a range is the same from either end', () => {
    expect(rangeOf(['a', 'b', 'c', 'd'], 'd', 'b')).toEqual(['b', 'c', 'd'])
    expect(rangeOf(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['b', 'c', 'd'])
    expect(rangeOf(['a'], 'gone', 'a')).toEqual(['a'])
  })
})

describe('a move', () => {
  test('shows tasks where they were put, whatever their number and place', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        (size, at, count) => {
          const siblings = moveWrites(
            Array.from({ length: size }, (_, index) => task(`t${index}`)),
            { ...INBOX, after: null },
            [],
          ).map((write, index) => task(`t${index}`, { position: write.type === 'task' ? (write.position ?? '') : '' }))
          const moving = siblings.slice(0, count)
          const others = siblings.slice(count)
          const after = others[at % Math.max(1, others.length)]?.id ?? null
          const writes = moveWrites(moving, { ...INBOX, after }, siblings)
          const moved = writes.map((write, index) => applyToTask(moving[index] ?? null, write as never, 0) as Task)
          const order = [...others, ...moved].sort(byPosition).map(({ id }) => id)
          const expected = others.map(({ id }) => id)
          expected.splice(after === null ? 0 : expected.indexOf(after) + 1, 0, ...moving.map(({ id }) => id))
          expect(order).toEqual(expected)
        },
      ),
    )
  })

  const [a, b, c] = [task('a', { position: 'a0' }), task('b', { position: 'a1' }), task('c', { position: 'a2' })]
  const siblings = [a, b, c]
  test('by one step is among siblings, then to the next section, and ends there', () => {
    const step = (moved: Task, by: -1 | 1) => stepSpot(moved, by, siblings, [null, 's'], () => 'last')?.after
    expect(step(a, 1)).toBe('b')
    expect(step(b, -1)).toBeNull()
    expect(step(c, -1)).toBe('a')
    expect(stepSpot(c, 1, siblings, [null, 's'], () => 'last')).toEqual({ ...INBOX, section_id: 's', after: null })
    expect(stepSpot(a, -1, siblings, [null, 's'], () => 'last')).toBeNull()
    const inSection = task('d', { section_id: 's' })
    expect(stepSpot(inSection, -1, [inSection], [null, 's'], () => 'last')).toEqual({ ...INBOX, after: 'last' })
    const part = task('e', { parent_id: 'a' })
    expect(stepSpot(part, 1, [part], [null, 's'], () => null)).toBeNull()
  })

  test('into the task above, and out again', () => {
    expect(indentSpot(b, siblings, () => null)).toEqual({ ...INBOX, parent_id: 'a', after: null })
    expect(indentSpot(a, siblings, () => null)).toBeNull()
    const part = task('e', { parent_id: 'a' })
    const all = new Map([...siblings, part].map((each) => [each.id, each]))
    expect(outdentSpot(part, all)).toEqual({ ...INBOX, after: 'a' })
    expect(outdentSpot(a, all)).toBeNull()
    expect(isWithin(part, 'a', all)).toBe(true)
    expect(isWithin(a, 'e', all)).toBe(false)
    expect(spotOf(c, siblings)).toEqual({ ...INBOX, after: 'b' })
  })
})

describe('between two rows', () => {
  const [a, b] = [task('a'), task('b', { parent_id: 'a' })]
  const c = task('c', { parent_id: 'b' })
  const all = new Map([a, b, c].map((each) => [each.id, each]))
  const row = (shown: Task, level: number, folded: boolean | null = null) => ({
    key: shown.id,
    task: shown,
    level,
    folded,
  })
  const rows = [row(a, 1, false), row(b, 2, false), row(c, 3), row(task('d'), 1)]
  test.each([
    ['the first of a list', undefined, rows[0], 2, null, null, 1],
    ['before parts, where the row above shows some', rows[0], rows[1], 1, 'a', null, 2],
    ['a part of the row above', rows[2], rows[3], 9, 'c', null, 4],
    ['beside the row above', rows[2], rows[3], 3, 'b', 'c', 3],
    ['beside its parent', rows[2], rows[3], 2, 'a', 'b', 2],
    ['beside the parent of that', rows[2], undefined, 0, null, 'a', 1],
    ['behind parts that are folded away', row(b, 2, true), undefined, 3, 'b', 'last', 3],
  ])('a task is put %s', (_, above, below, wanted, parent_id, after, level) => {
    const gap = gapSpot(above, below, wanted, INBOX, all, () => 'last')
    expect(gap).toEqual({ spot: { ...INBOX, parent_id, after }, level })
  })
})

describe('what is due', () => {
  const now = { today: '2026-11-23', timeOfDay: '12:00', last: '2026-11-30' }
  const due = (date: string, time: string | null = null) => ({ due: { date, time, time_zone: null } })
  const ids = (rows: readonly { task: Task }[]) => rows.map(({ task }) => task.id)

  test('is overdue, of a day, or later; times of today that are over are overdue', () => {
    const { overdue, days, later } = planOf(
      [
        task('yesterday', due('2026-11-22')),
        task('at 11', due('2026-11-23', '11:00')),
        task('at 13', due('2026-11-23', '13:00')),
        task('today', due('2026-11-23')),
        task('urgent', { ...due('2026-11-23'), priority: 1 }),
        task('last', due('2026-11-30')),
        task('behind', due('2026-12-01')),
        task('undated'),
        task('done', { ...due('2026-11-23'), status: 'done' }),
      ],
      now,
      null,
    )
    expect(ids(overdue)).toEqual(['yesterday', 'at 11'])
    expect(days.map(([date, rows]) => [date, ids(rows)])).toEqual([
      ['2026-11-23', ['urgent', 'today', 'at 13']],
      ['2026-11-30', ['last']],
    ])
    expect(ids(later)).toEqual(['behind'])
    const free = everyDay({ overdue, days, later }, now.today, now.last).map(([, rows]) => rows.length)
    expect(free).toEqual([3, 0, 0, 0, 0, 0, 0, 1])
  })

  test('in another zone is moved to the day that it is here', () => {
    const moved = (due_at: string) =>
      moveDate({ due: { date: '2026-11-23', time: '01:00', time_zone: 'Asia/Tokyo' }, due_at }, '2026-12-24').date
    // The tests run in UTC, where it is still the day before.
    expect([moved('2026-11-22T16:00:00Z'), moved('2026-11-23T16:00:00Z')]).toEqual(['2026-12-25', '2026-12-24'])
  })

  test('shows later dates of tasks that repeat, which cannot be completed', () => {
    const recurrence = {
      rrule: 'FREQ=WEEKLY;BYDAY=MO,FR',
      mode: 'schedule',
      skip: 'backward',
      anchor: '2026-11-23',
    } as const
    const repeating = task('r', {
      ...due('2026-11-23'),
      recurrence: { ...recurrence, exdates: ['2026-11-30'], rdates: [], moved: [] },
    })
    const { days } = planOf([repeating], { ...now, last: '2026-12-04' }, laterDates)
    expect(days.map(([date, [row]]) => [date, row?.later])).toEqual([
      ['2026-11-23', undefined],
      ['2026-11-27', '2026-11-27'],
      ['2026-12-04', '2026-12-04'],
    ])
  })

  test('from completion has no later dates, and one by the hour one of a day', () => {
    const recurrence = { mode: 'schedule', skip: 'backward', exdates: [], rdates: [], moved: [] } as const
    const base = { ...recurrence, exdates: [], rdates: [], moved: [] }
    const often = task('o', {
      ...due('2026-11-23', '23:00'),
      recurrence: { ...base, rrule: 'FREQ=HOURLY;BYMINUTE=0,30', anchor: '2026-11-23T23:00' },
    })
    expect(laterDates(often, '2026-11-23', '2026-11-25').map(({ date, time }) => `${date} ${time}`)).toEqual([
      '2026-11-23 23:30',
      '2026-11-24 00:00',
      '2026-11-25 00:00',
    ])
    const chore = task('c', {
      ...due('2026-11-23'),
      recurrence: { ...base, mode: 'completion', rrule: 'FREQ=DAILY', anchor: '2026-11-23' },
    })
    expect(laterDates(chore, '2026-11-23', '2026-11-30')).toEqual([])
  })
})

describe('dates and reminders', () => {
  test.each([
    ['2026-01-31', '2026-02-28'],
    ['2028-01-31', '2028-02-29'],
    ['2026-12-31', '2027-01-31'],
    ['2026-11-23', '2026-12-23'],
  ])('a month after %s is %s', (date, next) => expect(nextMonth(date)).toBe(next))

  test.each([
    ['2026-11-22', '2026-11-23'],
    ['2026-11-23', '2026-11-30'],
    ['2026-11-28', '2026-11-30'],
  ])('the Monday after %s is %s', (date, next) => expect(nextMonday(date)).toBe(next))

  test.each([
    ['2026-11-23', '2026-11-28'],
    ['2026-11-28', '2026-11-28'],
    ['2026-11-29', '2026-12-05'],
  ])('the Saturday on or after %s is %s', (date, next) => expect(nextSaturday(date)).toBe(next))

  test.each([
    [{ at: null, offset_minutes: -30, from: 'due' }, '30 minutes before'],
    [{ at: null, offset_minutes: -1500, from: 'due' }, 'a day and an hour before'],
    [{ at: null, offset_minutes: 0, from: 'due' }, 'when it is due'],
    [{ at: null, offset_minutes: 0, from: 'start' }, 'when it starts'],
    [{ at: null, offset_minutes: -10_080, from: 'start' }, 'a week before it starts'],
    [{ at: null, offset_minutes: 90, from: 'due' }, 'an hour and 30 minutes after'],
  ] as const)('%p is told as “%s”', (reminder, words) => expect(reminderInWords(reminder)).toBe(words))

  test('a length of any minutes adds up', () => {
    expect(lengthInWords(11_581)).toBe('a week, a day, an hour and a minute')
    expect([59, 60, 90, 1501].map(shortLength)).toEqual(['59m', '1h', '1h 30m', '25h 1m'])
  })
})
