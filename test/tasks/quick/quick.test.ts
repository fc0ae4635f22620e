import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseQuick } from '../../../src/tasks/quick/parse'
import { describeParse, makeContext, readUtterances } from './support'

const read = (name: string) => Bun.file(join(import.meta.dir, name)).text()
const utterances = readUtterances(await read('utterances.txt'))
const whole = (await read('whole.txt')).split('\n').filter((line) => line !== '')

describe('what people type', () => {
  test('the tables are as long as they should be', () => {
    expect(utterances.length).toBeGreaterThanOrEqual(300)
    expect(new Set(whole).size).toBeGreaterThanOrEqual(100)
  })

  test.each(utterances)('$text', ({ text, expected, context }) => {
    expect(describeParse(parseQuick(text, context))).toBe(expected)
  })

  test.each(whole)('stays whole: %s', (text) => {
    const { title, draft, spans } = parseQuick(text, makeContext())
    expect({ title, draft, spans }).toEqual({ title: text, draft: {}, spans: [] })
  })
})

test('the example of the documentation, span by span', () => {
  const text = 'Pay rent #Home @bills !2 every month on the 31st at 9am'
  const recurrence = {
    rrule: 'FREQ=MONTHLY;BYMONTHDAY=31',
    mode: 'schedule' as const,
    skip: 'backward' as const,
    anchor: '2026-03-31',
    exdates: [],
  }
  expect(parseQuick(text, makeContext({ minutes: 540 }))).toEqual({
    title: 'Pay rent',
    draft: {
      project: { id: 'project-home', name: 'Home' },
      labels: ['bills'],
      priority: 2,
      recurrence,
      due: { date: '2026-03-31', time: '09:00', time_zone: 'Europe/Berlin' },
    },
    spans: [
      { start: 9, end: 14, kind: 'project', text: '#Home', value: 'project-home' },
      { start: 15, end: 21, kind: 'label', text: '@bills', value: 'bills' },
      { start: 22, end: 24, kind: 'priority', text: '!2', value: 2 },
      { start: 25, end: 48, kind: 'recurrence', text: 'every month on the 31st', value: recurrence },
      { start: 49, end: 55, kind: 'time', text: 'at 9am', value: '09:00' },
    ],
    warnings: [],
  })
})

describe('spans and values', () => {
  const spansOf = (text: string) =>
    parseQuick(text, makeContext({ createMissing: true })).spans.map(({ start, end, kind, text: piece, value }) => {
      return [start, end, kind, piece, value]
    })

  test('count code points, not UTF-16 units', () => {
    expect(spansOf('🎉🎉 Ann @🏠 tomorrow')).toEqual([
      [7, 9, 'label', '@🏠', '🏠'],
      [10, 18, 'date', 'tomorrow', '2026-03-03'],
    ])
  })

  test('a project that is still to be made has no id yet', () => {
    expect(spansOf('Dig #New /Beds')).toEqual([
      [4, 8, 'project', '#New', null],
      [9, 14, 'section', '/Beds', null],
    ])
  })

  test('date and time are spans of their own, and so is a tail behind a time', () => {
    const kinds = spansOf('Run every day at 9am until 5 may').map(([, , kind, text]) => [kind, text])
    expect(kinds).toEqual([
      ['recurrence', 'every day'],
      ['time', 'at 9am'],
      ['recurrence', 'until 5 may'],
    ])
  })

  test('a duration, a reminder, an amount of hours, an escape', () => {
    expect(spansOf('Say \\#yes in 3 hours for 30 min remind 1 h before')).toEqual([
      [4, 5, 'escape', '\\', '#'],
      [10, 20, 'date', 'in 3 hours', '2026-03-02T13:00'],
      [21, 31, 'duration', 'for 30 min', 30],
      [32, 49, 'reminder', 'remind 1 h before', { at: null, offset_minutes: -60, from: 'due' }],
    ])
  })

  test('the comma that would be left behind and the brackets belong to the span', () => {
    expect(spansOf('Tomorrow, call').map(([, , , text]) => text)).toEqual(['Tomorrow,'])
    expect(spansOf('Call (tomorrow)').map(([, , , text]) => text)).toEqual(['(tomorrow)'])
  })
})

describe('limits and warnings', () => {
  test('labels are NFC, at most 50, and of at most 100 characters', () => {
    const many = parseQuick(Array.from({ length: 52 }, (_, i) => `@label${i}`).join(' '), makeContext())
    expect(many.draft.labels).toHaveLength(50)
    expect(many.title).toBe('@label50 @label51')
    expect(many.warnings.map(({ code }) => code)).toEqual(['too_many_labels', 'too_many_labels'])
    expect(parseQuick('x @Cafe\u0301', makeContext()).draft.labels).toEqual(['Caf\u00e9'])
    expect(parseQuick(`x @${'é'.repeat(100)}`, makeContext()).draft.labels).toEqual(['é'.repeat(100)])
    expect(parseQuick(`x @${'é'.repeat(101)}`, makeContext()).warnings.map(({ code }) => code)).toEqual([
      'name_too_long',
    ])
  })

  test('the eleventh reminder stays', () => {
    const text = `Call tomorrow ${Array.from({ length: 11 }, (_, i) => `remind ${i + 1} h before`).join(' ')}`
    const { title, draft, warnings } = parseQuick(text, makeContext())
    expect(draft.reminders).toHaveLength(10)
    expect(title).toBe('Call remind 11 h before')
    expect(warnings.map(({ code }) => code)).toEqual(['too_many_reminders'])
  })

  test('a warning says where it points and why', () => {
    expect(parseQuick('🎉 pay 03/04', makeContext()).warnings).toEqual([
      {
        code: 'ambiguous_date',
        start: 6,
        end: 11,
        text: '03/04',
        detail: 'day and month are ambiguous without date_order',
      },
    ])
  })

  test('a recurrence without a day stays in the title', () => {
    const never = makeContext({ firstOccurrence: () => null })
    const { title, draft, warnings } = parseQuick('Run every day', never)
    expect({ title, draft }).toEqual({ title: 'Run every day', draft: {} })
    expect(warnings.map(({ code }) => code)).toEqual(['recurrence_never_occurs'])
  })

  test('nothing but fields leaves an empty title', () => {
    expect(parseQuick('#Home tomorrow !1', makeContext()).title).toBe('')
  })

  test('the first day is asked for without the interval, on or after the day named', () => {
    const asked: string[][] = []
    const firstOccurrence = (rrule: string, from: string) => {
      asked.push([rrule, from])
      return from
    }
    parseQuick('Run every 2 weeks on friday starting 5 may until 31 dec', makeContext({ firstOccurrence }))
    expect(asked).toEqual([['FREQ=WEEKLY;BYDAY=FR;UNTIL=20261231', '2026-05-05']])
  })
})

describe('the zone of the process', () => {
  // Half an hour's summer time, a day that was left out, the widest offsets, and a change of the clocks at midnight.
  const zones = ['Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Kiritimati', 'Etc/GMT+12', 'America/Santiago']

  test.each(zones)('answers the same in a process whose zone is %s', async (zone) => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'zone-child.ts')], {
      env: { ...process.env, TZ: zone },
      stderr: 'inherit',
    })
    const { offset, answers } = JSON.parse(await new Response(child.stdout).text())
    expect(offset).not.toBe(0)
    expect(answers).toEqual(utterances.map(({ expected }) => expected))
  })
})
