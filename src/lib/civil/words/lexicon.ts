import { tokenise } from './tokens'

/** The words of a language in tables. The grammar only knows their kinds. */

export type WordKind =
  /** 0 Monday to 6 Sunday; `shaky` for abbreviations that are words of their own (`sun`, `mar`). */
  | 'weekday'
  | 'shaky'
  /** Two letters that are a weekday only beside a slash: `tu/th`. */
  | 'day_code'
  /** What takes back a day that was said before: `no wait`. */
  | 'correction'
  /** `mondays`, `montags`: every Monday. */
  | 'weekdays'
  | 'month'
  | 'unit'
  | 'number'
  /** 1 the first; -1 the last. */
  | 'ordinal'
  /** After an ordinal: counted from the end, as in `4th last`. */
  | 'from_end'
  /** What makes an ordinal of digits: `st`, `er`. */
  | 'suffix'
  /** Days from today. */
  | 'day'
  /** The same, for what is a name as often: `tom`. */
  | 'shaky_day'
  /** A weekday and a part of the day in one word: 1440 times the weekday and minutes. */
  | 'weekday_part'
  /** Minutes after midnight of `morning`; `parts` of `mornings`, `today_part` of `tonight`. */
  | 'part'
  | 'parts'
  /** Before a weekday: it may be every one, as in `le lundi`. */
  | 'habit'
  /** A part of the day that is said of nothing else: `nachmittags`. */
  | 'part_adverb'
  | 'today_part'
  /** What comes before a part of the day: `in the`. */
  | 'part_lead'
  /** Before a day: in its morning, as in `first thing tomorrow`. */
  | 'first_thing'
  /** Minutes after midnight of noon and midnight. */
  | 'clock'
  /** 0 am, 12 pm. */
  | 'half'
  | 'oclock'
  /** Minutes to add to the hour before it (`et demie`), or the hour after it (`halb`: -30). */
  | 'past_hour'
  | 'to_hour'
  /** Between minutes and an hour: 1 `minutes past`, -1 `minutes to`. */
  | 'minutes_to'
  /** Behind an hour, before its minutes: -1 in `8 heures moins dix`, 1 in `las 8 y diez`. */
  | 'minutes_lead'
  /** Before or after the name of a city or a country whose clock is meant: `heure de Paris`, `London time`. */
  | 'zone_lead'
  | 'zone_tail'
  /** 2 if four digits behind it are a time: `at 1730`. */
  | 'at'
  | 'next'
  | 'coming'
  /** `übernächste`, and behind what it belongs to `after next`. */
  | 'after_next'
  | 'this'
  | 'past'
  | 'article'
  | 'of'
  | 'in'
  | 'from_now'
  /** Before a day: days from it, -1 for `la veille de`. */
  | 'day_beside'
  /** Behind a weekday: days to add to it, as in `lundi en huit`. */
  | 'days_later'
  | 'ago'
  | 'ago_lead'
  /** Before a day that is due: `on`, `by`. */
  | 'by'
  /** Before the days of a rule: `every month on the 5th`. */
  | 'on'
  | 'due'
  | 'until'
  | 'starting'
  | 'from'
  | 'to'
  | 'and'
  | 'or'
  | 'between'
  | 'after'
  | 'before'
  | 'for'
  /** Behind a length: `10 Tage lang`. */
  | 'long'
  | 'every'
  | 'other'
  /** Beside weekdays: every other one, as in `alternate mondays`. */
  | 'alternate'
  /** In `un lundi sur deux`. */
  | 'out_of'
  /** `daily`: the frequency and the interval, e.g. `WEEKLY 2`. */
  | 'adverb'
  /** The same as an adjective, which is one only beside a day or a time: `mensuel`. */
  | 'frequency'
  /** Behind a weekday or a unit: one of two, as in `un lunes sí y otro no`. */
  | 'yes_no'
  | 'after_completion'
  | 'times'
  /** `twice`: no rule expresses it. */
  | 'often'
  /** `same time`: a time that is not in the text. */
  | 'same_time'
  /** `not` before a preposition. */
  | 'not'
  /** `around` before a time; 2 for words that are one only before a time at the end: `about`. */
  | 'around'
  /** Beside a day or a time that is not meant as it is read: `frühestens`, `shortly before`. */
  | 'near'
  /** The same if it is changed only a little: `late friday`. */
  | 'loosely'
  /** A number that is not given: `a few`. */
  | 'some'
  /** Before a day that is not given: `sometime`. */
  | 'sometime'
  /** Between a count and a unit: `twice a week`. */
  | 'per'
  /** Directly behind an hour: `5ish`. */
  | 'ish'
  /** Behind a day or a time, which they do not change: `at the latest`; behind a time alone: `sharp`. */
  | 'tail'
  | 'time_tail'
  /** Before a number that is no date: `version`. */
  | 'version'
  /** What puts something off: `move` in `move the call from monday to friday`. */
  | 'moving'
  /** Before what is no due date but a condition; 0 if it is none after all: `if possible`. */
  | 'if'
  | 'remind'
  /** `remind me to`: the task rings when it is due. */
  | 'remind_to'
  /** Behind the time that is between them: the `to` of `remind me tomorrow at 9 to call Ann`. */
  | 'remind_what'
  | 'end'
  /** Not read: neither the end nor the middle. */
  | 'late'
  | 'middle'
  | 'begin'
  /** A whole phrase for the end of a unit: `eom`. */
  | 'end_unit'
  /** Behind a unit: `every month end`. */
  | 'unit_end'
  /** Month and day of the year as one number: 1225. */
  | 'holiday'
  /** What a person follows, who may be called like a month: `with April`. */
  | 'with'
  /** What a weekday is part of the name of: `black`. */
  | 'name'
  /** Names of days that are not read: `mardi gras`. */
  | 'proper'
  /** What makes a day no due date: `since`, `than`. */
  | 'not_due'
  | 'except'
  /** Words that no day follows: `the`, `my`. */
  | 'no_day'
  /** A time that is no date: `summer`, `dinner`. */
  | 'vague'
  /** A day of no fixed date that is not read: `Ostermontag`, `Thanksgiving`. */
  | 'feast'
  /** Before the number of a week: `KW`. */
  | 'week_number'
  /** The same of a quarter: `Q`. */
  | 'quarter_number'
  /** What comes again at no fixed time: `full moon`. */
  | 'occasion'
  /** A unit with the days that it has: `month's` in `every month's first monday`. */
  | 'unit_of'

