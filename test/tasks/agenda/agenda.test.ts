import { afterAll, describe, expect, test } from 'bun:test'
import { makeTasksWorld } from '../support'

const world = await makeTasksWorld()
afterAll(world.close)

const MONTH = { from: '2026-03-01', to: '2026-03-31' }

/** The items of an agenda in a line each: date, time, title, kind, and a star if projected. */
function lines({ days }: { days: { date: string; items: Record<string, unknown>[] }[] }): string[] {
  return days.flatMap(({ date, items }) =>
    items.map(({ time, title, kind, projected }) =>
      [date.slice(5), time ?? '-', title, kind === 'start' ? 'starts' : '', projected ? '*' : '']
        .filter(Boolean)
        .join(' '),
    ),
  )
}

/** The agenda of a new caller who has made these tasks. */
async function agendaOf(tasks: readonly object[], query: Record<string, string> = MONTH) {
  const me = world.stranger()
  const made = await world.create(me, ...tasks)
  return { me, made, agenda: await world.ask(me, 'agenda', query) }
}

describe('what stands on a day', () => {
  test('is due or starts then, whole days first, then by time', async () => {
    const { agenda, made } = await agendaOf([
      { title: 'Late', due: { date: '2026-03-02', time: '18:00', time_zone: 'UTC' } },
      { title: 'Floating', due: { date: '2026-03-02', time: '09:00' } },
      { title: 'Trip', start: { date: '2026-03-02' }, due: { date: '2026-03-05' } },
      { title: 'Day', due: { date: '2026-03-02' } },
      { title: 'Undated' },
    ])
    expect(lines(agenda)).toEqual([
      '03-02 - Trip starts',
      '03-02 - Day',
      '03-02 09:00 Floating',
      '03-02 18:00 Late',
      '03-05 - Trip',
    ])
    expect(agenda.days).toHaveLength(31)
    expect(agenda.days[1].items[2]).toEqual({
      task_id: made[1].id,
      title: 'Floating',
      kind: 'due',
      time: '09:00',
      at: '2026-03-02T09:00:00.000Z',
      projected: false,
    })
    expect([agenda.from, agenda.to, agenda.time_zone, agenda.next_from]).toEqual([
      '2026-03-01',
      '2026-03-31',
      'UTC',
      null,
    ])
  })

  test('is still to be done and not in the trash', async () => {
    const due = { date: '2026-03-20' }
    const { me, made } = await agendaOf(
      ['Open', 'Busy', 'Done', 'Cancelled', 'Gone'].map((title) => ({
        title,
        due,
        recurrence: { rrule: 'FREQ=DAILY' },
      })),
    )
    const [, busy, , cancelled, gone] = made.map(({ id }) => `/api/tasks/${id}`)
    await world.call(me, 'PATCH', busy ?? '', { status: 'in_progress' })
    await world.call(me, 'PATCH', `/api/tasks/${made[2].id}`, { recurrence: null, status: 'done' })
    await world.call(me, 'PATCH', cancelled ?? '', { status: 'cancelled' })
    await world.call(me, 'DELETE', gone ?? '')
    const agenda = await world.ask(me, 'agenda', { from: '2026-03-20', to: '2026-03-21' })
    expect(lines(agenda)).toEqual(['03-20 - Open', '03-20 - Busy', '03-21 - Open *', '03-21 - Busy *'])
  })

  test('is what the zone of the request has then, for times of a zone alone', async () => {
    const tasks = [
      { title: 'Call', due: { date: '2026-03-02', time: '23:30', time_zone: 'America/New_York' } },
      { title: 'Float', due: { date: '2026-03-02', time: '23:30' } },
      { title: 'Day', due: { date: '2026-03-02' } },
    ]
    const { me, agenda } = await agendaOf(tasks, { ...MONTH, time_zone: 'Asia/Tokyo' })
    expect(lines(agenda)).toEqual(['03-02 - Day', '03-02 23:30 Float', '03-03 13:30 Call'])
    expect(agenda.days[1].items[1].at).toBe('2026-03-02T14:30:00.000Z')
    expect(lines(await world.ask(me, 'agenda', { ...MONTH, time_zone: 'America/New_York' }))).toEqual([
      '03-02 - Day',
      '03-02 23:30 Call',
      '03-02 23:30 Float',
    ])
    expect(
      lines(await world.ask(me, 'agenda', { from: '2026-03-03', to: '2026-03-03', time_zone: 'Asia/Tokyo' })),
    ).toEqual(['03-03 13:30 Call'])
  })

  test('moves two days where zones are that far apart', async () => {
    const { agenda } = await agendaOf(
      [
        {
          title: 'Far',
          due: { date: '2026-03-02', time: '23:30', time_zone: 'Etc/GMT+12' },
          recurrence: { rrule: 'FREQ=DAILY' },
        },
      ],
      { from: '2026-03-04', to: '2026-03-05', time_zone: 'Pacific/Kiritimati' },
    )
    expect(lines(agenda)).toEqual(['03-04 01:30 Far', '03-05 01:30 Far *'])
  })
})

