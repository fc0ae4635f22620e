import { requireLength } from '../../http/values'
import { titleKey } from '../../lib/text'
import { editDistance, listEdits } from './distance'
import { plainText } from './plain-text'

/** A typed answer against the right ones. What is white space, case or markup makes no difference. */

/** In code points. */
export const ANSWER_LENGTH = 1000
/** An expected text is compared so far, in graphemes; no answer is as long. What follows counts as missing. */
const COMPARED = 2 * ANSWER_LENGTH
/** Fewer letters than that, and one wrong letter makes another word. */
const SHORT_WORD = 5

export interface Check {
  /** Right in every letter and accent. */
  readonly correct: boolean
  /** Of the right answers the one that comes nearest, as plain text. */
  readonly expected: string
  /** Graphemes inserted, deleted, replaced or swapped with the next; where expected is very long, an upper bound. */
  readonly distance: number
  /** From the answer to `expected`: `insert` was missing, `delete` was too much. */
  readonly diff: readonly { readonly op: 'equal' | 'insert' | 'delete'; readonly text: string }[]
  /** 3: right. 2: right but for accents, or for one edit in five letters or more. Else 1. */
  readonly suggested_rating: 1 | 2 | 3
}

/** Throws invalid_request at /answer for more than 1,000 characters. `back` and `accepted` are Markdown. */
export function checkAnswer(answer: string, right: { back: string; accepted: readonly string[] }): Check {
  requireLength(answer, ANSWER_LENGTH, '/answer')
  // Whoever types `2*3*4` may mean the stars or copy the source: both count.
  const typed = [...new Set([answer, plainText(answer)])].map(read)
  const expected = [right.back, ...right.accepted].map((text) => read(plainText(text).trim() || text.trim()))
  const best = expected
    .flatMap((text) => typed.map((given) => compare(given, text)))
    .reduce((one, other) => (isNearer(other, one) ? other : one))
  return {
    correct: best.rating === 3,
    expected: best.expected.text,
    distance: best.distance,
    diff: diffOf(best),
    suggested_rating: best.rating,
  }
}

interface Reading {
  readonly text: string
  /** Without white space and case. */
  readonly key: string
  /** Each grapheme with the white space behind it. */
  readonly graphemes: readonly string[]
  /** The same graphemes as they are compared. */
  readonly keys: readonly string[]
}

interface Comparison {
  readonly given: Reading
  readonly expected: Reading
  readonly rating: 1 | 2 | 3
  readonly distance: number
}

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

function read(raw: string): Reading {
  const text = raw.normalize('NFC').trim()
  const graphemes: string[] = []
  for (const { segment } of segmenter.segment(text)) {
    if (segment.trim() === '' && graphemes.length > 0) graphemes.push((graphemes.pop() ?? '') + segment)
    else graphemes.push(segment)
  }
  return { text, key: withoutSpace(titleKey(text)), graphemes, keys: graphemes.map(titleKey) }
}

function compare(given: Reading, expected: Reading): Comparison {
  if (given.key === expected.key && given.key !== '') return { given, expected, rating: 3, distance: 0 }
  const compared = expected.keys.slice(0, COMPARED)
  const edits = editDistance(given.keys, compared) + (expected.keys.length - compared.length)
  const isClose = edits === 1 && expected.keys.length >= SHORT_WORD
  const isNear = isClose || (given.key !== '' && withoutAccents(given.key) === withoutAccents(expected.key))
  return { given, expected, rating: isNear ? 2 : 1, distance: edits }
}

function isNearer(one: Comparison, other: Comparison): boolean {
  return one.rating === other.rating ? one.distance < other.distance : one.rating > other.rating
}

function diffOf({ given, expected, rating }: Comparison): Check['diff'] {
  if (rating === 3) return [{ op: 'equal', text: expected.text }]
  const diff: { op: 'equal' | 'insert' | 'delete'; text: string }[] = []
  const add = (op: 'equal' | 'insert' | 'delete', text: string) => {
    const last = diff.at(-1)
    if (last?.op === op) last.text += text
    else if (text !== '') diff.push({ op, text })
  }
  for (const { op, at } of listEdits(given.keys, expected.keys.slice(0, COMPARED)))
    add(op, (op === 'delete' ? given : expected).graphemes[at] ?? '')
  add('insert', expected.graphemes.slice(COMPARED).join(''))
  return diff
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '')
}

/** Accents of Latin, Greek and Cyrillic: marks of other scripts are letters of their own. */
function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
}