export type WordValue = string | number

/** A kind, a value and the words that have both, between bars; a word may have several kinds. */
export type WordEntry = readonly [kind: WordKind, value: WordValue, words: string]

/**
 * The words of each kind, between bars. Those of another value are behind `;`, and its value is before `=`; without one it
 * is one more than that of the words before, and 1 at first.
 */
export type Words = Readonly<Partial<Record<WordKind, string>>>

export function entriesOfKinds(words: Words): WordEntry[] {
  return Object.entries(words).flatMap(([kind, text]) => {
    let value: WordValue = 0
    return text.split(/;\s+/).map((item): WordEntry => {
      const [forms = '', named] = item.split('=').toReversed()
      value = named === undefined ? Number(value) + 1 : Number.isNaN(Number(named)) ? named : Number(named)
      return [kind as WordKind, value, forms]
    })
  })
}

/** Makes the numbers from 20 to 59: the tens, and with each of the ones as the language writes both. */
export function tens(names: string, ones: string, join: (ten: string, one: string) => string): WordEntry[] {
  return names
    .split(' ')
    .flatMap((ten, i): WordEntry[] => [
      ['number', 20 + 10 * i, ten],
      ...ones.split(' ').map((one, j): WordEntry => ['number', 21 + 10 * i + j, join(ten, one)]),
    ])
}

