import { isBefore, type WordLine } from './cursor'
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
  if (read.kind !== 'day' || read.led || line.tokens[start]?.gap !== true) return false
  if (before?.kind === 'word') return /^[ap]$/.test(before.key) && sign?.kind === 'number' && !before.gap
  if (before?.kind !== 'number') return false
  const joined = isBefore(line, start - 1, ['to']) || (start > 3 && line.hit(start - 4, 'between') !== null)
  const range = '-–'.includes(sign?.key ?? ' ') || joined
  if (range && line.tokens[start - 3]?.kind === 'number') return Number(before.key) <= 24
  if (!line.startsClean(start - 1)) return false
  return read.day.vague ? Number(before.key) <= 12 : /^(?:[01]\d|2[0-3])[0-5]\d$/.test(before.key)
}

/** Returns whether a weekday follows a month or a year, as in `every month on friday`: which one is not said. */
export function isOddWeekday(line: WordLine, { start, read }: FoundPhrase): boolean {
  if (read.kind !== 'day' || read.day.weekday === null || line.hit(start, 'on') === null) return false
  return ['month', 'quarter', 'year'].includes(String(line.hit(start - 1, 'unit')?.value))
}
