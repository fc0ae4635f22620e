import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromDay } from '../../../src/lib/civil/day'
import { civilOf } from '../../../src/lib/civil/zone'
import type { QuickParse } from '../../../src/tasks/quick/parse'
import { parseQuick } from '../../../src/tasks/quick/parse'
import { runs } from '../../support/full'
import { makeContext } from './support'

/** Pieces of what means something, of what nearly does, and of what breaks software. */
const PIECES = [
  ...'#Home|#Two|#"Two words"|#|/Garden|/|@a|@"b c"|@|!1|p4|!!|\\#x|"|"a b"|(|)|every|every!|day|other'.split('|'),
  ...'mon|sun|friday|last|month|on|the|31st|2|weeks|year|29 feb|until|starting|from|to|-|after completion'.split('|'),
  ...'at|9am|12:30|25:00|2-3pm|for|30 min|1 h|remind|before|tomorrow|tonight|next week|in|3 days|morning'.split('|'),
  ...'5 May|2027|03/04|2026-03-05|2026-03-05T09:00Z|end of month|Ann|,|.|!|?|a@b.c|http://x|\n|\t|\u0000'.split('|'),
  ...'\u00a0|\u200b|\u202e|\ufeff|\ufffc|\ufffd|\ud83d|\udc00|🎉|👩‍👩‍👧|e\u0301|İ|ß|٣|日本'.split('|'),
]
const typed = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(' ', ' ', ' ', '', '  ')), { maxLength: 14 })
  .map((pieces) => pieces.flat().join(''))
const line = fc.oneof(
  typed,
  typed,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const context = fc
  .record({
    today: fc.constantFrom('2026-03-02', '2024-02-29', '2026-12-31', '2027-01-31', '1970-01-01'),
    minutes: fc.integer({ min: 0, max: 1439 }),
    dateOrder: fc.constantFrom(null, 'dmy' as const, 'mdy' as const),
    createMissing: fc.boolean(),
  })
  .map(makeContext)

/** The text without its spans, in one line. */
function outside(text: string, { spans }: QuickParse): string {
  const points = [...text]
  const pieces = [...spans, { start: points.length, end: points.length }].map(({ start }, i) => {
    return points.slice(spans[i - 1]?.end ?? 0, start).join('')
  })
  return pieces.join('').replace(/\s+/g, ' ').trim()
}

test('any text is read: spans are in order and disjoint, show what stands there, and leave the title', () => {
  fc.assert(
    fc.property(line, context, (text, where) => {
      const parse = parseQuick(text, where)
      const points = [...text]
      let last = 0
      for (const { start, end, text: piece } of [...parse.spans]) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        expect(points.slice(start, end).join('')).toBe(piece)
        last = end
      }
      expect(last).toBeLessThanOrEqual(points.length)
      expect(parse.title).toBe(outside(text, parse))
      for (const { start, end, text: piece } of parse.warnings) expect(points.slice(start, end).join('')).toBe(piece)
    }),
    { numRuns: runs(3000) },
  )
})

test('what comes out is a task that may be: real days from today on, start before due, a zone with a time only', () => {
  const date = /^\d{4}-\d\d-\d\d$/
  fc.assert(
    fc.property(typed, context, (text, where) => {
      const { due, start, recurrence, duration_minutes = 1, reminders = [] } = parseQuick(text, where).draft
      if (due) {
        expect(due.date).toMatch(date)
        expect(new Date(due.date).toISOString().slice(0, 10)).toBe(due.date)
        expect(due.date >= fromDay(civilOf(where.now, where.time_zone ?? 'UTC').day)).toBe(true)
        expect(due.time_zone).toBe(due.time === null ? null : where.time_zone)
        expect(due.time ?? '00:00').toMatch(/^([01]\d|2[0-3]):[0-5]\d$/)
      }
      if (start) expect(!due || start.date <= due.date).toBe(true)
      // Where the rule has hours or minutes, its dates have times.
      const timed = /HOURLY|BYHOUR/.test(recurrence?.rrule ?? '')
      if (recurrence) expect(recurrence.anchor).toBe(timed ? `${due?.date}T${due?.time}` : (due?.date ?? ''))
      expect(duration_minutes).toBeWithin(1, 43_201)
      if (reminders.length > 0) expect(due).toBeDefined()
    }),
    { numRuns: runs(2000) },
  )
})

test('what stands in quotes stays in the title, whatever stands beside it', () => {
  fc.assert(
    fc.property(fc.constantFrom('tomorrow at 9am', 'every day', '#Home !1', 'for 30 min'), typed, (quoted, text) => {
      const { title, spans } = parseQuick(`"${quoted}" ${text.replaceAll('"', '')}`, makeContext())
      expect(title.startsWith(`"${quoted}"`)).toBe(true)
      expect(spans.every(({ start }) => start >= quoted.length + 2)).toBe(true)
    }),
    { numRuns: runs(500) },
  )
})