export interface WordTable {
  /** Whether nouns begin with a capital: then capitals say nothing. */
  readonly capitals: boolean
  /** Whether weekdays begin with a capital. */
  readonly capitalWeekdays: boolean
  /** Whether `at 9` is nine in the morning. */
  readonly clock24: boolean
  /** The order of day and month in `03/04`; null if the language is written in both. */
  readonly dateOrder: 'dmy' | null
  /** Whether `next friday` is that of next week; else it is the first one to come. */
  readonly nextIsNextWeek: boolean
  /** Whether `5.` is the fifth. */
  readonly dotOrdinals: boolean
  /** Whether `the 3` is the third: `le 3`, `el 3`. */
  readonly articleDays: boolean
  readonly entries: readonly WordEntry[]
}

/** How French and Spanish write. */
export const ROMANCE = {
  ...({ capitals: false, capitalWeekdays: false, clock24: true, dateOrder: 'dmy' } as const),
  ...({ nextIsNextWeek: false, dotOrdinals: false, articleDays: true } as const),
}

/** One or more words, and their kinds. */
export interface Phrase {
  readonly keys: readonly string[]
  /** Whether a space is before each key; ignored for the first. */
  readonly gaps: readonly boolean[]
  readonly kinds: Map<WordKind, WordValue>
}

export interface Lexicon extends Omit<WordTable, 'entries'> {
  /** By their first key, the longest first. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>
}

export function compileWords({ entries, ...flags }: WordTable): Lexicon {
  const known = new Map<string, Phrase>()
  for (const [kind, value, words] of entries) {
    for (const spelled of words.split(/\|\s*/)) {
      const tokens = tokenise(spelled)
      const keys = tokens.map(({ key }) => key)
      const id = tokens.map(({ key, gap }) => (gap ? ` ${key}` : key)).join('')
      const phrase = known.get(id) ?? { keys, gaps: tokens.map(({ gap }) => gap), kinds: new Map() }
      if (!phrase.kinds.has(kind)) phrase.kinds.set(kind, value)
      known.set(id, phrase)
    }
  }
  const phrases = Map.groupBy(known.values(), ({ keys }) => keys[0] ?? '')
  for (const list of phrases.values()) list.sort((a, b) => b.keys.length - a.keys.length)
  return { ...flags, phrases }
}

/** Languages beyond the four, of which only the names of days and months are known, from the runtime's own data. */
const LANGUAGES =
  'it pt nl pl sv da nb fi tr cs sk hu ro ca hr sl id ms et lv lt is vi sr-Latn ru uk bg el ja zh ko he ar'.split(' ')
/** Letters that one of the four languages is written with. */
const OWN_LETTERS = /^[a-zàâæçéèêëîïôœùûüÿáíóúñäöß'’]+$/
/** Words of those languages before a time of day: at, before, after, until. */
const BEFORE_TIME = new Set(
  'alle ore dalle dopo entro às ao das depois até om voor na tot vanaf o po w u v ve kl klo klockan kello på efter etter før innan saat ora orele jam pukul ob lúc'.split(
    ' ',
  ),
)
/** Words of those languages for every, today and this, which their names of days do not hold. */
const BESIDE_DAY = new Set(
  'volgende prossima prossimo nästa næste neste przyszły hafta haftaya vecka settimana tydzień ogni stasera stamattina toda elke iedere vanavond co varje imorgon ikväll hver joka minden fiecare setiap'.split(
    ' ',
  ),
)
/** Names of days and months that are ordinary words in one of the four. */
const ORDINARY = new Set('out set man mag sie tor son sal per sen eilen maja mars'.split(' '))

const known: { long?: ReadonlySet<string>; short?: ReadonlySet<string> } = {}

/** The names in lower case, made when a text first asks for them: 20 ms for each style on a slow machine. */
function dayNames(style: 'long' | 'short'): ReadonlySet<string> {
  known[style] ??= new Set(LANGUAGES.flatMap((language) => namesOf(language, style)))
  return known[style]
}

function namesOf(language: string, style: 'long' | 'short'): string[] {
  const date = new Intl.DateTimeFormat(language, { weekday: style, month: style, day: 'numeric', timeZone: 'UTC' })
  // The firsts of the months of 2026 are on all weekdays.
  const parts = Array.from({ length: 12 }, (_, month) => date.formatToParts(Date.UTC(2026, month))).flat()
  const names = parts.flatMap(({ type, value }) => (type === 'weekday' || type === 'month' ? [value] : []))
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  return [...names, ...[-1, 0, 1, 2].map((day) => relative.format(day, 'day'))]
    .flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{M}]+/u))
    .filter((name) => name.length > 1)
}

