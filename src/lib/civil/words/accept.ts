import { isBefore, type Moment, WordCursor, type WordLine } from './cursor'
import { readMonthDate, readSuffix } from './dates'
import { readOneDay } from './days'
import { Beside, type Leftover } from './leftovers'
import { isForeign, isForeignDay, type Lexicon, type WordKind } from './lexicon'
import { atEnd, readCodes, readOften, readRun, readUnclearEvery } from './periods'
import type { Behind, FoundPhrase, PhraseRead } from './phrases'
import type { RepeatRead } from './repeats'

const TITLE_CASE = /^\p{Lu}[\p{Ll}\p{M}'’]+$/u

/**
 * Returns whether words that could be a day belong to a name: `Black Friday`, or a run of capitalised words such as
 * `Friday Night Lights`, `Ruby Tuesday`, `Read Every Day by Levithan`. After a preposition or next to a time they are a
 * day.
 */
function isName(line: WordLine, phrase: FoundPhrase, behind: Behind): boolean {
  const { read, start, end } = phrase
  const followed = behind === 'phrase'
  if (read.kind !== 'day' && read.kind !== 'repeat') return false
  if (read.kind === 'day' && isBefore(line, start, ['name'])) return true
  if (followed || (read.kind === 'day' && read.led) || !inCapitals(line, start, end)) return false
  // Where nobody names the language, the `Morgen` in `Email Morgen` may be a name.
  if (line.isTold && start > 0 && end - start === 1 && line.hit(start, 'day')) return true
  if (line.lexicon.capitals) return false
  const before = neighbour(line, start - 1, start)
  const after = neighbour(line, end, end)
  const several = end - start > 1
  if (read.kind === 'repeat') return several && (after || (start > 0 && (before || line.tokens[start]?.gap === true)))
  if (!line.lexicon.capitalWeekdays && isMidWord(line, start, end)) return true
  if (read.day.weekday === null && !several) return after
  const single = !several && read.day.place === 'any'
  // `Dinner with Anna Saturday`, `Monday Call Ann`: phones write capitals.
  if (single && (start === 0 || (!after && behind === 'end'))) return false
  // The first word of a text begins with a capital anyway.
  return after || (before && (start > 1 || end === line.tokens.length))
}

/**
 * Returns whether a capitalised word is between words, or ends a text behind a word that has no capital: in French
 * `Lire Vendredi ou la Vie sauvage` and `regarder la série Mercredi` are names.
 */
function isMidWord(line: WordLine, start: number, end: number): boolean {
  if (end - start !== 1 || line.tokens[start - 1]?.kind !== 'word') return false
  return line.tokens[end]?.kind === 'word' || (end === line.tokens.length && !neighbour(line, start - 1, start))
}

/** Returns whether all words are capitalised, but not in capitals throughout. */
function inCapitals(line: WordLine, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = line.tokens[at]?.kind
    // `28 Days Later`
    if (kind === 'number' && at + 1 < end && line.hit(at + 1, 'unit')) continue
    if (kind !== 'word' || !TITLE_CASE.test(line.raw(at))) return false
  }
  return true
}

/** Returns whether the token at `at` is a capitalised word, separated by only a space. */
function neighbour(line: WordLine, at: number, gapBefore: number): boolean {
  const token = line.tokens[at]
  return token?.kind === 'word' && line.tokens[gapBefore]?.gap === true && TITLE_CASE.test(line.raw(at))
}

export interface Accepted {
  readonly phrases: readonly FoundPhrase[]
  /** Days such as `friday 13` that are followed by a word: they may be misunderstood, so no date is set. */
  readonly torn: readonly FoundPhrase[]
  /** Hours such as `at 16` that are followed by a word, which they may count. */
  readonly loose: readonly FoundPhrase[]
  /** Days such as `christmas` at the end, without the preposition that would make them due; `mondays` before a word. */
  readonly unled: readonly FoundPhrase[]
  /** Phrases that are parts of names. */
  readonly names: readonly FoundPhrase[]
  taken(at: number): boolean
  beside(phrase: FoundPhrase, side?: 'before'): boolean
}

const STOPS = ',.;:!?)]…'

