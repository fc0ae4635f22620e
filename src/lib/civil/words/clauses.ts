import { isBefore, type Moment, readAmount, WordCursor, type WordLine } from './cursor'
import type { WordKind } from './lexicon'
import type { FoundPhrase } from './phrases'

/** Tells from the words around a phrase that it is not, or not all of, when a task is due. */

/** Returns whether a range tells from when to when something is moved: `move the call from monday to friday`. */
export function isMove(line: WordLine, { start, end, read }: FoundPhrase): boolean {
  const range = read.kind === 'day' ? read.day.last : read.kind === 'time' ? read.time.duration : null
  if (range === null) return false
  for (let at = Math.max(0, start - MAX_CONDITION_TOKENS); at < end + MAX_CONDITION_TOKENS; at++)
    if (line.hit(at, 'moving')) return true
  return false
}

/** Returns the start of the condition that a day or a time belongs to, as in `if it rains tomorrow`, or null. */
export function conditionBefore(line: WordLine, { start, read }: FoundPhrase): number | null {
  if (read.kind !== 'day' && read.kind !== 'time') return null
  for (let at = start - 1; at >= 0 && at >= start - MAX_CONDITION_TOKENS; at--) {
    const token = line.tokens[at]
    if (token?.kind === 'covered' || (token?.kind === 'sign' && ',;.:!?)'.includes(token.key))) return null
    // `sí` is no condition in Spanish.
    if (line.hit(at, 'if')?.value === 1 && line.raw(at).toLowerCase() !== 'sí') return at
  }
  return null
}

/** A condition or a verb is looked for in so many tokens. */
const MAX_CONDITION_TOKENS = 12

/** Returns whether a weekday belongs to what follows it: `the friday report`, `our monday meeting`. */
export function isOfNoun(line: WordLine, { start, end, read }: FoundPhrase, taken: (at: number) => boolean): boolean {
  const next = line.tokens[end]
  if (read.kind !== 'day' || read.day.weekday === null || read.led || line.lexicon.articleDays) return false
  return next?.kind === 'word' && next.gap && !taken(end) && isBefore(line, start, ['article', 'no_day'])
}

/** Returns whether an hour is before a day: `8 tonight`, `0815 tomorrow`, `9-5 friday`, `5p tomorrow`. */
export function isHourBefore(line: WordLine, { start, read }: FoundPhrase): boolean {
  const [before, sign] = [line.tokens[start - 1], line.tokens[start - 2]]
  if (read.kind !== 'day' || line.tokens[start]?.gap !== true) return false
  // `at 25:00 tomorrow`
  if (sign?.key === ':' && before?.kind === 'number') return line.tokens[start - 3]?.kind === 'number'
  if (read.led) return isJoinedHour(line, start)
  if (before?.kind === 'word') return /^[ap]$/.test(before.key) && sign?.kind === 'number' && !before.gap
  if (before?.kind !== 'number') return false
  if (isJoinedHour(line, start)) return true
  if (!line.startsClean(start - 1)) return false
  return read.day.vague ? Number(before.key) <= 12 : /^(?:[01]\d|2[0-3])[0-5]\d$/.test(before.key)
}

/** Returns whether the end of a range of hours is before a day: `from 2 till 4 on friday`, `9-5 friday`. */
function isJoinedHour(line: WordLine, start: number): boolean {
  const [before, sign] = [line.tokens[start - 1], line.tokens[start - 2]]
  const joined = isBefore(line, start - 1, ['to']) || (start > 3 && line.hit(start - 4, 'between') !== null)
  if (!joined && !'-–'.includes(sign?.key ?? ' ')) return false
  return before?.kind === 'number' && line.tokens[start - 3]?.kind === 'number' && Number(before.key) <= 24
}

/** Returns whether a weekday follows a month or a year, as in `every month on friday`: which one is not said. */
export function isOddWeekday(line: WordLine, { start, read }: FoundPhrase): boolean {
  if (read.kind !== 'day' || read.day.weekday === null || line.hit(start, 'on') === null) return false
  return ['month', 'quarter', 'year'].includes(String(line.hit(start - 1, 'unit')?.value))
}

