import { invalid } from '../../http/api-error'
import { readCivilDate, requireLength } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { titleKey } from '../../lib/text'
import { type Comparison, isKeyword, type QueryToken, readTokens, startsOperand, startsPart } from '../../search/tokens'
import { factTagKey } from '../facts/fact'

/**
 * The query of lists of cards and facts, with the words, signs and brackets of the search over everything:
 *
 *     lapses>3 tag:verb -is:suspended (deck:French OR state:new) "some text"
 *
 * Words are looked for in the texts of the fact. An operator without a value is a word.
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
const FIELDS = [...Object.keys(NUMBER_COLUMNS), 'due', 'state', 'is', 'deck', 'tag']

export type CardQuery =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly CardQuery[] }
  | { readonly kind: 'not'; readonly part: CardQuery }
  | CardCondition
  /** `text` is folded; `deck` is a path of folded names, which any deck of that path fits. */
  | { readonly kind: 'text' | 'tag'; readonly text: string }
  | { readonly kind: 'deck'; readonly path: readonly string[] }

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
export function readCardQuery(q: string, days: StudyDays): CardQuery {
  requireLength(q, MAX_QUERY_CHARS, '/q')
  if (titleKey(q) === '') throw invalid('/q', 'too_short', 'q must not be blank')
  const tokens = readTokens(q, (name, hasColon) => FIELDS.includes(name) && (hasColon || takesNumber(name)))
  if (tokens.filter(({ kind }) => kind === 'value').length > MAX_PARTS)
    throw invalid('/q', 'too_long', `q must have at most ${MAX_PARTS} parts`)
  // A query of signs alone, such as `(`, is text.
  return tokens.length === 0 ? { kind: 'text', text: titleKey(q) } : readGroup(tokens, { at: 0 }, days)
}

/** Whether a part of the query is a condition on cards, so that facts are found by their cards. */
export function asksForCards(query: CardQuery): boolean {
  if ('parts' in query) return query.parts.some(asksForCards)
  return query.kind === 'not' ? asksForCards(query.part) : !['text', 'tag', 'deck'].includes(query.kind)
}

function takesNumber(name: string): boolean {
  return name === 'due' || Object.hasOwn(NUMBER_COLUMNS, name)
}

/** Reads up to the end, or the bracket that closes. Brackets nest at most as deep as tokens allow. */
function readGroup(tokens: readonly QueryToken[], from: { at: number }, days: StudyDays): CardQuery {
  const alternatives: CardQuery[][] = [[]]
  let not = false
  for (; from.at < tokens.length; from.at += 1) {
    const token = tokens[from.at] as QueryToken
    const isAfterPart = (alternatives.at(-1)?.length ?? 0) > 0
    if (token.kind === 'close') break
    if (isKeyword(token, 'NOT') && startsOperand(tokens[from.at + 1])) not = !not
    else if (isKeyword(token, 'OR', 'AND') && isAfterPart && startsPart(tokens, from.at + 1)) {
      if (token.text === 'OR') alternatives.push([])
    } else {
      from.at += token.kind === 'open' ? 1 : 0
      const part = token.kind === 'open' ? readGroup(tokens, from, days) : readPart(token, days)
      alternatives.at(-1)?.push(token.negated === not ? part : { kind: 'not', part })
      not = false
    }
  }
  return { kind: 'or', parts: alternatives.map((parts) => ({ kind: 'and', parts })) }
}

function readPart({ prefix, text }: QueryToken, days: StudyDays): CardQuery {
  const { name = '', comparison = '=' } = prefix ?? {}
  if (Object.hasOwn(NUMBER_COLUMNS, name)) {
    const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null
    if (value === null) throw invalid('/q', 'invalid_value', `${name} takes a number, such as ${name}>3`)
    return { kind: 'number', column: NUMBER_COLUMNS[name as keyof typeof NUMBER_COLUMNS], comparison, value }
  }
  if (name === 'due') return dueWithin(comparison, readDueDay(text, days.today), days)
  if (prefix && comparison !== '=') throw invalid('/q', 'invalid_value', `${name} takes a value after a colon`)
  if (name === 'is' || name === 'state') {
    const known = name === 'is' ? IS : STATES
    const what = known.find((one) => one === text.toLowerCase())
    if (!what) throw invalid('/q', 'invalid_value', `${name}: takes ${known.join(', ')}`)
    return { kind: 'is', what, tomorrow: days.start(days.today + 1) }
  }
  if (name === 'tag') return { kind: 'tag', text: factTagKey(text) }
  if (name === 'deck') return { kind: 'deck', path: text.split('::').map(titleKey) }
  return { kind: 'text', text: titleKey(text) }
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