describe('dates to come', () => {
  const monthly = { title: 'Rent', due: { date: '2026-01-31' }, recurrence: { rrule: 'FREQ=MONTHLY' } }
  const projections: [string, object, string[]][] = [
    ['move back to the last day of a short month', monthly, ['01-31 - Rent', '02-28 - Rent *', '03-31 - Rent *']],
    [
      'leave out what the month lacks',
      { ...monthly, recurrence: { rrule: 'FREQ=MONTHLY', skip: 'omit' } },
      ['01-31 - Rent', '03-31 - Rent *'],
    ],
    [
      'end with UNTIL',
      { ...monthly, recurrence: { rrule: 'FREQ=MONTHLY;UNTIL=20260301' } },
      ['01-31 - Rent', '02-28 - Rent *'],
    ],
    [
      'end with COUNT, which counts exdates too',
      { ...monthly, recurrence: { rrule: 'FREQ=DAILY;COUNT=4', exdates: ['2026-02-02'] } },
      ['01-31 - Rent', '02-01 - Rent *', '02-03 - Rent *'],
    ],
    [
      'are unknown where they are counted from completions',
      { ...monthly, recurrence: { rrule: 'FREQ=DAILY', mode: 'completion' } },
      ['01-31 - Rent'],
    ],
    [
      'come after a due date that is none of the rule',
      { ...monthly, due: { date: '2026-02-10' }, recurrence: { rrule: 'FREQ=MONTHLY', anchor: '2026-01-31' } },
      ['02-10 - Rent', '02-28 - Rent *', '03-31 - Rent *'],
    ],
    [
      'take the start along',
      { ...monthly, start: { date: '2026-01-29', time: '08:00' } },
      [
        '01-29 08:00 Rent starts',
        '01-31 - Rent',
        '02-26 08:00 Rent starts *',
        '02-28 - Rent *',
        '03-29 08:00 Rent starts *',
        '03-31 - Rent *',
      ],
    ],
  ]
  test.each(projections)('%s', async (_, task, expected) => {
    const { agenda } = await agendaOf([task], { from: '2026-01-01', to: '2026-03-31' })
    expect(lines(agenda)).toEqual(expected)
  })

  test('end each with their own COUNT, though another series like it lacks the last date', async () => {
    const due = { date: '2026-02-01' }
    const rrule = 'FREQ=DAILY;COUNT=3'
    const { agenda } = await agendaOf(
      [
        { title: 'Two', due, recurrence: { rrule, exdates: ['2026-02-03'] } },
        { title: 'Three', due, recurrence: { rrule } },
      ],
      { from: '2026-02-02', to: '2026-02-28' },
    )
    expect(lines(agenda)).toEqual(['02-02 - Two *', '02-02 - Three *', '02-03 - Three *'])
  })

  test('show a start that is in the window of a due date far behind it', async () => {
    const task = {
      title: 'Plan',
      start: { date: '2026-03-01' },
      due: { date: '2027-06-01' },
      recurrence: { rrule: 'FREQ=WEEKLY' },
    }
    const { agenda } = await agendaOf([task], { from: '2026-03-02', to: '2026-03-15' })
    expect(lines(agenda)).toEqual(['03-08 - Plan starts *', '03-15 - Plan starts *'])
  })

  test('keep their time of day when clocks change, and stand on the day that the asker has', async () => {
    const task = {
      title: 'Night',
      due: { date: '2026-03-28', time: '02:30', time_zone: 'Europe/Berlin' },
      recurrence: { rrule: 'FREQ=DAILY' },
    }
    const window = { from: '2026-03-28', to: '2026-03-30' }
    const { me, agenda } = await agendaOf([task], { ...window, time_zone: 'Europe/Berlin' })
    const at = (answer: typeof agenda) =>
      answer.days.flatMap(({ items }: typeof agenda) => items.map((item: typeof agenda) => item.at))
    expect(lines(agenda)).toEqual(['03-28 02:30 Night', '03-29 03:30 Night *', '03-30 02:30 Night *'])
    expect(at(agenda)).toEqual(['2026-03-28T01:30:00.000Z', '2026-03-29T01:30:00.000Z', '2026-03-30T00:30:00.000Z'])
    const autumn = await world.ask(me, 'agenda', { from: '2026-10-25', to: '2026-10-25', time_zone: 'Europe/Berlin' })
    expect(at(autumn)).toEqual(['2026-10-25T00:30:00.000Z'])
    expect(lines(await world.ask(me, 'agenda', { ...window, time_zone: 'America/New_York' }))).toEqual([
      '03-28 21:30 Night *',
      '03-29 20:30 Night *',
      '03-30 20:30 Night *',
    ])
  })
})

