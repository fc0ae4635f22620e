import type { Accepted } from './accept'
import { Beside, type Leftover } from './beside'
import type { Chosen } from './choose'
import { isBefore, type Moment, WordCursor, type WordLine } from './cursor'
import { readMonthDate, readSuffix } from './dates'
import { readOneDay } from './days'
import { isForeign, isForeignDay, type Lexicon, type WordKind } from './lexicon'
import { atEnd, readCodes, readOften, readRun, readUnclearEvery } from './periods'
import type { FoundPhrase } from './phrases'

/**
 * What is left of a text beside what was understood. One rule: nothing is set if words of time touch a phrase that
 * counts, with or without links such as `and`, `of` or `before` between them, since they say which day is meant, or that
 * it is not. Words of time that touch nothing only get a warning, and only behind a link: `after lunch`, not `lunch`.
 */

/** Finds what touches one of the phrases that count, and what touches none. */
export function findLeftovers(
  line: WordLine,
  moment: Moment,
  found: readonly FoundPhrase[],
  { accepted, chosen }: { readonly accepted: Accepted; readonly chosen: Chosen },
): Leftover[] {
  const [only] = chosen.kinds.keys()
  const isRule = chosen.repeat !== null
  const beside = [...chosen.kinds.keys()].flatMap((one) => new Beside(line, moment, one, accepted.taken, isRule).find())
  const often = found.flatMap((phrase) => (accepted.taken(phrase.start) ? [] : otherRule(phrase, chosen)))
  // `abends um 8` may be every evening.
  const isHabit = only && chosen.kinds.size === 1 && line.hit(only.start, 'part_adverb')
  const habit = isHabit ? [{ code: 'not_understood', start: only.start, end: only.end, breaks: true } as const] : []
  return [...beside, ...habit, ...often, ...findLoose(line, moment, found, chosen)]
}

/** Returns the word that says how often in `Biweekly sync Tuesdays`; `monthly report every week` is a title. */
function otherRule({ start, end, read }: FoundPhrase, { repeat }: Chosen): Leftover[] {
  if (read.kind !== 'repeat' || repeat === null) return []
  const { unsupported, freq, interval } = read.repeat
  if (!unsupported && (freq !== repeat.freq || interval === repeat.interval)) return []
  return [{ code: 'unsupported_recurrence', start, end, breaks: true }]
}

/** Words for a day: beside a time of day alone, they say which day it is of. */
const DAY_WORDS: readonly WordKind[] = ['weekday', 'weekdays', 'weekday_part', 'day', 'holiday', 'feast']

/** Finds the day, which was not read, that a time of day alone is of: `Brunch Ostermontag 11 Uhr`, `le 16 plutôt vers 18h`. */
export function findUnreadDay(
  line: WordLine,
  found: readonly FoundPhrase[],
  time: FoundPhrase,
): Pick<Leftover, 'start' | 'end'> | null {
  const taken = (at: number) => at >= time.start && at < time.end
  const isDay = ({ start, read }: FoundPhrase) =>
    !taken(start) && read.kind === 'day' && (line.lexicon.articleDays || read.day.place === 'whole')
  const day = found.find(isDay)
  if (day) return day
  const at = line.tokens.findIndex((_, i) => !taken(i) && DAY_WORDS.some((kind) => line.hit(i, kind)))
  return at < 0 ? null : { start: at, end: at + 1 }
}

/**
 * Finds what may say which day a time of day is of that has no day in the text; null if there is nothing like it.
 * @param only the one token that is looked at; null: all
 */
export function findStranger(
  line: WordLine,
  { start, end }: FoundPhrase,
  others: readonly Lexicon[],
  only: number | null = null,
): Pick<Leftover, 'start' | 'end'> | null {
  const at = line.tokens.findIndex(({ kind, key }, i) => {
    if (kind !== 'word' || line.knows(i) || (only !== null && i !== only)) return false
    const place = { touches: i === start - 1 || i === end, numbered: line.tokens[i - 1]?.kind === 'number' }
    return isForeign(line.raw(i), key, place, { own: line.lexicon, others })
  })
  return at < 0 ? null : { start: Math.min(at, start), end: Math.max(at + 1, end) }
}

/** Finds a day or a month of a language that is not read: `12 maggio`. */
export function findForeignDay(line: WordLine): Pick<Leftover, 'start' | 'end'> | null {
  const at = line.tokens.findIndex(({ kind }, i) => {
    return kind === 'word' && !line.knows(i) && isForeignDay(line.raw(i), false, line.tokens[i - 1]?.kind === 'number')
  })
  return at < 0 ? null : { start: at, end: at + 1 }
}

/** Finds words of time outside of all phrases that are hardly anything else. */
function findLoose(line: WordLine, moment: Moment, found: readonly FoundPhrase[], { kinds }: Chosen): Leftover[] {
  const tokensOf = (phrases: readonly FoundPhrase[]) =>
    new Set(phrases.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)))
  const [inside, counts] = [tokensOf(found), tokensOf([...kinds.keys()])]
  const all: Leftover[] = []
  for (let at = 0; at < line.tokens.length; at++) {
    const known = line.knows(at) || line.tokens[at]?.kind === 'number'
    const loose = inside.has(at) || !known || !line.startsClean(at) ? null : readLoose(new WordCursor(line, moment, at))
    if (!loose) continue
    if (Array.from({ length: loose.end - at }, (_, i) => at + i).some((one) => counts.has(one))) continue
    all.push(loose)
    at = loose.end - 1
  }
  return all
}

/** Reads `13./14. März`, `13th/14th march`. */
function readPair(c: WordCursor): true | null {
  if (c.digits(2) === null) return null
  readSuffix(c)
  return c.sign('/&', { glued: true }) && readMonthDate(c) ? true : null
}

/** Reads `after friday`, `except friday`, `no earlier than friday`. */
function readTurned(c: WordCursor): true | null {
  if (!(c.has('after') || c.has('except') || c.has('near'))) return null
  c.has('by')
  return readOneDay(c) ? true : null
}

function readLoose(c: WordCursor): Leftover | null {
  const start = c.at
  const not = (code: Leftover['code'], breaks: boolean): Leftover | null =>
    c.clean ? { code, start, end: c.at, breaks } : null
  if (c.attempt(() => readUnclearEvery(c))) return not('not_understood', true)
  if (c.attempt(() => readOften(c))) return not('unsupported_recurrence', true)
  if (c.attempt(() => readTurned(c))) return not('not_understood', false)
  if (c.attempt(() => readPair(c))) return not('not_understood', true)
  if (c.attempt(() => readCodes(c))) return not('not_understood', true)
  const owned = isBefore(c.line, start, ['of', 'from', 'not_due'])
  const titled = !c.lexicon.articleDays && isBefore(c.line, start, ['article', 'no_day'])
  if (owned) return null
  if (c.attempt(() => (c.has('past') && c.has('weekday') ? true : null)))
    return titled || !atEnd(c) ? null : not('past_date', false)
  return readRun(c) ? not('not_understood', false) : null
}
