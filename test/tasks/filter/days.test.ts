import { afterAll, describe, expect, test } from 'bun:test'
import { createWorkspaceSettingsWriter } from '../../../src/db/settings-store'
import { createTaskQueries } from '../../../src/tasks/list'
import { idOf, openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

/** A Monday. */
const NOON = '2026-03-02T12:00:00.000Z'
const world = openTables()
afterAll(() => world.db.close())
const lists = createTaskQueries({ now: () => Date.parse(NOON), findByText: world.findByText })
let workspaces = 0

/** Whether a filter finds a task. */
async function finds(
  filter: string,
  task: Partial<Plain>,
  asOf: { time_zone?: string; now?: string; language?: 'en' | 'de' | 'fr' | 'es'; date_order?: 'dmy' } = {},
): Promise<boolean> {
  const session = world.session((++workspaces).toString(16).padStart(32, '0'))
  const shelf = await writeShelf(session, { projects: [], sections: [], labels: [] })
  await writeTask(session, { ...PLAIN, ...task }, shelf)
  return (await lists.list(session, { filter, now: NOON, ...asOf })).items.some(({ id }) => id === idOf(1))
}

const due = (date: string, time: string | null = null, time_zone: string | null = null) => ({
  due: { date, time, time_zone },
})

describe('the day of a due date', () => {
  test('is that of its instant in the zone of who asks', async () => {
    const late = due('2026-03-01', '23:30', 'Etc/GMT+12')
    expect(await finds('today', late)).toBe(true)
    expect(await finds('due=2026-03-03', late, { time_zone: 'Pacific/Kiritimati' })).toBe(true)
    expect(await finds('due=2026-03-01', late, { time_zone: 'Pacific/Kiritimati' })).toBe(false)
    expect(
      await finds('due=2026-03-01', due('2026-03-03', '00:30', 'Pacific/Kiritimati'), { time_zone: 'Etc/GMT+12' }),
    ).toBe(true)
  })

  test('stays what it is all day, and without a zone', async () => {
    for (const time_zone of ['Pacific/Kiritimati', 'Etc/GMT+12'])
      for (const one of [due('2026-03-09'), due('2026-03-09', '23:59')])
        expect(await finds('due=2026-03-09', one, { time_zone })).toBe(true)
  })
})

describe('overdue begins', () => {
  const cases: [string, Partial<Plain>, string, { time_zone?: string }][] = [
    ['with the next day, all day', due('2026-03-01'), '2026-03-02T00:00:00.000Z', {}],
    [
      'with the next day of who asks',
      due('2026-03-01'),
      '2026-03-01T10:00:00.000Z',
      { time_zone: 'Pacific/Kiritimati' },
    ],
    [
      'behind the instant of a time in a zone',
      due('2026-03-02', '09:00', 'Europe/Berlin'),
      '2026-03-02T08:00:00.001Z',
      {},
    ],
    [
      'once the clock of who asks is past a floating time',
      due('2026-03-02', '09:00'),
      '2026-03-02T08:00:00.001Z',
      { time_zone: 'Europe/Berlin' },
    ],
    ['so also at midnight', due('2026-03-01', '23:59'), '2026-03-01T23:59:00.001Z', {}],
  ]
  test.each(cases)('%s', async (_, task, first, asOf) => {
    const before = new Date(Date.parse(first) - 1).toISOString()
    expect(await finds('overdue', task, { ...asOf, now: before })).toBe(false)
    expect(await finds('overdue', task, { ...asOf, now: first })).toBe(true)
  })

  test('for what is in progress as well, and never for what is closed', async () => {
    const task = due('2026-01-01')
    expect(await finds('overdue', { ...task, status: 'in_progress' })).toBe(true)
    expect(await finds('overdue & (done | !done)', { ...task, status: 'done' })).toBe(false)
  })
})

describe('a date of a filter', () => {
  test.each([
    ['mon', NOON, '2026-03-02'],
    ['tue', NOON, '2026-03-03'],
    ['sun', NOON, '2026-03-08'],
    ['+0d', NOON, '2026-03-02'],
    ['-2w', NOON, '2026-02-16'],
    ['+1m', '2026-01-31T12:00:00.000Z', '2026-02-28'],
    ['-1m', '2026-03-31T12:00:00.000Z', '2026-02-28'],
    ['+13m', '2026-01-31T12:00:00.000Z', '2027-02-28'],
    ['-1y', '2024-02-29T12:00:00.000Z', '2023-02-28'],
    ['today', '2026-03-02T23:00:00.000Z', '2026-03-03'],
  ])('%s at %s is %s in Berlin', async (value, now, date) => {
    expect(await finds(`due=${value}`, due(date), { now, time_zone: 'Europe/Berlin' })).toBe(true)
  })

  test.each([
    ['friday', '2026-03-06'],
    ['monday', '2026-03-02'],
    ['next friday', '2026-03-13'],
    ['in 3 days', '2026-03-05'],
    ['+3 days', '2026-03-05'],
    // The plus of a URL.
    [' 3 days', '2026-03-05'],
    ['3 days ago', '2026-02-27'],
    ['yesterday', '2026-03-01'],
    ['first monday of april', '2026-04-06'],
    ['End   of\n Month', '2026-03-31'],
    ['5 may', '2026-05-05'],
    ['12.05.2026', '2026-05-12'],
    ['a week from tomorrow', '2026-03-10'],
    ['start of next month', '2026-04-01'],
    ['+1m', '2026-04-02'],
  ])('%s is %s', async (value, date) => {
    expect(await finds(`open & due=${value} & p0 | due <= ${value} and due >= ${value}`, due(date))).toBe(true)
    expect(await finds(`(due !=${value})`, due(date))).toBe(false)
  })

  test.each([
    ['nächsten Freitag', 'de'],
    ['vendredi', 'fr'],
    ['en 3 días', 'es'],
    ['next friday', 'de'],
    ['mon', 'fr'],
    ['+1m', 'es'],
    ['today', 'de'],
  ] as const)('%s is read in the language %s, and English in every one', async (value, language) => {
    expect(await finds(`due > 2020-01-01 & due != ${value}`, due('2021-01-01'), { language })).toBe(true)
  })

  test.each([
    ['next friday', {}],
    ['12/11', {}],
    ['nächsten Freitag', { language: 'de', line_breaks: 1 }],
    ['03/04', { date_order: 'dmy' }],
  ] as const)('%s is read with %j alone', async (value, settings) => {
    const read = (asOf: NonNullable<Parameters<typeof finds>[2]>) =>
      finds(`due = ${value} | open`, due('2021-01-01'), asOf).catch(({ code }) => code)
    expect(await read(settings)).toBe(value === '12/11' ? 'invalid_filter' : true)
    if (Object.keys(settings).length > 0) expect(await read({})).toBe('invalid_filter')
  })

  test('is read in the language of the workspace', async () => {
    const session = world.session('d'.repeat(32))
    const read = () => lists.list(session, { filter: 'due = nächsten Freitag' }).catch(({ code }) => code)
    expect(await read()).toBe('invalid_filter')
    const settings = {
      revision: 1,
      created_at: 0,
      updated_at: 0,
      time_zone: null,
      language: 'de',
      line_breaks: 1,
    } as const
    await createWorkspaceSettingsWriter(async () => {})(session, null, settings)
    expect(await read()).toHaveProperty('items')
  })

  test('of a later page is that of the first', async () => {
    const session = world.session('e'.repeat(32))
    const shelf = await writeShelf(session, { projects: [], sections: [], labels: [] })
    for (let n = 1; n <= 3; n++) await writeTask(session, { ...PLAIN, ...due('2026-03-03'), n }, shelf)
    const clock = { now: Date.parse(NOON) }
    const { list } = createTaskQueries({ now: () => clock.now, findByText: world.findByText })
    const first = await list(session, { filter: 'due = tomorrow', limit: '2' })
    clock.now += 10 * 86_400_000
    const second = await list(session, { filter: 'due = tomorrow', limit: '2', cursor: first.next_cursor ?? '' })
    expect([first.items.length, second.items.length]).toEqual([2, 1])
  })

  test('beyond all dates of tasks compares with them all', async () => {
    for (const date of ['1900-01-01', '2200-12-31']) {
      expect(await finds('due < +9999y & due > -9999y', due(date))).toBe(true)
      expect(await finds('due = +9999y | due = -9999y | due > +999y', due(date))).toBe(false)
    }
    // In UTC these are a day outside.
    for (const far of [
      due('1900-01-01', '00:30', 'Pacific/Auckland'),
      due('2200-12-31', '23:30', 'Pacific/Pago_Pago'),
    ]) {
      expect(await finds('due < +9999y & due > -9999y', far)).toBe(true)
      expect(await finds('due = +9999y | due = -9999y', far)).toBe(false)
    }
    for (const now of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])
      for (const time_zone of ['Etc/GMT+12', 'Pacific/Kiritimati'])
        expect(await finds('overdue', due('2026-03-02', '09:00'), { now, time_zone })).toBe(now.startsWith('9'))
  })
})

test('a comparison with null is false, and its negation true', async () => {
  for (const filter of ['due<today', 'due!=today', 'start>=today', 'duration<5', 'duration!=5', 'completed<=today']) {
    expect(await finds(`${filter} & (done | !done)`, {})).toBe(false)
    expect(await finds(`!(${filter})`, {})).toBe(true)
  }
})