/** Accepts the phrases that are certain, and the uncertain ones that are at the end or next to an accepted one. */
export function acceptPhrases(line: WordLine, found: readonly FoundPhrase[]): Accepted {
  const owners = new Map<number, FoundPhrase>()
  const own = (phrase: FoundPhrase) => {
    for (let at = phrase.start; at < phrase.end; at++) owners.set(at, phrase)
  }
  const disown = (phrase: FoundPhrase) => {
    for (let at = phrase.start; at < phrase.end; at++) owners.delete(at)
  }
  const taken = (at: number) => owners.has(at)
  const before = (phrase: FoundPhrase) => {
    let at = phrase.start - 1
    while (line.tokens[at]?.kind === 'covered' || line.tokens[at]?.key === ',') at -= 1
    return taken(at)
  }
  const counts = new Set(found.flatMap(({ start, read }) => (['count', 'time'].includes(read.kind) ? [start] : [])))
  // In `fridays twice`, `mittwochs um acht Chor` each is there for the other.
  const counted = (at: number) => taken(at) || counts.has(at)
  // `sat noon` likewise.
  const timed = (at: number) => taken(at) || (line.tokens[at - 1]?.kind === 'word' && line.hit(at, 'clock') !== null)
  const partners: Partial<Record<PhraseRead['kind'], (at: number) => boolean>> = { repeat: counted, day: timed }
  const places = {
    line,
    before,
    previous: ({ start }: FoundPhrase) => owners.get(start - 1),
    next: ({ end }: FoundPhrase) => owners.get(end),
    behind: (phrase: FoundPhrase) => behind(line, phrase.end, partners[phrase.read.kind] ?? taken),
  }
  let waiting = [...found]
  // From right to left, since most phrases depend on what follows; twice more for those that depend on what precedes.
  for (let round = 0; round < 3; round++) {
    for (const phrase of waiting.toReversed()) if (fits(phrase, places)) own(phrase)
    waiting = waiting.filter((phrase) => !taken(phrase.start))
  }
  const names = found.filter((phrase) => taken(phrase.start) && isName(line, phrase, places.behind(phrase)))
  for (const name of names) disown(name)
  const phrases = found.filter((phrase) => taken(phrase.start))
  const ring = findRing(line, taken)
  for (const part of ring) own(part)
  return {
    phrases: [...phrases, ...ring],
    torn: waiting.filter(({ read }) => read.kind === 'day' && read.day.place === 'whole'),
    unled: waiting.filter((phrase) => isHalfSaid(line, phrase, places.behind(phrase))),
    loose: waiting.filter(({ read }) => read.kind === 'time' && read.time.place === 'end'),
    names,
    taken,
    beside: (phrase, side) => before(phrase) || (side === undefined && places.behind(phrase) === 'phrase'),
  }
}

/** Returns whether it is hardly anything but a day, though nothing makes it due: `christmas`, `mondays` before a word. */
function isHalfSaid(line: WordLine, { read, start }: FoundPhrase, behind: Behind): boolean {
  const isOwned = isBefore(line, start, ['no_day', 'of', 'not_due', 'name'])
  if (read.kind === 'repeat') return line.hit(start, 'weekdays') !== null && !isOwned
  if (read.kind !== 'day' || behind !== 'end') return false
  // `am 5. und 20.`
  return read.day.place === 'end' ? isBefore(line, start, ['and', 'or']) : read.day.place === 'preposition' && !isOwned
}

/** Finds `remind me` and `to` around what was accepted: `remind me tomorrow at 9 to call Ann`. */
function findRing(line: WordLine, taken: (at: number) => boolean): FoundPhrase[] {
  const remind = taken(0) ? null : line.hit(0, 'remind')
  let at = remind?.end ?? 0
  while (taken(at)) at += 1
  const what = remind && at > remind.end ? line.hit(at, 'remind_what') : null
  if (!remind || !what || what.end === line.tokens.length) return []
  const read = { kind: 'ring', time: null } as const
  return [
    { start: 0, end: remind.end, read },
    { start: at, end: what.end, read: { ...read, link: true } },
  ]
}

interface Places {
  readonly line: WordLine
  /** The accepted phrases directly before and behind one. */
  previous(phrase: FoundPhrase): FoundPhrase | undefined
  next(phrase: FoundPhrase): FoundPhrase | undefined
  before(phrase: FoundPhrase): boolean
  behind(phrase: FoundPhrase): Behind
}