describe('overdue', () => {
  const NOW = '2026-03-02T12:00:00.000Z'

  test('is what the day, or the time, of is past, oldest first, whatever the days asked for', async () => {
    const at = (date: string, time: string | null = null, time_zone: string | null = null) => ({
      title: `${date} ${time} ${time_zone}`,
      due: { date, time, time_zone },
    })
    const past = [at('2026-03-01'), at('2026-03-02', '11:59'), at('2026-03-02', '12:59', 'Europe/Berlin')]
    const coming = [at('2026-03-02'), at('2026-03-02', '12:00'), at('2026-03-02', '13:00', 'Europe/Berlin')]
    const { me, agenda } = await agendaOf([...coming, ...past], { from: '2026-06-01', now: NOW })
    expect(agenda.overdue.map(({ title }: { title: string }) => title)).toEqual(past.map(({ title }) => title))
    expect(agenda.overdue_more).toBe(false)
    const tokyo = await world.ask(me, 'agenda', { from: '2026-06-01', now: NOW, time_zone: 'Asia/Tokyo' })
    expect(tokyo.overdue.map(({ title }: { title: string }) => title)).toEqual([
      '2026-03-01 null null',
      '2026-03-02 11:59 null',
      '2026-03-02 12:00 null',
      '2026-03-02 12:59 Europe/Berlin',
    ])
  })

  test('shows 200 tasks, whole as tasks are, and says if there are more', async () => {
    const tasks = Array.from({ length: 201 }, (_, i) => ({ title: `T${i}`, due: { date: '2026-01-01' } }))
    const { me, made, agenda } = await agendaOf(tasks)
    expect([agenda.overdue.length, agenda.overdue_more]).toEqual([200, true])
    expect(agenda.overdue[0]).toEqual((await world.call(me, 'GET', `/api/tasks/${made[0].id}`)).body)
    await world.call(me, 'DELETE', `/api/tasks/${made[7].id}`)
    const less = await world.ask(me, 'agenda', MONTH)
    expect([less.overdue.length, less.overdue_more]).toEqual([200, false])
  })
})

describe('an agenda', () => {
  test('is of a week from today, unless asked otherwise', async () => {
    const me = world.stranger()
    const answer = await world.ask(me, 'agenda', { time_zone: 'Pacific/Kiritimati' })
    expect([answer.from, answer.to, answer.days.length]).toEqual(['2026-03-03', '2026-03-09', 7])
    const given = await world.ask(me, 'agenda', { now: '0000-01-01T00:00:00.000Z', time_zone: 'America/New_York' })
    expect([given.from, given.to]).toEqual(['1900-01-01', '1900-01-07'])
    const last = await world.ask(me, 'agenda', { from: '2200-12-31' })
    expect([last.from, last.to, last.days.length]).toEqual(['2200-12-31', '2200-12-31', 1])
  })

  test('is of 92 days at most, in the right order, of real days and zones', async () => {
    const me = world.stranger()
    expect((await world.ask(me, 'agenda', { from: '2026-03-01', to: '2026-05-31' })).days).toHaveLength(92)
    const refused: [string, string][] = [
      ['from=2026-03-01&to=2026-06-01', '/to'],
      ['from=2026-03-01&to=2026-02-28', '/to'],
      ['from=2026-02-30', '/from'],
      ['from=1899-12-31', '/from'],
      ['to=tomorrow', '/to'],
      ['time_zone=%2B02:00', '/time_zone'],
      ['now=yesterday', '/now'],
      ['days=7', '/days'],
    ]
    for (const [query, pointer] of refused) {
      const { status, body } = await world.call(me, 'GET', `/api/tasks/agenda?${query}`)
      expect([query, status, body.errors?.[0].pointer]).toEqual([query, 400, pointer])
    }
  })
})
