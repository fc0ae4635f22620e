import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { measureTime, readTimeData, TIME_PARTS, type TimeData } from '../../eval/time'
import type { Reader } from '../../eval/time/readers'
import { judge, partsOf, type Reading, readDue, type Utterance, type Verdict } from '../../eval/time/score'
import { isDate } from '../../src/lib/civil/day'
import { isZone } from '../../src/lib/civil/zone'

const BERLIN = 'Europe/Berlin'
const parts = { dev: await readTimeData('dev'), 'held-out': await readTimeData('held-out') }
const all = Object.values(parts).flatMap(({ utterances }) => utterances)
const second = await Promise.all(['second' as const, 'second-aside' as const].map(readTimeData))
const both = [...all, ...second.flatMap(({ utterances }) => utterances)]

function utterance(text: string, meaning: Partial<Utterance>): Utterance {
  return { text, language: 'en', source: 'own', ...meaning }
}

/** A reading of `title` that sets nothing but these. */
function reading(title: string, set: Partial<Reading> = {}): Reading {
  return { title, due: null, start: null, recurrence: null, duration_minutes: null, reminders: [], warned: [], ...set }
}

const on = (date: string, time: string | null = null, time_zone: string | null = time && BERLIN) => {
  return { date, time, time_zone }
}
const rule = (rrule: string) => ({ rrule, mode: 'schedule' }) as const

const friday = utterance('Call Ann friday 5pm', { title: 'Call Ann', due: '2026-03-13 17:00' })
const weeks = utterance('Run every day for 3 weeks', {
  title: 'Run',
  due: '2026-03-11',
  rrule: ['FREQ=DAILY;COUNT=21', 'FREQ=DAILY;UNTIL=20260331'],
})
const trip = utterance('Trip 5-7 may', { title: 'Trip', due: '2026-05-07', start: '2026-05-05' })
const dates = utterance('Pay on the 15th and 30th', { expect: 'refused', due: '2026-03-15' })
const film = utterance('Friday Night Lights', { whole: true })
const walk = utterance('Walk for 2 hours', { title: 'Walk', duration_minutes: 120 })

const RULE = rule('FREQ=DAILY;COUNT=21')
const DAYS = { due: on('2026-03-11'), recurrence: RULE }

const cycle = utterance('Bins alternate mondays', { title: 'Bins', due: '2026-03-16', expect: 'either' })
const taxi = utterance('Taxi friday 3pm, remind me at 2pm', {
  title: 'Taxi',
  due: '2026-03-13 15:00',
  reminders: ['2026-03-13 14:00'],
})
const AT_THREE = { due: on('2026-03-13', '15:00') }

