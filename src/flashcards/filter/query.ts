import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { readCivilDate, requireLength } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { titleKey } from '../../lib/text'
import { type Query, readTree, type Tree } from '../../search/query'
import { type Comparison, type QueryToken, readStars, readTokens } from '../../search/tokens'
import { factTagKey } from '../facts/fact'

/**
 * The query of lists of cards and facts, with the words, signs and brackets of the search over everything:
 *
 *     lapses>3 tag:verb -is:suspended (deck:French OR state:new) "some text"
 *
 * Words are found by the search. An operator without a value is a word. Of Anki's fields, `prop:`, `added:` and `rated:`
 * are read, and the others are refused: as text they would silently match nothing.
 */

/** The longest query, in code points. */
const MAX_QUERY_CHARS = 200
/** Bare words, phrases and operators of a query. */
const MAX_PARTS = 32

const NUMBER_COLUMNS = {
  lapses: 'lapses',
  reps: 'reps',
  stability: 'stability',
  difficulty: 'difficulty',
  interval: 'scheduled_days',
  flag: 'flag',
} as const
const STATES = ['new', 'learning', 'review', 'relearning'] as const
const IS = ['due', 'suspended', 'leech', 'buried', ...STATES] as const
/** The names that `prop:` has for fields. */
const PROPERTIES: Readonly<Record<string, string>> = {
  ...{ ivl: 'interval', s: 'stability', d: 'difficulty' },
  ...{ due: 'due', reps: 'reps', lapses: 'lapses' },
}
/** Fields of Anki's search that cannot be read here. */
const REFUSED = [
  'card',
  'cid',
  'did',
  'dupe',
  'edited',
  'introduced',
  'mid',
  'nc',
  'nid',
  'note',
  'preset',
  're',
  'resched',
  'w',
]
const VALUED = ['state', 'is', 'deck', 'tag', 'prop', 'added', 'rated', ...REFUSED]
const FIELDS = [...Object.keys(NUMBER_COLUMNS), 'due', ...VALUED]

/** @template Words what words are: a query of the search, or the facts that it found */
export type CardQuery<Words extends { readonly kind: string } = FoundFacts> = Tree<
  | CardCondition
  /** Folded. */
  | { readonly kind: 'tag'; readonly text: string }
  /** A path of folded names, which any deck of that path fits. */
  | { readonly kind: 'deck'; readonly path: readonly string[] }
  | Words
>

/** Words of a query that are joined by AND. */
interface SoughtWords {
  readonly kind: 'words'
  readonly words: Query
}

interface FoundFacts {
  readonly kind: 'facts'
  readonly keys: readonly number[]
}

export type CardCondition =
  | {
      readonly kind: 'number'
      readonly column: (typeof NUMBER_COLUMNS)[keyof typeof NUMBER_COLUMNS]
      readonly comparison: Comparison
      readonly value: number
    }
  /** Due in this time; null: no limit. `from` is within it, `until` is not. */
  | { readonly kind: 'due'; readonly from: StudyDayStart | null; readonly until: StudyDayStart | null }
  | { readonly kind: 'is'; readonly what: (typeof IS)[number]; readonly tomorrow: StudyDayStart }
  | { readonly kind: 'added'; readonly from: StudyDayStart }
  /** Answered since a study day; `rating` null: with any. */
  | { readonly kind: 'rated'; readonly from: StudyDayStart; readonly rating: number | null }

/** A study day (whole days since 1970-01-01), and the instant at which it begins (milliseconds since 1970). */
interface StudyDayStart {
  readonly day: number
  readonly at: number
}

/** Today, as a study day, and how to find where days begin. */
interface StudyDays {
  readonly today: number
  readonly start: (day: number) => StudyDayStart
}

/**
 * Reads a query.
 * @throws ApiError invalid_request at /q
 */
export function readCardQuery(q: string, days: StudyDays): CardQuery<SoughtWords> {
  requireLength(q, MAX_QUERY_CHARS, '/q')
  if (titleKey(q) === '') throw invalid('/q', 'too_short', 'q must not be blank')
  const tokens = readTokens(q, (name, hasColon) => FIELDS.includes(name) && (hasColon || takesNumber(name)))
  if (tokens.filter(({ kind }) => kind === 'value').length > MAX_PARTS)
    throw invalid('/q', 'too_long', `q must have at most ${MAX_PARTS} parts`)
  // A query of signs alone, such as `(`, is text.
  return tokens.length === 0 ? toWords(q, false) : joinWords(readTree(tokens, (token) => readPart(token, days)))
}

function toWords(text: string, quoted: boolean): SoughtWords {
  const read = quoted ? ({ text, match: 'whole' } as const) : readStars(text)
  return { kind: 'words', words: { kind: 'text', field: null, ...read, quoted } }
}

