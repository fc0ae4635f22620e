import { expect, test } from 'bun:test'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { type FeedItem, writeFeedEnd, writeFeedEvent, writeFeedHead, writeFeedTodo } from '../../../src/lib/ical/write'
import { unfold } from './support'
import { text } from './tasks-arbitrary'

const ITEM: FeedItem = {
  uid: 'u',
  occurrence: null,
  title: 'Pay rent',
  notes: null,
  when: { at: '2026-03-31T07:00:00.000Z' },
  duration_minutes: 30,
  status: 'open',
  completed_at: null,
  updated_at: '2026-03-01T08:00:00.000Z',
}

function feed(items: readonly FeedItem[], write = writeFeedEvent, name = 'Work'): string {
  return writeFeedHead(name) + items.map(write).join('') + writeFeedEnd()
}

test('a timed item is an event in UTC, with its duration', () => {
  expect(unfold(writeFeedEvent({ ...ITEM, occurrence: '2026-03-31' }))).toEqual([
    ...['BEGIN:VEVENT', 'UID:u-20260331', 'DTSTAMP:20260301T080000Z', 'SUMMARY:Pay rent'],
    ...['DTSTART:20260331T070000Z', 'DURATION:PT30M', 'TRANSP:TRANSPARENT', 'END:VEVENT'],
  ])
})

test('an all-day item ends with its day', () => {
  const lines = unfold(writeFeedEvent({ ...ITEM, when: { date: '2026-02-28' } }))
  expect(lines).toContain('DTSTART;VALUE=DATE:20260228')
  expect(lines).toContain('DTEND;VALUE=DATE:20260301')
  expect(lines.some((line) => line.startsWith('DURATION'))).toBe(false)
})

test('an item as a to-do tells its status', () => {
  const done = { ...ITEM, status: 'done', completed_at: '2026-03-30T10:00:00.000Z' } as const
  expect(unfold(writeFeedTodo(done))).toEqual([
    ...['BEGIN:VTODO', 'UID:u', 'DTSTAMP:20260301T080000Z', 'SUMMARY:Pay rent', 'DUE:20260331T070000Z'],
    ...['STATUS:COMPLETED', 'COMPLETED:20260330T100000Z', 'END:VTODO'],
  ])
})

test.each([
  ['event', writeFeedEvent],
  ['to-do', writeFeedTodo],
] as const)('a feed of %ss is read by ical.js, with the same texts, whatever they are', (_, write) => {
  fc.assert(
    fc.property(text(400), text(400), text(100), (title, notes, name) => {
      fc.pre(title !== '')
      const root = new ICAL.Component(ICAL.parse(feed([{ ...ITEM, title, notes }, ITEM], write, name)))
      const [first, second, ...more] = root.getAllSubcomponents()
      expect(first?.getFirstPropertyValue('summary')).toBe(title)
      expect(first?.getFirstPropertyValue('description') ?? '').toBe(notes)
      expect(second?.getFirstPropertyValue('summary')).toBe('Pay rent')
      expect(more).toEqual([])
    }),
    { numRuns: 100 },
  )
})

test.each(['\r\nBEGIN:VEVENT\r\nSUMMARY:evil', '\nEND:VCALENDAR', '\u2028BEGIN:VALARM', '\rATTACH:file:///etc/passwd'])(
  'neither title, notes nor name begins a line: %p',
  (attack) => {
    const hostile = { ...ITEM, uid: `u${attack}`, title: `t${attack}`, notes: `n${attack}` }
    const lines = unfold(feed([hostile], writeFeedEvent, `f${attack}`)).flatMap((line) => line.split(/[\r\n\u2028]/))
    expect(lines.filter((line) => /^(BEGIN|END|ATTACH|SUMMARY):/.test(line)).map((line) => line.slice(0, 15))).toEqual([
      ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', expect.stringMatching(/^SUMMARY:t/), 'END:VEVENT', 'END:VCALENDAR'],
    ])
  },
)
