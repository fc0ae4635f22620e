import { isBefore, type WordLine } from './cursor'
import type { FoundPhrase } from './phrases'

/** Tells from the words around a phrase that it is not when a task is due. */

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