const judged: [Verdict, why: string, Utterance, Reading][] = [
  ['right', 'title and time', friday, reading('Call Ann', { due: on('2026-03-13', '17:00') })],
  ['right', 'the instant by another clock', friday, reading('Call Ann', { due: on('2026-03-13', '16:00', 'UTC') })],
  ['right', 'one of two rules', weeks, reading('Run', { ...DAYS, recurrence: rule('COUNT=21;FREQ=DAILY;INTERVAL=1') })],
  ['right', 'a range', trip, reading('Trip', { due: on('2026-05-07'), start: on('2026-05-05') })],
  ['right', 'a refusal with a warning', dates, reading(dates.text, { warned: ['on the 15th and 30th'] })],
  [
    'right',
    'what may be set beside the warning',
    dates,
    reading('Pay 30th', { due: on('2026-03-15'), warned: ['30th'] }),
  ],
  ['right', 'a whole title with a hint', film, reading(film.text, { warned: ['Friday'] })],
  ['right', 'one of two ways: the reading', cycle, reading('Bins', { due: on('2026-03-16') })],
  ['right', 'one of two ways: a warning', cycle, reading(cycle.text, { warned: ['alternate'] })],
  ['right', 'silence where that may be', { ...cycle, whole: true }, reading(cycle.text)],
  ['silently wrong', 'silence where a reading or a warning is right', cycle, reading(cycle.text)],
  ['silently wrong', 'another day, where a warning would do', cycle, reading('Bins', { due: on('2026-03-11') })],
  ['right', 'a reminder an hour before', taxi, reading('Taxi', { ...AT_THREE, reminders: [-60] })],
  [
    'right',
    'a reminder on that day',
    { ...taxi, reminders: ['2026-03-13'] },
    reading('Taxi', { ...AT_THREE, reminders: [0] }),
  ],
  ['silently wrong', 'a reminder at another time', taxi, reading('Taxi', { ...AT_THREE, reminders: [-30] })],
  ['silently wrong', 'no reminder', taxi, reading('Taxi', AT_THREE)],
  ['warned', 'nothing set', friday, reading(friday.text, { warned: ['friday 5pm'] })],
  ['warned', 'a day without its time', friday, reading('Call Ann 5pm', { due: on('2026-03-13'), warned: ['5pm'] })],
  ['warned', 'a piece left in the title', walk, reading('Walk 2', { duration_minutes: 120, warned: ['2'] })],
  ['silently wrong', 'nothing set', friday, reading(friday.text)],
  [
    'silently wrong',
    'another day, with a warning',
    friday,
    reading('Call Ann', { due: on('2026-03-20'), warned: ['5pm'] }),
  ],
  [
    'silently wrong',
    'another time',
    friday,
    reading('Call Ann 5pm', { due: on('2026-03-13', '05:00'), warned: ['5pm'] }),
  ],
  ['silently wrong', 'a floating time', friday, reading('Call Ann', { due: on('2026-03-13', '17:00', null) })],
  ['silently wrong', 'a warning of something else', friday, reading(friday.text, { warned: ['Call Ann'] })],
  ['silently wrong', 'a word of the title taken', friday, reading('Call', { warned: ['friday'] })],
  [
    'silently wrong',
    'a rule without its end',
    weeks,
    reading('Run', { ...DAYS, recurrence: rule('FREQ=DAILY'), warned: ['3'] }),
  ],
  ['silently wrong', 'by completion', weeks, reading('Run', { ...DAYS, recurrence: { ...RULE, mode: 'completion' } })],
  ['silently wrong', 'a range without its first day', trip, reading('Trip', { due: on('2026-05-07') })],
  ['silently wrong', 'a piece left in the title', walk, reading('Walk for', { duration_minutes: 120 })],
  ['silently wrong', 'a refusal without a warning', dates, reading(dates.text)],
  ['silently wrong', 'another day than may be set', dates, reading('Pay', { due: on('2026-03-30'), warned: ['15th'] })],
  ['silently wrong', 'a title cut', film, reading('Lights', { warned: ['Friday'] })],
  [
    'silently wrong',
    'a date that no one said',
    film,
    reading(film.text, { due: on('2026-03-13'), warned: ['Friday'] }),
  ],
]