const DAY_KINDS: readonly WordKind[] = ['weekday', 'weekdays', 'weekday_part', 'day', 'today_part', 'every']
const LEAD_KINDS: readonly WordKind[] = ['at', 'by', 'after', 'before', 'until', 'around', 'shaky']

/**
 * Returns whether a word may say which day a time of day is of, though the language of the line does not know it: a word
 * in another script or alphabet, a day or a month of another language, or a day with a typing error.
 * @param key the word without accents, which `own` does not know
 * @param place whether it is directly beside the time, and whether a number is before it
 */
export function isForeign(
  raw: string,
  key: string,
  { touches, numbered }: { touches: boolean; numbered: boolean },
  { own, others }: { own: Lexicon; others: readonly Lexicon[] },
): boolean {
  const word = raw.toLowerCase()
  if (!OWN_LETTERS.test(word) || BESIDE_DAY.has(word)) return true
  if (isForeignDay(raw, touches, numbered)) return true
  if (touches && BEFORE_TIME.has(word)) return true
  const kinds = touches ? [...DAY_KINDS, ...LEAD_KINDS] : DAY_KINDS
  const isOther = others.some(({ phrases }) =>
    phrases.get(key)?.some((phrase) => phrase.keys.length === 1 && kinds.some((kind) => phrase.kinds.has(kind))),
  )
  return isOther || isMistyped(key, own, touches ? MIN_MISTYPED - 1 : MIN_MISTYPED) || (touches && isCutOff(key, own))
}

/** Returns whether a word is the name of a day or a month in a language that is not read. */
export function isForeignDay(raw: string, touches: boolean, numbered: boolean): boolean {
  const word = raw.toLowerCase()
  // Words of up to three letters have other meanings, too.
  const isLong = word.length > 3 || !/^[a-z]+$/.test(word)
  const isDay = isLong || (touches && word === raw) ? dayNames('long').has(word) : false
  return (isDay || (touches && word === raw && dayNames('short').has(word))) && (numbered || !ORDINARY.has(word))
}

/** Shorter words are one letter away from too many others. */
const MIN_MISTYPED = 6

function isMistyped(key: string, { phrases }: Lexicon, shortest: number): boolean {
  if (key.length < shortest - 1) return false
  for (const [day, found] of phrases) {
    if (day.length < shortest || !(isOneAway(key, day) || isShortened(key, day))) continue
    if (found.some(({ kinds }) => kinds.has('weekday') || kinds.has('day'))) return true
  }
  return false
}

/** Returns whether it is the beginning of a weekday: `vend`. */
function isCutOff(key: string, { phrases }: Lexicon): boolean {
  const isDay = (day: string) => phrases.get(day)?.some(({ kinds }) => kinds.has('weekday')) === true
  return key.length > 2 && [...phrases.keys()].some((day) => day.startsWith(key) && isDay(day))
}

/** Returns whether letters in the middle are wrong: `wensday`. */
function isShortened(typed: string, meant: string): boolean {
  const isNear = typed.length >= MIN_MISTYPED && Math.abs(typed.length - meant.length) <= 2
  return isNear && typed.slice(0, 2) === meant.slice(0, 2) && typed.slice(-3) === meant.slice(-3)
}

/** Returns whether one letter is missing, too many, another, or changes places with the next. */
function isOneAway(typed: string, meant: string): boolean {
  if (Math.abs(typed.length - meant.length) > 1) return false
  let at = 0
  while (at < typed.length && typed[at] === meant[at]) at += 1
  const rest = [typed.slice(at), meant.slice(at)] as const
  const [left, right] = rest
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2)
  return left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1) || isSwapped
}
