import { type FoundDay, findDays, type QuickMoment } from './dates'
import { toDateInRange } from './days'
import { type QuickText, TAKEN } from './text'

/** The grammar of `every …`: a list of forms, each a pattern and its meaning as a rule. */

/** A recurrence right after `every`. */
interface Every {
  /** The end position, in UTF-16 units. */
  readonly end: number
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  /** 1..1000. */
  readonly interval: number
  /** The BY parts, e.g. `BYDAY=MO`; empty if the first day determines the others. */
  readonly by: string
  /** Whether dates count from completions (`every!`). */
  readonly completion: boolean
  /** Minutes since midnight of e.g. `every morning`; otherwise null. */
  readonly minutes: number | null
}

type Rule = Pick<Every, 'freq' | 'by'> & { interval?: number; minutes?: number }
type Groups = Record<string, string | undefined>
type Form = readonly [pattern: RegExp, meaning: (groups: Groups) => Rule | null]

const EVERY = /(?<![^\s(])every(?:(!)\s*|\s+)(?:single\s+)?(?=\w)/gi
const DAY_NAME =
  '(?:mon(?:days?)?|tue(?:s(?:days?)?)?|wed(?:s|nesdays?)?|thu(?:r(?:s(?:days?)?)?)?|fri(?:days?)?|sat(?:urdays?)?|sun(?:days?)?)'
const MONTH_NAME =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const AND = String.raw`\s*(?:,\s*and\s|,|&|/|\band\s)\s*`
const TO = String.raw`\s*(?:-|–|\bto\s|\bthrough\s)\s*`
const DAY_OR_RANGE = `${DAY_NAME}(?:${TO}${DAY_NAME})?`
const DAYS = String.raw`${DAY_OR_RANGE}(?:(?:${AND}|\s+)${DAY_OR_RANGE}){0,6}`
const NTH = '(?:[1-5](?:st|nd|rd|th)|first|second|third|fourth|fifth|last)'
const NTHS = `${NTH}(?:${AND}(?:the\\s+)?${NTH}){0,5}`
const DATE_NTH = String.raw`(?:\d{1,2}(?:st|nd|rd|th)|first|last(?:\s+day)?)`
const DATE_NTHS = String.raw`${DATE_NTH}(?:${AND}(?:the\s+)?${DATE_NTH}){0,30}`
const OF_MONTH = String.raw`(?:\s+(?:of|in)\s+(?:(?:the|each|every)\s+)?month)?`
const MONTH_DAY = String.raw`(?:(?<day>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?(?<month>${MONTH_NAME})|(?<month2>${MONTH_NAME})\s+(?:the\s+)?(?<day2>\d{1,2})(?:st|nd|rd|th)?)`
const COUNT = String.raw`(?:(?<count>\d{1,5}(?:st|nd|rd|th)?|two|three|four|five|six|seven|eight|nine|ten|twelve|other|second|third|fourth)\s+)?`
const ON = String.raw`\s+on\s+(?:the\s+)?`

const FORMS: readonly Form[] = [
  [compileForm(`${COUNT}days?`), ({ count }) => createRule('DAILY', count)],
  [
    compileForm(`${COUNT}weeks?(?:${ON}(?<days>${DAYS}))?`),
    ({ count, days }) => createRule('WEEKLY', count, days && writeByDays(days)),
  ],
  [compileForm(`${COUNT}fortnights?`), ({ count }) => (count ? null : { freq: 'WEEKLY', by: '', interval: 2 })],
  [compileForm(`${COUNT}months?`), ({ count }) => createRule('MONTHLY', count)],
  [
    compileForm(`${COUNT}months?${ON}(?<dates>${DATE_NTHS}|\\d{1,2})`),
    ({ count, dates }) => createRule('MONTHLY', count, writeByDates(dates)),
  ],
  [
    compileForm(`${COUNT}months?${ON}(?<nths>${NTHS})\\s+(?<name>${DAY_NAME})`),
    (g) => createRule('MONTHLY', g.count, writeByNths(g)),
  ],
  [
    compileForm(`${COUNT}months?${ON}(?<nth>first|last)\\s+(?:week|work)day`),
    (g) => createRule('MONTHLY', g.count, writeByWorkday(g)),
  ],
  [compileForm('quarter'), () => ({ freq: 'MONTHLY', by: '', interval: 3 })],
  [compileForm(`${COUNT}years?(?:${ON}${MONTH_DAY})?`), (g) => createRule('YEARLY', g.count, writeYearDay(g))],
  [
    compileForm(`${COUNT}years?${ON}(?<nths>${NTHS})\\s+(?<name>${DAY_NAME})\\s+(?:of|in)\\s+(?<of>${MONTH_NAME})`),
    createYearlyRule,
  ],
  [compileForm(`(?<nths>${NTHS})\\s+(?<name>${DAY_NAME})\\s+(?:of|in)\\s+(?<of>${MONTH_NAME})`), createYearlyRule],
  [compileForm(MONTH_DAY), (groups) => createRule('YEARLY', undefined, writeYearDay(groups))],
  [compileForm(`(?<days>${DAYS})`), ({ days }) => createRule('WEEKLY', undefined, writeByDays(days))],
  [compileForm(`other\\s+(?<days>${DAYS})`), ({ days }) => createRule('WEEKLY', 'other', writeByDays(days))],
  [
    compileForm(`(?<nths>${NTHS})\\s+(?<name>${DAY_NAME})${OF_MONTH}`),
    (groups) => createRule('MONTHLY', undefined, writeByNths(groups)),
  ],
  [
    compileForm(`(?<dates>${DATE_NTHS})${OF_MONTH}`),
    ({ dates }) => createRule('MONTHLY', undefined, writeByDates(dates)),
  ],
  [
    compileForm(`(?<nth>first|last)\\s+(?:week|work)day${OF_MONTH}`),
    (g) => createRule('MONTHLY', undefined, writeByWorkday(g)),
  ],
  [compileForm(String.raw`(?:week|work)[\s-]?days?`), () => ({ freq: 'WEEKLY', by: 'BYDAY=MO,TU,WE,TH,FR' })],
  [compileForm('weekends?'), () => ({ freq: 'WEEKLY', by: 'BYDAY=SA' })],
  [
    compileForm('(?<part>morning|afternoon|evening|night)'),
    ({ part }) => ({ freq: 'DAILY', by: '', minutes: getHour(part) * 60 }),
  ],
]
/** A part of the day after days: `every sunday night`. */
const PART_OF_DAY = compileForm(String.raw`,?\s+(?:(?:in\s+the|at)\s+)?(?<part>morning|afternoon|evening|night)`)
/** Days of the month before `every month`: `on the 1st of every month`. */
const DAY_OF = new RegExp(
  String.raw`(?<![^\s(])(?:on\s+)?(?:the\s+)?(?:(?<dates>${DATE_NTHS})|(?<nths>${NTHS})\s+(?<name>${DAY_NAME}))\s+of\s+$`,
  'i',
)
/** The most UTF-16 units of a list of days before `every`. */
const MAX_DAY_OF_CHARS = 60
const TOO_OFTEN =
  /(?:(?:\d+|other|few|half|two|three|four|six|eight|twelve)\s+(?:an\s+)?)?(?:hours?|minutes?|mins?|seconds?)\b/iy
const NUMBERS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', '', 'twelve']
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth']
const DAY_CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function compileForm(pattern: string): RegExp {
  return new RegExp(String.raw`${pattern}(?![\w'’/-]|\.\w)`, 'iy')
}

/** Finds each `every` in a text, whether or not a rule follows. */
function findEvery(text: string): { start: number; end: number; completion: boolean }[] {
  return [...text.matchAll(EVERY)].map((match) => {
    return { start: match.index, end: match.index + match[0].length, completion: match[1] === '!' }
  })
}

/** Reads the longest form that matches at `at`, right after `every`; null if none does. */
function readEvery(text: string, at: number, completion: boolean): Every | null {
  let best: Every | null = null
  for (const [pattern, meaning] of FORMS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match || pattern.lastIndex <= (best?.end ?? at)) continue
    const rule = meaning(match.groups ?? {})
    if (rule) best = { interval: 1, minutes: null, ...rule, end: at + match[0].length, completion }
  }
  return best && addPartOfDay(text, best)
}

