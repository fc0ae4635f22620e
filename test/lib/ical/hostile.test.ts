import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CalendarFault, MAX_DEPTH } from '../../../src/lib/ical/cut'
import { MAX_ITEM_NOTES_BYTES, MAX_REST_BYTES } from '../../../src/lib/ical/item'
import { decodeCalendar } from '../../../src/lib/ical/text'
import { cost } from '../../support/cost'
import { runs, slow } from '../../support/full'
import { calendar, codes, readFile, readLines } from './support'

const MEGABYTE = 1024 * 1024
/** The page allows 2,000 ms; a file of this size should not come near. */
const LIMIT_MS = 1000

/** What a file costs to be read, and that the task after the bad one comes in all the same. */
async function survives(bad: readonly string[]): Promise<ReturnType<typeof readFile>> {
  const file = calendar([...bad, 'BEGIN:VTODO', 'UID:after', 'SUMMARY:After', 'END:VTODO'])
  expect(await cost(LIMIT_MS, () => readFile(file))).toBeLessThan(LIMIT_MS)
  const read = readFile(file)
  expect(read.items.at(-1)?.members.title).toBe('After')
  return read
}

const todo = (...lines: string[]) => ['BEGIN:VTODO', 'UID:bad', 'SUMMARY:Bad', ...lines, 'END:VTODO']

describe('broken files', () => {
  test('a file that is cut off keeps what was whole, and says so', () => {
    const file = calendar([...todo(), ...todo('DESCRIPTION:x')])
    const { items, faults, truncated } = readFile(file.slice(0, file.lastIndexOf('END:VTODO')))
    expect(items).toHaveLength(1)
    expect(faults).toMatchObject([{ line: 7, code: 'unclosed_component' }])
    expect(truncated).toBe(true)
  })

  test('wherever a file is cut off, it is read or refused, and no task is made up', () => {
    const file = calendar([...todo('DESCRIPTION:a', 'BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VALARM'), ...todo()])
    for (let length = 0; length < file.length; length++) {
      const cut = file.slice(0, length)
      if (length < 'BEGIN:VCALENDAR'.length) expect(() => readFile(cut)).toThrow(CalendarFault)
      else expect(readFile(cut).items.length + readFile(cut).faults.length).toBeLessThanOrEqual(2)
    }
  })

  test.each(['\r\n', '\n', '\r', '\r\r\n'])('lines may end in %p, with a byte-order mark or without', (end) => {
    const file = calendar(todo('DESCRIPTION:one two', ' three')).replaceAll('\r\n', end)
    for (const text of [file, `\ufeff${file}`]) {
      expect(readFile(text).items.map(({ members }) => members.notes)).toEqual(['one twothree'])
    }
  })

  test('what is no calendar is refused', () => {
    for (const text of ['', 'hello', '{"a":1}', '\0'.repeat(1000), 'BEGIN:VCARD\r\nEND:VCARD'])
      expect(() => readFile(text)).toThrow(CalendarFault)
  })

  test('a calendar without tasks is empty', () => {
    expect(readFile(calendar([]))).toEqual({ items: [], faults: [], skipped: {}, truncated: false })
  })

  test('a line folded within a character is joined before it is read', () => {
    const [head, tail] = calendar(todo('DESCRIPTION:Caf|é')).split('|')
    const bytes = new TextEncoder().encode(tail ?? '')
    const file = Buffer.concat([Buffer.from(head ?? ''), bytes.subarray(0, 1), Buffer.from('\r\n '), bytes.subarray(1)])
    expect(readFile(file).items[0]?.members.notes).toBe('Café')
    expect(decodeCalendar(file).damaged).toBe(false)
  })

  test('bytes that are no UTF-8 are told, and read as far as they are', () => {
    const { text, damaged } = decodeCalendar(Buffer.from(calendar(todo('DESCRIPTION:Caf\u00e9')), 'latin1'))
    expect(damaged).toBe(true)
    expect(text).toContain('DESCRIPTION:Café')
    const mixed = Buffer.concat([Buffer.from('Stä'), Buffer.from('é', 'latin1'), Buffer.from('dte')])
    expect(decodeCalendar(mixed)).toEqual({ text: 'Stä\ufffddte', damaged: true })
  })
})