/** Returns what follows a token, ignoring covered text. */
function behind(line: WordLine, end: number, taken: (at: number) => boolean): Behind {
  let stop = false
  for (let at = end; ; at++) {
    const token = line.tokens[at]
    if (!token) return 'end'
    if (token.kind === 'covered') continue
    if (token.kind === 'sign' && STOPS.includes(token.key)) stop = true
    else if (taken(at)) return 'phrase'
    else if (line.hit(at, 'loosely') || (line.hit(at, 'remind_what') && line.hit(0, 'remind'))) return 'end'
    else return stop ? 'stop' : 'word'
  }
}

function fits(phrase: FoundPhrase, places: Places): boolean {
  const { read } = phrase
  const { line } = places
  if (read.kind === 'time') return fitsTime(phrase, read.time.place, places)
  if (read.kind === 'repeat') {
    if (read.repeat.place === 'any') return true
    if (read.repeat.place === 'beside')
      return [places.previous(phrase), places.next(phrase)].some((other) => isOften(line, read.repeat, other))
    return places.behind(phrase) !== 'word' && !isBefore(line, phrase.start, ['no_day'])
  }
  // `90m` is how long it takes only at the end, behind a time.
  if (read.kind === 'length' && read.bare)
    return places.previous(phrase)?.read.kind === 'time'
      ? places.behind(phrase) !== 'word'
      : isShort(line, phrase, places)
  if (read.kind === 'count') return places.before(phrase) || places.behind(phrase) === 'phrase'
  if (read.kind !== 'day' || read.day.place === 'any') return true
  const { led } = read
  if (read.day.place === 'preposition') return led
  const next = places.behind(phrase)
  if (next === 'phrase') return true
  const atEnd = next === 'end' && (led || !isBefore(line, phrase.start, ['no_day']))
  // `Ende des Monats Miete`; in English `end of month report` is a title.
  const atStart = phrase.start === 0 && read.day.weekday === null && line.lexicon.dateOrder !== null
  if (read.day.place === 'anchored') return led || atEnd || atStart
  if (read.day.place === 'whole' && phrase.start === 0 && line.lexicon.articleDays) return true
  return atEnd || (next === 'stop' && (phrase.start === 0 || led)) || (next !== 'word' && places.before(phrase))
}

/** Returns whether a length such as `90m`, written together, is before a day or a time. */
function isShort({ tokens }: WordLine, phrase: FoundPhrase, { next }: Places): boolean {
  const kind = next(phrase)?.read.kind
  return tokens[phrase.end - 1]?.gap === false && (kind === 'day' || kind === 'time')
}

/** Returns whether a day or a time may be that of a rule: `Loyer mensuel le 5`, but not `Entretien annuel mardi`. */
function isOften(line: WordLine, { freq, unsupported }: RepeatRead, phrase: FoundPhrase | undefined): boolean {
  const { read, start = 0 } = phrase ?? {}
  if (!read || line.hit(start, 'for') || line.hit(start, 'before')) return false
  if (read.kind === 'time') return freq === 'DAILY'
  if (read.kind !== 'day') return read.kind === 'repeat'
  if (unsupported) return true
  return freq === 'WEEKLY' ? read.day.weekday !== null : freq === 'MONTHLY' && read.day.place === 'end'
}

function fitsTime(phrase: FoundPhrase, place: 'any' | 'end' | 'beside', places: Places): boolean {
  if (place === 'any') return true
  const next = places.behind(phrase)
  if (next === 'phrase' || places.before(phrase)) return true
  return place === 'end' && next !== 'word'
}

/** The phrases that count, and the rule among them. */
interface Counting {
  readonly kinds: ReadonlyMap<FoundPhrase, unknown>
  readonly repeat: RepeatRead | null
}

/** Finds what touches one of the phrases that count, and what touches none. */
export function findLeftovers(
  line: WordLine,
  moment: Moment,
  found: readonly FoundPhrase[],
  { accepted, chosen }: { readonly accepted: Accepted; readonly chosen: Counting },
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
function otherRule({ start, end, read }: FoundPhrase, { repeat }: Counting): Leftover[] {
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
function findLoose(line: WordLine, moment: Moment, found: readonly FoundPhrase[], { kinds }: Counting): Leftover[] {
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
