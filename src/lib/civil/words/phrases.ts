import { type Amount, isBefore, type Moment, readAmount, readUnit, WordCursor, type WordLine } from './cursor'
import { type DayRead, dayRead } from './dates'
import { readAmountLater } from './days'
import type { WordKind } from './lexicon'
import { readNamedPeriod } from './periods'
import { readDayOrRange, readFromRange } from './ranges'
import { type RepeatRead, readRepeatWords } from './repeats'
import { readTimeList, readTimeOfDay, type TimeRead } from './times'

/** The role of a day by the preposition before it; `until`, `starting` and `from` limit a recurrence. */
type DayLead = 'due' | 'until' | 'starting' | 'from'

export type PhraseRead =
  | { readonly kind: 'day'; readonly lead: DayLead; readonly led: boolean; readonly day: DayRead }
  | { readonly kind: 'time'; readonly time: TimeRead }
  | { readonly kind: 'repeat'; readonly repeat: RepeatRead }
  | { readonly kind: 'length'; readonly amount: Amount }
  | { readonly kind: 'count'; readonly count: number; readonly clear: boolean }
  | { readonly kind: 'completion' }
  | { readonly kind: 'reminder'; readonly amount: Amount; readonly before: boolean }

/** A phrase in a line; `start` and `end` are token numbers, end exclusive. */
export interface FoundPhrase {
  readonly start: number
  readonly end: number
  readonly read: PhraseRead
}

/** What follows a phrase: the end of the text, an accepted phrase, a stop or a word. */
export type Behind = 'end' | 'phrase' | 'stop' | 'word'

type Reader = (c: WordCursor) => PhraseRead | null

const READERS: readonly Reader[] = [
  readReminder,
  (c) => {
    const amount = c.has('for') ? readAmount(c) : null
    return amount && { kind: 'length', amount }
  },
  (c) => {
    const repeat = readRepeatWords(c)
    return repeat && { kind: 'repeat', repeat }
  },
  (c) => {
    const time = readTimeOfDay(c)
    return time && { kind: 'time', time }
  },
  (c) => readLedDay(c, 'starting'),
  (c) => readLedDay(c, 'until'),
  (c) => {
    const day = readDayOrRange(c)
    return day && { kind: 'day', lead: 'due', led: false, day }
  },
  readDueDay,
  (c) => {
    const day = readFromRange(c)
    return day && { kind: 'day', lead: 'due', led: true, day }
  },
  (c) => readLedDay(c, 'from'),
  readTimes,
  (c) => (c.has('after_completion') ? { kind: 'completion' } : null),
]

const LIST_READERS: readonly Reader[] = [
  ...READERS,
  (c) => {
    const time = readTimeList(c)
    return time && { kind: 'time', time }
  },
]

/**
 * Finds all phrases of a line from left to right; the longest where several begin at the same word.
 * @param lists whether several times such as `9am and 9pm` are one phrase
 */
export function findPhrases(line: WordLine, moment: Moment, lists: boolean): FoundPhrase[] {
  const readers = lists ? LIST_READERS : READERS
  const found: FoundPhrase[] = []
  const count = line.tokens.length
  for (let start = 0; start < count; ) {
    const name = line.hit(start, 'proper')
    if (name) {
      start = name.end
      continue
    }
    const read = line.startsClean(start) ? readPhrase(line, moment, start, readers) : null
    if (read) found.push(read)
    start = read ? read.end : start + 1
  }
  return found
}

function readPhrase(line: WordLine, moment: Moment, start: number, readers: readonly Reader[]): FoundPhrase | null {
  const c = new WordCursor(line, moment, start)
  const read = c.longest<PhraseRead>(
    readers.map((reader) => (each: WordCursor) => {
      const phrase = reader(each)
      if (phrase?.kind === 'day' || phrase?.kind === 'time') each.has('tail')
      if (phrase?.kind === 'time') each.has('time_tail')
      if (!phrase || !each.clean || each.at === start || hasName(line, start, each.at)) return null
      return passedOver(line, phrase, start) ? null : phrase
    }),
  )
  return read && { start, end: c.at, read }
}