describe('one bad item fails alone, in bounded time', () => {
  test('a task that begins before the last one ended', async () => {
    const { faults } = await survives(['BEGIN:VTODO', 'SUMMARY:x', ...todo()])
    expect(faults).toMatchObject([{ line: 3, code: 'unclosed_component' }])
  })

  test('an alarm without end, an end without beginning', async () => {
    const { faults } = await survives([...todo('BEGIN:VALARM'), ...todo('END:VALARM')])
    expect(faults.map(({ code }) => code)).toEqual(['unclosed_component', 'misplaced_end'])
  })

  test('100,000 components in each other', async () => {
    const { faults } = await survives([...todo(...Array<string>(100_000).fill('BEGIN:VALARM'))])
    expect(faults).toMatchObject([{ code: 'too_deep', detail: expect.stringContaining(String(MAX_DEPTH)) }])
  })

  test('100,000 tasks in each other', async () => {
    const bad = Array<string>(100_000).fill('BEGIN:VTODO')
    expect((await survives(bad)).faults).toHaveLength(100_000)
  })

  test('a line of 10 MiB, as notes, as an attachment, as nothing', async () => {
    const long = 'x'.repeat(10 * MEGABYTE)
    const { items } = await survives([...todo(`DESCRIPTION:${long}`), ...todo(`ATTACH:${long}`), ...todo(long)])
    expect(items.slice(0, 3).map(codes)).toEqual([['notes_cut'], ['rest_dropped'], ['unreadable_line']])
    expect(items[0]?.members.notes).toHaveLength(MAX_ITEM_NOTES_BYTES)
    expect(items[1]?.rest).toBe('')
  })

  test.each([
    ['spaces in a title', `SUMMARY;X=1:${' '.repeat(10 * MEGABYTE)}`],
    ['backslashes', `DESCRIPTION:${'\\'.repeat(10 * MEGABYTE)}`],
    ['parameters without a value', `DUE${';A=B'.repeat(2 * MEGABYTE)}`],
    ['a quote without end', `DUE;A="${'x'.repeat(10 * MEGABYTE)}`],
    ['commas', `CATEGORIES:${','.repeat(10 * MEGABYTE)}`],
    ['dates', `EXDATE:${'20260101,'.repeat(MEGABYTE)}`],
    ['a rule', `RRULE:FREQ=DAILY;BYDAY=${'MO,'.repeat(3 * MEGABYTE)}`],
    ['a trigger', `BEGIN:VALARM\r\nTRIGGER:P${'1'.repeat(10 * MEGABYTE)}D\r\nEND:VALARM`],
    ['folds', `DESCRIPTION:${'\r\n x'.repeat(2 * MEGABYTE)}`],
  ])('10 MiB of %s', async (_, line) => {
    const { items } = await survives(['BEGIN:VTODO', 'UID:bad', 'DUE:20260101', line, 'END:VTODO'])
    expect(items).toHaveLength(2)
    expect(items[0]?.warnings.length).toBeGreaterThan(0)
    for (const { detail } of items[0]?.warnings ?? []) expect(detail.length).toBeLessThan(400)
  })

  test('100,000 categories, in one line and in as many', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `label ${i}`)
    const lines = many.slice(0, 19_000).map((label) => `CATEGORIES:${label}`)
    const { items, faults } = await survives([
      ...todo(`CATEGORIES:${many.join()}`),
      ...todo(...lines),
      ...todo(...many.map((label) => `CATEGORIES:${label}`)),
    ])
    expect(items[0]?.members.labels).toHaveLength(50)
    expect(items[0]?.warnings).toMatchObject([
      { code: 'labels_dropped', detail: expect.stringContaining('9950 further, and all after') },
    ])
    expect(items[1]?.warnings).toMatchObject([
      { code: 'labels_dropped', detail: expect.stringContaining('9950 further, and all after') },
    ])
    expect(faults).toMatchObject([{ code: 'too_many_lines' }])
  })

  slow('a zone of its own for each of 10,000 tasks', async () => {
    const bad = Array.from({ length: 9_999 }, (_, i) => todo(`DUE;TZID=No/Zone${i}:20260101T090000`)).flat()
    const { items } = await survives(bad)
    expect(items).toHaveLength(10_000)
    expect(codes(items[5_000] ?? readLines())).toEqual(['unknown_zone'])
  })

  test('components of 1,000 kinds are counted as 100, and others', () => {
    const kinds = Array.from({ length: 1_000 }, (_, i) => [`BEGIN:X-${i}`, `END:X-${i}`]).flat()
    const { skipped } = readFile(calendar([...kinds, ...kinds]))
    expect(Object.keys(skipped)).toHaveLength(101)
    expect([skipped['X-0'], skipped['X-99'], skipped.OTHERS]).toEqual([2, 2, 1_800])
  })

  test('what is kept stays within 16 KiB of whole lines', () => {
    const lines = Array.from({ length: 2_000 }, (_, i) => `X-THING-${i}:${'é'.repeat(20)}`)
    const { rest, warnings } = readLines(...lines)
    expect(Buffer.byteLength(rest)).toBeLessThanOrEqual(MAX_REST_BYTES)
    expect(rest.split('\n').every((line) => lines.includes(line))).toBe(true)
    expect(warnings).toMatchObject([{ code: 'rest_dropped' }])
  })
})

