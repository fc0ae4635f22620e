import { expect, test } from 'bun:test'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { type FeedEvent, writeFeedEnd, writeFeedEvent, writeFeedHead } from '../../../src/lib/ical/events'
import type { ItemMoment } from '../../../src/lib/ical/item'
import { runs } from '../../support/full'
import { unfold } from './support'
import { text } from './tasks-arbitrary'

const day = (date: string): ItemMoment => ({ date, time: null, tz: null })
const at = (date: string, time: string, tz: string | null): ItemMoment => ({ date, time, tz })

const ITEM: FeedEvent = {
  uid: 'u',
  occurrence: null,
  title: 'Pay rent',
  notes: null,
  when: at('2026-03-31', '09:00', 'Europe/Berlin'),
  start: null,
  duration_minutes: 30,
  updated_at: '2026-03-01T08:00:00.000Z',
}

function feed(events: readonly FeedEvent[], name = 'Work'): string {
  return writeFeedHead(name) + events.map(writeFeedEvent).join('') + writeFeedEnd()
}

test('a timed item is an event in UTC, with its duration', () => {
  expect(unfold(writeFeedEvent({ ...ITEM, occurrence: '2026-03-31' }))).toEqual([
    ...['BEGIN:VEVENT', 'UID:u-20260331', 'DTSTAMP:20260301T080000Z', 'SUMMARY:Pay rent'],
    ...['DTSTART:20260331T070000Z', 'DURATION:PT30M', 'TRANSP:TRANSPARENT', 'END:VEVENT'],
  ])
})

test('an all-day item ends with its day', () => {
  const lines = unfold(writeFeedEvent({ ...ITEM, when: day('2026-02-28') }))
  expect(lines).toContain('DTSTART;VALUE=DATE:20260228')
  expect(lines).toContain('DTEND;VALUE=DATE:20260301')
  expect(lines.some((line) => line.startsWith('DURATION'))).toBe(false)
})

test('a floating time floats', () => {
  const lines = unfold(writeFeedEvent({ ...ITEM, when: at('2026-03-31', '09:00', null) }))
  expect(lines).toContain('DTSTART:20260331T090000')
})

test.each([
  [day('2026-03-30'), day('2026-03-31'), 'DTSTART;VALUE=DATE:20260330', 'DTEND;VALUE=DATE:20260401'],
  [day('2026-03-31'), day('2026-03-31'), 'DTSTART;VALUE=DATE:20260331', 'DTEND;VALUE=DATE:20260401'],
  [
    at('2026-03-28', '08:00', 'Europe/Berlin'),
    at('2026-03-31', '09:30', 'Europe/Berlin'),
    'DTSTART:20260328T070000Z',
    'DTEND:20260331T073000Z',
  ],
  [
    at('2026-03-31', '08:00', null),
    at('2026-03-31', '09:30', null),
    'DTSTART:20260331T080000',
    'DTEND:20260331T093000',
  ],
  // One a day, or floating, beside the other in a zone.
  [day('2026-03-30'), at('2026-03-31', '09:00', 'Europe/Berlin'), 'DTSTART:20260329T220000Z', 'DTEND:20260331T070000Z'],
  [at('2026-03-30', '08:00', 'UTC'), day('2026-03-31'), 'DTSTART:20260330T080000Z', 'DTEND:20260401T000000Z'],
  [
    at('2026-03-30', '08:00', null),
    at('2026-03-31', '09:00', 'UTC'),
    'DTSTART:20260330T080000Z',
    'DTEND:20260331T090000Z',
  ],
])('a range %j to %j has a begin and an end', (start, when, begin, end) => {
  const lines = unfold(writeFeedEvent({ ...ITEM, start, when }))
  expect(lines.filter((line) => /^(DTSTART|DTEND|DURATION)/.test(line))).toEqual([begin, end])
})

test('a range without a length, or whose start is after its end, is the due date with its duration', () => {
  for (const start of [ITEM.when, at('2026-04-01', '00:00', 'UTC')])
    expect(unfold(writeFeedEvent({ ...ITEM, start }))).toEqual(unfold(writeFeedEvent(ITEM)))
})

test('a feed is read by ical.js, with the same texts, whatever they are', () => {
  fc.assert(
    fc.property(text(400), text(400), text(100), (title, notes, name) => {
      fc.pre(title !== '')
      const root = new ICAL.Component(ICAL.parse(feed([{ ...ITEM, title, notes }, ITEM], name)))
      const [first, second, ...more] = root.getAllSubcomponents()
      expect(first?.getFirstPropertyValue('summary')).toBe(title)
      expect(first?.getFirstPropertyValue('description') ?? '').toBe(notes)
      expect(second?.getFirstPropertyValue('summary')).toBe('Pay rent')
      expect(more).toEqual([])
    }),
    { numRuns: runs(100) },
  )
})

test.each(['\r\nBEGIN:VEVENT\r\nSUMMARY:evil', '\nEND:VCALENDAR', '\u2028BEGIN:VALARM', '\rATTACH:file:///etc/passwd'])(
  'neither title, notes nor name begins a line: %p',
  (attack) => {
    const hostile = { ...ITEM, uid: `u${attack}`, title: `t${attack}`, notes: `n${attack}` }
    const lines = unfold(feed([hostile], `f${attack}`)).flatMap((line) => line.split(/[\r\n\u2028]/))
    expect(lines.filter((line) => /^(BEGIN|END|ATTACH|SUMMARY):/.test(line)).map((line) => line.slice(0, 15))).toEqual([
      ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', expect.stringMatching(/^SUMMARY:t/), 'END:VEVENT', 'END:VCALENDAR'],
    ])
  },
)
