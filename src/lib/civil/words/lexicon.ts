import { tokenise } from './tokens'

/** The words of a language in tables. The grammar only knows their kinds. */

export type WordKind =
  /** 0 Monday to 6 Sunday; `shaky` for abbreviations that are words of their own (`sun`, `mar`). */
  | 'weekday'
  | 'shaky'
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
  | 'every'
  | 'other'
  /** In `un lundi sur deux`. */
  | 'out_of'
  /** `daily`: the frequency and the interval, e.g. `WEEKLY 2`. */
  | 'adverb'
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

/** Makes entries of words between commas: their values follow each other from `first` on. */
export function series(kind: WordKind, first: number, words: string): WordEntry[] {
  return words.split(', ').map((word, i) => [kind, first + i, word])
}

export interface WordTable {
  /** Whether nouns begin with a capital: then capitals say nothing. */
  readonly capitals: boolean
  /** Whether weekdays begin with a capital. */
  readonly capitalWeekdays: boolean
  /** Whether `at 9` is nine in the morning. */
  readonly clock24: boolean
  /** Whether `next friday` is that of next week; else it is the first one to come. */
  readonly nextIsNextWeek: boolean
  /** Whether `5.` is the fifth. */
  readonly dotOrdinals: boolean
  /** Whether `the 3` is the third: `le 3`, `el 3`. */
  readonly articleDays: boolean
  readonly entries: readonly WordEntry[]
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
    for (const spelled of words.split('|')) {
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