function addPartOfDay(text: string, every: Every): Every {
  PART_OF_DAY.lastIndex = every.end
  const match = every.minutes === null && /^[DW]/.test(every.freq) ? PART_OF_DAY.exec(text) : null
  return match ? { ...every, minutes: getHour(match.groups?.part) * 60, end: PART_OF_DAY.lastIndex } : every
}

/** Reads the days of the month right before `every month` at `at`; null if there are none. */
function readDayOf(text: string, at: number, { freq, by }: Every): { start: number; by: string } | null {
  if (freq !== 'MONTHLY' || by !== '') return null
  const match = text.slice(Math.max(0, at - MAX_DAY_OF_CHARS), at).match(DAY_OF)
  if (!match) return null
  const { groups = {} } = match
  const days = groups.name === undefined ? writeByDates(groups.dates) : writeByNths(groups)
  return days === null ? null : { start: at - match[0].length, by: days }
}

/** Returns the end of a unit after `every` that is too short for tasks, such as hours; null if there is none. */
function findEndOfTooOften(text: string, at: number): number | null {
  TOO_OFTEN.lastIndex = at
  return TOO_OFTEN.test(text) ? TOO_OFTEN.lastIndex : null
}

/** Returns a rule with an interval; null if the interval is not in 1..1000, or the BY parts are null. */
function createRule(freq: Every['freq'], count: string | undefined, by: string | null | undefined = ''): Rule | null {
  const interval = count === undefined ? 1 : parseInterval(count)
  return by === null || interval < 1 || interval > 1000 ? null : { freq, by, interval }
}