/** Joins the words among parts that must all hold, so that they are one search. */
function joinWords(query: CardQuery<SoughtWords>): CardQuery<SoughtWords> {
  if (query.kind === 'not') return { kind: 'not', part: joinWords(query.part) }
  if (!('parts' in query)) return query
  const parts = query.parts.map(joinWords)
  const words = parts.flatMap((part) => (part.kind === 'words' ? [part.words] : []))
  if (query.kind === 'or' || words.length < 2) return { kind: query.kind, parts }
  const others = parts.filter(({ kind }) => kind !== 'words')
  return { kind: 'and', parts: [...others, { kind: 'words', words: { kind: 'and', parts: words } }] }
}

/** Finds the keys of the facts that hold all words of a query. */
export type FindFacts = (session: Session, words: Query, pointer: string) => Promise<readonly number[]>

/** Replaces the words of a query by the facts that hold them. */
export async function findWords(
  query: CardQuery<SoughtWords>,
  find: (words: Query) => Promise<readonly number[]>,
): Promise<CardQuery> {
  if (query.kind === 'words') return { kind: 'facts', keys: await find(query.words) }
  if (query.kind === 'not') return { kind: 'not', part: await findWords(query.part, find) }
  if (!('parts' in query)) return query
  const parts: CardQuery[] = []
  for (const part of query.parts) parts.push(await findWords(part, find))
  return { kind: query.kind, parts }
}

/** Whether a part of the query is a condition on cards, so that facts are found by their cards. */
export function asksForCards(query: CardQuery): boolean {
  if ('parts' in query) return query.parts.some(asksForCards)
  return query.kind === 'not' ? asksForCards(query.part) : !['facts', 'tag', 'deck'].includes(query.kind)
}

function takesNumber(name: string): boolean {
  return name === 'due' || Object.hasOwn(NUMBER_COLUMNS, name)
}

function readPart({ prefix, text, quoted }: QueryToken, days: StudyDays): CardQuery<SoughtWords> {
  if (!prefix) return toWords(text, quoted)
  const { name, comparison } = prefix
  if (Object.hasOwn(NUMBER_COLUMNS, name)) {
    const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null
    if (value === null) throw invalid('/q', 'invalid_value', `${name} takes a number, such as ${name}>3`)
    return { kind: 'number', column: NUMBER_COLUMNS[name as keyof typeof NUMBER_COLUMNS], comparison, value }
  }
  if (name === 'due') return dueWithin(comparison, readDueDay(text, days.today), days)
  if (comparison !== '=') throw invalid('/q', 'invalid_value', `${name} takes a value after a colon`)
  if (name === 'prop') return readProperty(text, days)
  if (name === 'added') return { kind: 'added', from: days.start(days.today + 1 - readDays(name, text)) }
  if (name === 'rated') return readRated(text, days)
  if (name === 'is' || name === 'state') {
    const known = name === 'is' ? IS : STATES
    const what = known.find((one) => one === text.toLowerCase())
    if (!what) throw invalid('/q', 'invalid_value', `${name}: takes ${known.join(', ')}`)
    return { kind: 'is', what, tomorrow: days.start(days.today + 1) }
  }
  if (name === 'tag') return { kind: 'tag', text: factTagKey(text) }
  if (name === 'deck') return { kind: 'deck', path: text.split('::').map(titleKey) }
  throw invalid('/q', 'invalid_value', `${name}: is not known here; put it in quotes to search for it as text`)
}

/** Reads the property of `prop:ivl>=10` as the field `interval>=10`. */
function readProperty(property: string, days: StudyDays): CardQuery<SoughtWords> {
  const [, known = '', sign = '', text = ''] = /^(\w+)(<=|>=|<|>|=)(.+)$/.exec(property) ?? []
  const name = Object.hasOwn(PROPERTIES, known) ? PROPERTIES[known] : undefined
  if (name === undefined)
    throw invalid('/q', 'invalid_value', `prop: takes ${Object.keys(PROPERTIES).join(', ')}, such as prop:ivl>=10`)
  const prefix = { name, comparison: sign as Comparison }
  return readPart({ kind: 'value', at: 0, negated: false, quoted: false, prefix, text }, days)
}

/** Reads `rated:7` (answered in the last seven days) and `rated:7:1` (with this button). */
function readRated(text: string, days: StudyDays): CardCondition {
  const [, count = text, rating = null] = /^(\d+)(?::([1-4]))?$/.exec(text) ?? []
  const from = days.start(days.today + 1 - readDays('rated', count))
  return { kind: 'rated', from, rating: rating === null ? null : Number(rating) }
}

function readDays(name: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw invalid('/q', 'invalid_value', `${name}: takes a number of days, such as ${name}:7`)
  return Number(text)
}

/** Reads the day of `due<=7` (days from today), `due:today` or `due<2026-03-01`. */
function readDueDay(text: string, today: number): number {
  if (text === 'today') return today
  if (/^-?\d{1,5}$/.test(text)) return today + Number(text)
  return toDay(readCivilDate(text, '/q'))
}

function dueWithin(comparison: Comparison, day: number, { start }: StudyDays): CardCondition {
  const [from, until] = {
    '=': [day, day + 1],
    '<': [null, day],
    '<=': [null, day + 1],
    '>': [day + 1, null],
    '>=': [day, null],
  }[comparison] as [number | null, number | null]
  return { kind: 'due', from: from === null ? null : start(from), until: until === null ? null : start(until) }
}