describe('the measure of time in words', () => {
  test.each(judged)('%s: %s', (verdict, _, meant, read) => {
    expect(judge(meant, read, BERLIN)).toBe(verdict)
  })

  test.each([
    ['RRULE:FREQ=WEEKLY;INTERVAL=1;WKST=MO;BYDAY=TH,MO', 'FREQ=WEEKLY;BYDAY=MO,TH'],
    ['FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1', 'BYDAY=-1FR;FREQ=MONTHLY'],
    ['FREQ=DAILY;UNTIL=20260331T220000Z', 'FREQ=DAILY;UNTIL=20260331'],
    ['FREQ=WEEKLY', 'FREQ=WEEKLY;BYDAY=WE'],
    ['FREQ=MONTHLY;INTERVAL=3', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=11'],
    ['FREQ=YEARLY', 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=11'],
  ])('%s on 11 March is %s', (rrule, same) => {
    expect(partsOf(rrule, '2026-03-11')).toBe(partsOf(same, '2026-03-11'))
  })

  test.each([
    ['FREQ=MONTHLY;BYDAY=2FR', 'FREQ=MONTHLY;BYDAY=FR'],
    ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1', 'FREQ=MONTHLY;BYDAY=1MO,1TU'],
    ['FREQ=WEEKLY;INTERVAL=2', 'FREQ=WEEKLY'],
    ['FREQ=DAILY;COUNT=3', 'FREQ=DAILY;COUNT=4'],
  ])('%s is not %s', (rrule, other) => {
    expect(partsOf(rrule, '2026-03-11')).not.toBe(partsOf(other, '2026-03-11'))
  })
})

/** Reads each utterance as it is meant: the first of several meanings, and a warning for what is to be refused. */
const readMeant: Reader = (one, { time_zone }) => {
  const [due] = [one.due ?? []].flat().map(readDue)
  const [rrule] = [one.rrule ?? []].flat()
  if (one.expect === 'refused') return reading(one.text, { warned: [one.text] })
  return reading(one.title ?? one.text, {
    due: due ? { ...due, time_zone: due.time && (due.time_zone ?? time_zone) } : null,
    start: one.start ? on(one.start) : null,
    recurrence: rrule ? { rrule, mode: one.mode ?? 'schedule' } : null,
    duration_minutes: one.duration_minutes ?? null,
    reminders: (one.reminders ?? []).map((at) => minutesBetween([one.due ?? []].flat()[0] ?? '', at)),
  })
}

/** Of two clock times of one zone; a day begins at midnight. */
function minutesBetween(from: string, to: string): number {
  const [start = 0, end = 0] = [from, to].map((time) =>
    Date.parse(`${time.replace(' ', 'T')}${/ /.test(time) ? '' : 'T00:00'}Z`),
  )
  return (end - start) / 60_000
}

describe('the command', () => {
  const heldOut = { part: 'held-out', language: null, show: true } as const

  test('finds nothing wrong with a reader that reads all as it is meant', async () => {
    for (const part of TIME_PARTS) {
      const { text, missed } = await measureTime({ ...heldOut, part }, readMeant)
      const { utterances } = await readTimeData(part)
      const { length } = utterances.filter((one) => /^(?:en|de|fr|es)$/.test(one.text_language ?? one.language ?? ''))
      expect([part, missed]).toEqual([part, false])
      expect(text).toMatch(new RegExp(`^\\| all: right +\\| .* \\| 1\\.000 \\(${length} of ${length}\\) `, 'm'))
      expect(text).not.toContain('expected')
    }
  })

  test('misses the target with one utterance in silence, and names it', async () => {
    const [first] = parts['held-out'].utterances.filter(({ due, expect: expected }) => due && !expected)
    const read: Reader = (one, moment) => (one.text === first?.text ? reading(one.text) : readMeant(one, moment))
    const { text, missed } = await measureTime(heldOut, read)
    expect(missed).toBe(true)
    expect(text.match(/^ {2}expected/gm)).toHaveLength(1)
    expect(text).toContain(`: ${first?.text}\n`)
  })

  test('misses the target with a reader that warns of all, though nothing is silent', async () => {
    const { text, missed } = await measureTime(heldOut, ({ text: whole }) => reading(whole, { warned: [whole] }))
    expect(missed).toBe(true)
    expect(text).toMatch(/^\| all: silently wrong +\| 0 +\| 0 of /m)
  })

  test('reads one language with quick add, and has no targets on the dev part', async () => {
    const { text, missed } = await measureTime({ part: 'dev', language: 'de', show: false })
    expect(missed).toBe(false)
    expect(text).toContain('German: right')
    expect(text).not.toContain('English')
  })
})

describe('the utterances', () => {
  test('are 360 or more, a third of them held out, in four languages', () => {
    expect(all.length).toBeGreaterThanOrEqual(360)
    expect(parts['held-out'].utterances.length / all.length).toBeCloseTo(1 / 3, 1)
    const count = (language: string) => all.filter((one) => one.language === language).length
    for (const [language, least] of Object.entries({ en: 200, de: 60, fr: 50, es: 50 }))
      expect(count(language)).toBeGreaterThanOrEqual(least)
  })

  test('are there once, in the part that the hash of the text says', () => {
    expect(new Set(both.map(({ text }) => text)).size).toBe(both.length)
    expect(second.map(({ utterances }) => utterances.length)).toEqual([640, 200])
    const isHeldOut = (text: string) => createHash('sha256').update(text).digest().readUInt32BE() % 3 === 0
    const misplaced = (data: TimeData, heldOut: boolean) =>
      data.utterances.filter(({ text }) => isHeldOut(text) !== heldOut)
    expect(misplaced(parts.dev, false)).toEqual([])
    expect(misplaced(parts['held-out'], true)).toEqual([])
  })

  test('mean real days, times, zones and rules, and say one thing only', () => {
    expect(both.filter((one) => faultOf(one) !== null).map((one) => [one.text, faultOf(one)])).toEqual([])
  })

  test.each([
    ['a day that no month has', { due: '2026-02-30' }],
    ['a time that no day has', { due: '2026-03-12 25:00' }],
    ['a zone that nobody has', { due: '2026-03-12 09:00 Mars/Base' }],
    ['a rule without FREQ', { due: '2026-03-12', rrule: 'BYDAY=MO' }],
    ['a title that is not of the text', { due: '2026-03-12', title: 'Write Ann' }],
    ['nothing at all', {}],
    ['two things', { whole: true, due: '2026-03-12' } as const],
  ])('are not taken with %s', (_, meaning) => {
    expect(faultOf(utterance('Call Ann friday', meaning))).not.toBeNull()
  })

  test('are named by the sources that the README lists, and by no other', async () => {
    const readme = await Bun.file(new URL('../../eval/data/time/README.md', import.meta.url)).text()
    const [table = ''] = readme.split('licence')[1]?.split('\n\n') ?? []
    const listed = [...table.matchAll(/^\| `([a-z]+)`/gm)].map(([, name]) => name ?? '')
    expect([...new Set(both.map(({ source }) => source))].toSorted()).toEqual(listed.toSorted())
  })
})

/** What is wrong with an utterance of the data; null if nothing is. */
function faultOf(one: Utterance): string | null {
  const { text, title = text, due = [], start, rrule = [], now, time_zone = BERLIN, whole, expect: expected } = one
  const days = [due].flat()
  const isSet = days.length > 0 || start !== undefined || one.duration_minutes !== undefined
  if (expected === 'refused' ? whole : expected ? !isSet : isSet === (whole ?? false))
    return 'says nothing or two things'
  if (![...days, ...(start ? [start] : [])].every(isRealTime)) return 'no real time'
  if (start !== undefined && days.some((day) => day <= start)) return 'a range that ends before it begins'
  if (![rrule].flat().every((written) => /^FREQ=(HOUR|DAI|WEEK|MONTH|YEAR)LY(;[A-Z]+=[\w,-]+)*$/.test(written)))
    return 'no rule'
  if ([rrule].flat().length > 0 && days.length === 0) return 'a rule without its first day'
  if (!isZone(time_zone) || (now !== undefined && Number.isNaN(Date.parse(now)))) return 'no moment'
  return title.split(' ').every((word) => text.includes(word)) ? null : 'a title that is not of the text'
}

function isRealTime(written: string): boolean {
  const [, year, month, day, time = '00:00', zone = BERLIN] =
    written.match(/^(\d{4})-(\d\d)-(\d\d)(?: (\d\d:\d\d)(?: (\S+))?)?$/) ?? []
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  return isDate(date) && /^([01]\d|2[0-3]):[0-5]\d$/.test(time) && isZone(zone)
}