/** Returns whether a number after a phrase belongs to it: after weekdays, months and units. */
export function isPart(line: WordLine, { end, read }: FoundPhrase): boolean {
  const next = line.tokens[end + 1]
  const counts = next?.kind === 'word' && next.gap
  if (read.kind === 'repeat') return true
  if (read.kind !== 'day') return false
  // In `5 May 20 people` the number counts people.
  const weekday = isBefore(line, end, ['weekday', 'shaky'])
  const unit = isBefore(line, end, ['unit'])
  return weekday || unit || (read.day.open && !counts)
}

/** Returns whether a number may be a time: `15h`; `3` or `1500` at the end of a text. */
export function isClock(line: WordLine, at: number): boolean {
  const [digits, next] = [line.tokens[at]?.key ?? '', line.tokens[at + 1]]
  // `tomorrow 9-11`
  const last = line.tokens[at + 2]
  // `morgen 9 bis 17`
  if (line.hit(at + 1, 'to')) return last?.kind === 'number' && at + 3 === line.tokens.length
  if (next && !next.gap && '-–'.includes(next.key)) return last?.kind === 'number' && at + 3 === line.tokens.length
  if (next && !next.gap) return next.key === 'h'
  return !next && (digits.length <= 2 || /^(?:[01]\d|2[0-3])[0-5]\d$/.test(digits))
}

/** Returns whether a number may be a day of the month behind it, as in `15 next month`. */
export function isDayOfMonth(line: WordLine, at: number): boolean {
  const token = line.tokens[at]
  const unit = line.hit(at + 2, 'unit')?.value
  return token?.kind === 'number' && line.startsClean(at) && Number(token.key) <= 31 && unit === 'month'
}

const PERIODS: readonly unknown[] = ['week', 'fortnight', 'month', 'quarter', 'year', 'weekend', 'workday']

/** Returns the start of `week` in `week friday`, or null; `the weekend friday` and `moving day friday` are titles. */
export function periodBefore(line: WordLine, start: number): number | null {
  const unit = line.hit(start - 1, 'unit')
  if (unit?.end !== start || !PERIODS.includes(unit.value)) return null
  return isBefore(line, start - 1, ['article', 'no_day']) || line.tokens[start - 2]?.kind === 'number'
    ? null
    : start - 1
}

/** Returns the start of `2 weeks` in `2 weeks friday`, or null; `for 3 days` and `1 hour` belong to the title. */
export function amountBefore(line: WordLine, moment: Moment, start: number): number | null {
  for (let from = start - 2; from >= Math.max(0, start - 4); from--) {
    if (isBefore(line, from, ['for'])) continue
    const c = new WordCursor(line, moment, from)
    const amount = readAmount(c)
    const short = amount?.unit === 'hour' || amount?.unit === 'minute'
    if (amount && c.at === start) return short && !c.sees('before') && !c.sees('after') ? null : from
    for (const kind of ['next', 'coming', 'this', 'past', 'ordinal', 'every', 'other'] as const) {
      const hit = line.hit(from, kind)
      if (hit && line.hit(hit.end, 'unit')?.end === start) return from
    }
  }
  return null
}

const OWNERS: readonly WordKind[] = ['unit', 'month', 'weekday', 'day']

/** Returns whether a word of time owns what follows it: `next week's friday`. */
export function isPossessive(line: WordLine, at: number): boolean {
  const [, owner] = /^(.+)['’]s$/.exec(line.tokens[at]?.key ?? '') ?? []
  return OWNERS.some((kind) => line.lexicon.phrases.get(owner ?? '')?.some(({ kinds }) => kinds.has(kind)))
}

/** Returns the start of the number that is joined to the one at `start`, as in `5 and 7 may`, or null. */
export function numberJoined(line: WordLine, start: number): number | null {
  const sign = ',&/'.includes(line.tokens[start - 1]?.key ?? ' ')
  if (!sign && !isBefore(line, start, ['and', 'or'])) return null
  for (const at of [start - 2, start - 3]) if (line.tokens[at]?.kind === 'number') return at
  return null
}

/** Returns the start of the weekday that is joined to the one at `start`, as in `mon, wed and fri`, or null. */
export function weekdayJoined(line: WordLine, start: number): number | null {
  const sign = ',&/'.includes(line.tokens[start - 1]?.key ?? ' ')
  if (!sign && !isBefore(line, start, ['and', 'or'])) return null
  return isBefore(line, start - 1, ['weekday', 'shaky']) ? start - 2 : null
}