describe('whatever stands in a file', () => {
  const NAUGHTY = [
    ...['__proto__', 'constructor', 'toString', '\0', '\ud800', '\u202e', '\u200b', 'null', '%s', '<script>', '-1'],
    ...['1e309', "' OR 1=1"],
  ]

  test('is read without an error, as name, parameter and value of every property', () => {
    const names = [
      ...['SUMMARY', 'UID', 'DUE', 'RRULE', 'EXDATE', 'CATEGORIES', 'RELATED-TO', 'DURATION', 'PRIORITY', 'STATUS'],
      ...['X-SATCHEL-RRULE', 'COMPLETED', 'RECURRENCE-ID'],
    ]
    for (const naughty of NAUGHTY)
      for (const name of names) {
        const item = readLines(
          'DTSTART:20260101',
          `${name};${naughty}=${naughty};VALUE=${naughty}:${naughty}`,
          `${name}:${naughty}`,
        )
        expect(item.members.title.trim().length).toBeGreaterThan(0)
        expect(item.members.title.isWellFormed()).toBe(true)
      }
  })

  test('is read or refused as a calendar, never with another error', () => {
    const tokens = [
      ...['BEGIN:VTODO', 'END:VTODO', 'BEGIN:VALARM', 'END:VALARM', 'BEGIN:VCALENDAR', 'END:VCALENDAR', 'SUMMARY:a'],
      ...['DUE:2026', 'DUE:20260230', 'DUE:20260228T250000', 'DURATION:P1', 'DURATION:P99999999999W'],
      ...['DTSTART:00010101', 'DTSTART:99991231T235959Z', 'RRULE:FREQ=DAILY', ' folded', 'TRIGGER:-PT5M'],
      ...['TRIGGER;VALUE=DATE-TIME:x', ':', ';', '='],
    ]
    const line = fc.oneof(fc.constantFrom(...tokens), fc.string({ unit: 'binary', maxLength: 20 }))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.constantFrom('\r\n', '\n', '\r'), (lines, end) => {
        const { items } = readFile(['BEGIN:VCALENDAR', 'X:', ...lines].join(end))
        for (const { members } of items) expect(members.title).not.toMatch(/[\r\n]/)
      }),
      { numRuns: runs(500) },
    )
  })
})