/** Returns whether the name of a day, such as `mardi gras`, begins among these tokens. */
function hasName(line: WordLine, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (line.hit(at, 'proper')) return true
  return false
}

/** Words before a day that mean that it is not the due date: `last friday`, `since friday`, `report of friday`. */
const NOT_DUE: readonly WordKind[] = ['not_due', 'after', 'of', 'except', 'past', 'every', 'from']

function passedOver(line: WordLine, phrase: PhraseRead, start: number): boolean {
  if (phrase.kind !== 'day' || phrase.led) return false
  const article = isBefore(line, start, ['article']) ? 1 : 0
  // `look at sun`
  if (phrase.day.place === 'anchored' && phrase.day.weekday !== null && isBefore(line, start, ['at'])) return true
  // `la mañana` is the morning.
  if (article > 0 && line.hit(start, 'day')) return true
  return isBefore(line, start, NOT_DUE) || (article > 0 && isBefore(line, start - article, NOT_DUE))
}

function readLedDay(c: WordCursor, lead: 'starting' | 'until' | 'from'): PhraseRead | null {
  if (!c.has(lead)) return null
  c.has('by')
  const day = readDayOrRange(c) ?? (lead === 'until' ? null : readMonthStart(c))
  return day && { kind: 'day', lead, led: true, day }
}

/** Reads `starting april` */
function readMonthStart(c: WordCursor): DayRead | null {
  const period = readNamedPeriod(c)
  return period?.unit === 'month' && period.next === 0 ? dayRead(Math.max(period.first, c.moment.today)) : null
}

function readDueDay(c: WordCursor): PhraseRead | null {
  const due = c.has('due')
  if (due) c.sign(':')
  const by = c.has('by')
  // `le jeu` may mean the game or Thursday.
  const sure = due || (by && !isBefore(c.line, c.at, ['no_day']))
  const at = !due && !by && c.has('at')
  // `due 3wks`
  const day = due || by || at ? (readDayOrRange(c) ?? (due ? readAmountLater(c) : null)) : null
  // `at 5th` may be a street.
  if (at && day?.place === 'end') return null
  if (!day || (day.place === 'anchored' && day.weekday !== null && !sure)) return null
  return { kind: 'day', lead: 'due', led: true, day }
}

/** Reads `10 times`, and unclear `10x`, `x 10`, `twice`; not `3 times a week`. */
function readTimes(c: WordCursor): PhraseRead | null {
  c.has('for')
  const unclear = c.has('often') || c.attempt(() => (c.has('times') ? c.digits(5) : null)) !== null
  const count = unclear ? 1 : (c.digits(5) ?? c.number('number'))
  const x = c.token?.key === 'x'
  if (count === null || !Number.isInteger(count) || !(unclear || c.has('times'))) return null
  return isPerUnit(c) ? null : { kind: 'count', count, clear: !unclear && !x }
}

function isPerUnit({ line, moment, at }: WordCursor): boolean {
  const c = new WordCursor(line, moment, at)
  c.has('number') || c.has('article') || c.has('every') || c.has('of') || c.has('per')
  return c.at < line.tokens.length && c.value('unit') !== null
}

/** Reads `remind me 1 h before`, `remind me the day before`, `1 Stunde vorher erinnern`. */
function readReminder(c: WordCursor): PhraseRead | null {
  const first = c.has('remind')
  const found = readAmountBefore(c, first)
  if (!found || !(first || (found.before && c.has('remind')))) return null
  return { kind: 'reminder', ...found }
}

/**
 * Reads `1 h before`, `the day before`, or an amount alone.
 * @param led whether words before it say that it is an amount of time before
 */
export function readAmountBefore(c: WordCursor, led: boolean): { amount: Amount; before: boolean } | null {
  const counted = readAmount(c)
  const amount = counted ?? (led ? c.attempt(() => readOneUnit(c)) : null)
  if (!amount) return null
  const before = c.has('before')
  return counted || before ? { amount, before } : null
}

function readOneUnit(c: WordCursor): Amount | null {
  const unit = c.has('article') ? readUnit(c) : null
  return unit && { count: 1, unit }
}
