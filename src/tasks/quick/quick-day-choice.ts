import { type ChronoDay, findChronoDays, type QuickToday, weekdayAfter } from './quick-dates'
import { findRelativeDays } from './quick-relative'
import { TAKEN } from './quick-text'

/** A day in a text that is to be taken, or left there with a problem; positions are UTF-16 units. */
export interface FoundDay {
  readonly start: number
  readonly end: number
  /** Null if `problem` says why not. */
  readonly date: string | null
  readonly problem: 'ambiguous_date' | 'past_date' | null
  /** Minutes since midnight, if the day brings them along. */
  readonly minutes: number | null
  /** The minutes are those of `morning` or `night`, not of a clock. */
  readonly vague: boolean
  /** A weekday and nothing else: if today's time is past, the next week's is meant. */
  readonly weekday: number | null
  /** The last day of a range. */
  readonly last: string | null
}

export interface QuickMoment extends QuickToday {
  readonly minutes: number
  /** Where the time of day was taken; null without one. */
  readonly timeStart: number | null
}

type Day = ChronoDay

/** The last day that a task may have. */
const LAST = '2200-12-31'
/** In minutes since midnight, the hours that others give these words. */
const PARTS: Record<string, number> = {
  morning: 540,
  noon: 720,
  afternoon: 900,
  evening: 1140,
  night: 1260,
  tonight: 1260,
}
const PART = /^,?\s+(?:(?:in\s+the|at)\s+)?(morning|noon|afternoon|evening|night)(?![\w'’-])/i
const THIS_PART = /(?<![\w'’-])this\s+(morning|afternoon|evening)(?![\w'’-])/gi
const BETWEEN = /^\s*(?:-|–|to|until|till|through)\s*$/i
/** What belongs to the date before it. */
const PREFIX = /(?<![^\s(\uFFFC])(?:due\s+)?(?:(?:on|by|before|until|till|for)\s+)?$/i
/** What makes it no due date: it is past, a beginning, an exception, or whose something is. */
const NOT_DUE =
  /(?<![\w'’-])(?:after|since|from|of|than|except|but|unless|starting|last|past|every!?|each|the\s+other)\s+(?:the\s+)?$/i
const NAMED = /(?<!\w)(?:black|good|ash|cyber|easter|palm|casual|freaky)\s+$/i
/** Nothing but what is taken and stops. */
const END = new RegExp(`^[\\s${TAKEN}.,;:!?)]*$`)
/** Words that mean something else as often: only in a place where they must be a day. */
const SHAKY = /^(?:sun|sat|mon|wed|weekend|(?:end|last day) of (?:the )?month)\.?$/
const NO_DAY_AFTER =
  /(?<!\w)(?:the|an?|my|our|his|her|their|your|in|under|i|we|he|she|they|you|who|that|morning|evening)\s+$/i

/** The days of a text in their order, each with the words around it that belong to it. */
export function findDays(text: string, moment: QuickMoment): FoundDay[] {
  const days = [...findChronoDays(text, moment), ...otherDays(text, moment)]
  return joinRanges(text, apart(days)).flatMap((day) => place(text, day, moment) ?? [])
}

/** In order; of two that overlap, as `friday next week` and `next week`, the one that begins first. */
function apart(days: readonly Day[]): Day[] {
  let end = 0
  return days
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((day) => {
      if (day.start < end) return false
      end = day.end
      return true
    })
}

function otherDays(text: string, { today, minutes }: QuickMoment): Day[] {
  const plain = { problem: null, weekday: null, last: null }
  const relative = findRelativeDays(text, today, minutes).map((day) => ({ ...plain, ...day }))
  const parts = [...text.matchAll(THIS_PART)].map((match): Day => {
    const words = (match[1] ?? '').toLowerCase()
    return { ...plain, start: match.index, end: match.index + match[0].length, date: today, minutes: null, words }
  })
  return [...relative, ...parts]
}

/** `monday to friday` and `5 May - 7 May` are one. */
function joinRanges(text: string, days: readonly Day[]): Day[] {
  const joined: Day[] = []
  for (const day of days) {
    const first = joined.at(-1)
    const date = first && BETWEEN.test(text.slice(first.end, day.start)) ? lastOf(first, day) : null
    if (!first || date === null) joined.push(day)
    else joined[joined.length - 1] = { ...first, end: day.end, last: date, weekday: null, words: 'range' }
  }
  return joined
}

function lastOf(first: Day, day: Day): string | null {
  if (first.date === null || first.last !== null || day.date === null) return null
  const date = day.weekday === null ? day.date : weekdayAfter(first.date, day.weekday)
  return date > first.date ? date : null
}

/** Decides by what stands around it whether it is a due date, and takes along the words that belong to it. */
function place(text: string, day: Day, moment: QuickMoment): FoundDay | null {
  const before = wordsBefore(text, day)
  const the = /^(?:\d|end|last|range)/.test(day.words) ? (before.match(/(?<!\w)the\s+$/i)?.[0] ?? '') : ''
  const from = day.last === null ? '' : (before.match(/(?<!\w)from\s+$/i)?.[0] ?? '')
  const lead = before.slice(0, before.length - the.length - from.length)
  const prefix = lead.match(PREFIX)?.[0] ?? ''
  const part = text.slice(day.end).match(PART)
  if (NOT_DUE.test(lead) || (day.weekday !== null && NAMED.test(lead))) return null
  const anchored = prefix !== '' || part !== null || beforeTime(text, day.end, moment.timeStart)
  if (SHAKY.test(day.words) && !anchored && !atEnd(text, day)) return null
  const word = part?.[1]?.toLowerCase() ?? day.words
  const minutes = day.minutes ?? PARTS[word] ?? null
  const start = day.start - (before.length - lead.length) - prefix.length
  const { date, problem, weekday, last } = day
  if (date === null ? problem === null : (last ?? date) > LAST) return null
  return { start, end: day.end + (part?.[0].length ?? 0), date, problem, minutes, vague: word in PARTS, weekday, last }
}

/** As much as matters: in a text of nothing but days each would look at all of it. */
function wordsBefore(text: string, { start }: Day): string {
  return text.slice(Math.max(0, start - 40), start)
}

function beforeTime(text: string, end: number, timeStart: number | null): boolean {
  return timeStart !== null && timeStart >= end && /^[\s,]*$/.test(text.slice(end, timeStart))
}

function atEnd(text: string, day: Day): boolean {
  return END.test(text.slice(day.end)) && !NO_DAY_AFTER.test(wordsBefore(text, day))
}