function parseInterval(word: string): number {
  const plain = word.toLowerCase()
  if (plain === 'other') return 2
  const spelled = Math.max(NUMBERS.indexOf(plain), ORDINALS.indexOf(plain))
  return spelled > 0 ? spelled : Number.parseInt(plain, 10)
}

function listMatches(text: string | undefined, pattern: string): string[] {
  return (text ?? '').match(new RegExp(pattern, 'gi')) ?? []
}

function toDayCode(name = ''): string {
  return name.slice(0, 2).toUpperCase()
}

function writeByDays(days: string | undefined): string {
  const codes = listMatches(days, DAY_OR_RANGE).flatMap((piece) => {
    const [from, to] = listMatches(piece, DAY_NAME).map((name) => DAY_CODES.indexOf(toDayCode(name)))
    const length = to === undefined ? 1 : ((to - (from ?? 0) + 7) % 7) + 1
    return Array.from({ length }, (_, i) => DAY_CODES[((from ?? 0) + i) % 7])
  })
  return `BYDAY=${DAY_CODES.filter((code) => codes.includes(code)).join(',')}`
}

function writeByNths({ nths, name }: Groups): string {
  const ordinals = listMatches(nths, NTH).map((nth) => (/last/i.test(nth) ? -1 : parseInterval(nth)))
  return `BYDAY=${[...new Set(ordinals)].map((ordinal) => `${ordinal}${toDayCode(name)}`).join(',')}`
}

function writeByWorkday({ nth }: Groups): string {
  return `BYDAY=MO,TU,WE,TH,FR;BYSETPOS=${/last/i.test(nth ?? '') ? -1 : 1}`
}

/** Returns BYMONTHDAY; null if a day is invalid. `last` alone, as in `every last`, is not a day. */
function writeByDates(dates: string | undefined): string | null {
  const days = listMatches(dates, String.raw`\d+|first|last(?:\s+day)?`).map((date) => {
    if (/^last$/i.test(date)) return 0
    return /^last/i.test(date) ? -1 : parseInterval(date)
  })
  return days.every((day) => day !== 0 && day <= 31) ? `BYMONTHDAY=${[...new Set(days)].join(',')}` : null
}

/** Returns BYMONTH and BYMONTHDAY; empty without a day; null for a day that no year has. */
function writeYearDay({ day, month, day2, month2 }: Groups): string | null {
  const [number, name] = [day ?? day2, month ?? month2]
  if (number === undefined) return ''
  return (
    toDateInRange(2000, parseMonth(name), Number(number)) && `BYMONTH=${parseMonth(name)};BYMONTHDAY=${Number(number)}`
  )
}

function createYearlyRule(groups: Groups): Rule | null {
  return createRule('YEARLY', groups.count, `BYMONTH=${parseMonth(groups.of)};${writeByNths(groups)}`)
}

function parseMonth(name = ''): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

function getHour(part = ''): number {
  return { morning: 9, afternoon: 15, evening: 19, night: 21 }[part.toLowerCase()] ?? 0
}

/** A recurrence found in a text, before its first day is known. */
export interface FoundRecurrence {
  /** The ranges that it takes: `every …`, and its tails that e.g. a time separates from it. */
  readonly ranges: readonly { start: number; end: number }[]
  readonly every: Every
  readonly completion: boolean
  /** The day of `starting …`; null without one. */
  readonly starting: string | null
  /** The day of `until …`; null without one. */
  readonly until: string | null
}

interface Tail {
  readonly start: number
  readonly end: number
  readonly completion?: true
  readonly starting?: string
  readonly until?: string
}

const TAIL = new RegExp(
  String.raw`^([\s,${TAKEN}]*)(?:(after\s+completi(?:on|ng(?:\s+it)?))(?![\w'’-])|(until|till|ending|starting|beginning|from)\s+)`,
  'i',
)
/** Exceptions, which rules do not support: taking only the rest would be wrong on exactly those days. */
const EXCEPTION = /^,?\s+(?:except|excluding|unless|but)(?:\s+(?:on|for|in|not|the))*(?:\s+\w+)?(?![\w'’-])/i
const NEXT_TAIL = /\s(?=(?:until|till|ending|starting|beginning|from|after)\s)/i
/** The most characters that are searched for a date after e.g. `until`. */
const MAX_DATE_CHARS = 40

/** Finds the first `every …` and covers it with its tails; a second one stays in the title with a warning. */
export function findRecurrence(text: QuickText, moment: QuickMoment): FoundRecurrence | null {
  let found: FoundRecurrence | null = null
  for (const { start, end, completion } of findEvery(text.rest)) {
    const every = readEvery(text.rest, end, completion)
    const unsupported = every ? findEndOfException(text.rest, every.end) : findEndOfTooOften(text.rest, end)
    if (unsupported !== null) text.keep(start, unsupported, 'unsupported_recurrence')
    else if (every && found) text.keep(start, every.end, 'already_set')
    else if (every) {
      const day = readDayOf(text.rest, start, every)
      found = readTails(text, day?.start ?? start, { ...every, by: day?.by ?? every.by }, moment)
    }
  }
  return found
}

function findEndOfException(text: string, at: number): number | null {
  const [exception] = text.slice(at).match(EXCEPTION) ?? []
  return exception === undefined ? null : at + exception.length
}

function readTails(text: QuickText, start: number, every: Every, moment: QuickMoment): FoundRecurrence {
  let found: FoundRecurrence = { ranges: [], every, completion: every.completion, starting: null, until: null }
  const ranges = [{ start, end: every.end }]
  for (let at = every.end, tail = readTail(text, at, moment); tail; tail = readTail(text, at, moment)) {
    const { start: from, end, ...properties } = tail
    found = { ...found, ...properties }
    const last = ranges.at(-1)
    if (last && text.rest.slice(last.end, from).trim() === '') last.end = end
    else ranges.push({ start: from, end })
    at = end
  }
  for (const range of ranges) text.keep(range.start, range.end)
  return { ...found, ranges }
}

function readTail(text: QuickText, at: number, moment: QuickMoment): Tail | null {
  const match = text.rest.slice(at).match(TAIL)
  if (!match) return null
  const [whole, gap = '', completion, word = ''] = match
  const start = at + gap.length
  const from = at + whole.length
  if (completion) return { start, end: from, completion: true }
  const day = readDay(text.rest, from, moment)
  if (!day || day.date === null) return null
  return {
    start,
    end: day.end,
    ...(/^(?:until|till|ending)/i.test(word) ? { until: day.date } : { starting: day.date }),
  }
}

/** Reads the day that begins right at `from`. */
function readDay(text: string, from: number, moment: QuickMoment): FoundDay | undefined {
  const [piece = ''] = text.slice(from, from + MAX_DATE_CHARS).split(NEXT_TAIL)
  const [day] = findDays(piece, { ...moment, timeStart: null })
  if (day?.start !== 0 || day.vague) return undefined
  // A range such as `5-7 May` is not a day for `until`.
  return day.last === null ? { ...day, end: from + day.end } : undefined
}
