import { diffArrays } from 'diff'
import { findCodeSpans } from '../../lib/markdown/lines'
import { takeMathsOut } from '../../lib/markdown/maths'
import { boundedEditDistance } from '../../lib/spelling'
import { titleKey } from '../../lib/text'
import type { RightAnswers } from '../facts/fact'

// Strips the markup of a short Markdown text, such as an answer. This is not a parser: it is enough for comparing.

const LETTER = /[\p{L}\p{N}]/u
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
}

/** Returns the text without markup; images become their alternative text. White space and maths stay. */
export function plainText(markdown: string): string {
  const { text, restore } = takeMathsOut(markdown)
  return restore(withoutMarkup(text), (maths) => maths)
}

function withoutMarkup(markdown: string): string {
  const text = markdown.split('\n').map(withoutBlockSigns).join('\n')
  let from = 0
  const parts: string[] = []
  for (const [start, end] of findCodeSpans(text)) {
    parts.push(inline(text.slice(from, start)), withoutTicks(text.slice(start, end)))
    from = end
  }
  parts.push(inline(text.slice(from)))
  return parts.join('')
}

/** Removes quote signs, bullets and heading signs. Returns '' for a line that is only a fence or a rule. */
function withoutBlockSigns(line: string): string {
  if (/^[ \t>]*(?:`{3,}[^`]*|~{3,}.*|(?:[-*_][ \t]*){3,})$/.test(line)) return ''
  return line.replace(/^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|#{1,6}[ \t]+)?/, '')
}

function withoutTicks(span: string): string {
  const ticks = /^`+/.exec(span)?.[0].length ?? 0
  return span.slice(ticks, span.length - ticks)
}

/** Where escaped characters are kept, in a private plane of Unicode, while markup is removed. */
const PROTECTED = 0xf0000

function inline(text: string): string {
  const safe = text.replace(/\\([!-/:-@[-`{-~])/g, (_, sign: string) =>
    String.fromCodePoint(PROTECTED + sign.charCodeAt(0)),
  )
  const bare = withoutEmphasis(withoutLinks(safe).replace(/<\/?[a-zA-Z][^<>]*>/g, ''))
  return bare
    .replace(/&(?:(\w{2,8})|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g, entity)
    .replace(/[\u{f0021}-\u{f007e}]/gu, (letter) => String.fromCharCode((letter.codePointAt(0) ?? 0) - PROTECTED))
}

function entity(whole: string, name?: string, decimal?: string, hexadecimal?: string): string {
  if (name !== undefined) return (Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined) ?? whole
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

/** Replaces links and images by their text, `<https://…>` by its address, `[[page|text]]` by its text. */
function withoutLinks(text: string): string {
  return text
    .replace(/!?\[([^[\]\n]{0,1000})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)/g, '$1')
    .replace(/!?\[\[(?:[^[\]|\n]{1,500}\|)?([^[\]|\n]{1,500})\]\]/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:)[^<>\s]{1,2000})>/g, '$1')
}

interface Run {
  readonly start: number
  readonly text: string
  readonly opens: boolean
  readonly closes: boolean
}

/** Removes matching runs of `*`, `_`, `~~` and `==` around a text. */
function withoutEmphasis(text: string): string {
  const open = new Map<string, number[]>()
  const cut: Run[] = []
  const runs = [...text.matchAll(/\*{1,3}|_{1,3}|~~|==/g)].map((match) => runOf(text, match.index, match[0]))
  runs.forEach((run, index) => {
    const waiting = open.get(run.text) ?? []
    const opener = run.closes ? runs[waiting.pop() ?? -1] : undefined
    if (opener) cut.push(opener, run)
    else if (run.opens) open.set(run.text, [...waiting.slice(-50), index])
  })
  let from = 0
  const parts: string[] = []
  for (const { start, text: sign } of cut.sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, start))
    from = start + sign.length
  }
  return parts.join('') + text.slice(from)
}

function runOf(text: string, start: number, sign: string): Run {
  const [before, after] = [text[start - 1] ?? ' ', text[start + sign.length] ?? ' ']
  const inWord = sign.startsWith('_') && LETTER.test(before) && LETTER.test(after)
  return {
    start,
    text: sign,
    opens: !inWord && !/\s/.test(after),
    closes: !inWord && !/\s/.test(before),
  }
}

/** Compares a typed answer with the right ones, for the API and in the app. White space, case and markup make no difference. */

/** The longest answer, in code points. */
export const MAX_ANSWER_CHARS = 1000
/** The part of an expected text that is compared; no answer is as long. The rest counts as missing. */
const MAX_COMPARED_GRAPHEMES = 2 * MAX_ANSWER_CHARS
/** The shortest answer that may have a typo: in shorter words, one wrong letter makes another word. */
const MIN_LETTERS_FOR_TYPO = 5

/** Compares an answer, of at most MAX_ANSWER_CHARS, with the right ones. */
export function compareAnswer(answer: string, { right, ignores_accents }: RightAnswers) {
  const normalize = (text: string) => normalizeText(text, ignores_accents ? withoutMarks : (same) => same)
  // The stars in `2*3*4` may be meant literally or be copied from the source. Both count as right.
  const typed = [...new Set([answer, plainText(answer)])].map(normalize)
  const expected = right.map(normalize)
  const best = expected
    .flatMap((text) => typed.map((given) => compare(given, text)))
    .reduce((one, other) => (isNearer(other, one) ? other : one))
  return {
    correct: best.rating === 3,
    expected: best.expected.text,
    distance: best.distance,
    diff: diffTexts(best),
    suggested_rating: best.rating,
  }
}

interface NormalizedText {
  readonly text: string
  readonly key: string
  /** Each grapheme with the white space after it. */
  readonly graphemes: readonly string[]
  /** The same graphemes in the form in which they are compared. */
  readonly keys: readonly string[]
}

interface Comparison {
  readonly given: NormalizedText
  readonly expected: NormalizedText
  readonly rating: 1 | 2 | 3
  readonly distance: number
}

/** Made when it is first needed: it takes 2 MiB. */
let segmenter: Intl.Segmenter | undefined

function normalizeText(raw: string, reduce: (text: string) => string): NormalizedText {
  const text = raw.normalize('NFC').trim()
  const graphemes: string[] = []
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) {
    if (segment.trim() === '' && graphemes.length > 0) graphemes.push((graphemes.pop() ?? '') + segment)
    else graphemes.push(segment)
  }
  const fold = (part: string) => reduce(titleKey(part))
  return { text, key: withoutSpace(fold(text)), graphemes, keys: graphemes.map(fold) }
}

function compare(given: NormalizedText, expected: NormalizedText): Comparison {
  if (given.key === expected.key && given.key !== '') return { given, expected, rating: 3, distance: 0 }
  const compared = expected.keys.slice(0, MAX_COMPARED_GRAPHEMES)
  const edits = editDistance(given.keys, compared) + (expected.keys.length - compared.length)
  const isClose = edits === 1 && expected.keys.length >= MIN_LETTERS_FOR_TYPO
  const isNear = isClose || (given.key !== '' && withoutAccents(given.key) === withoutAccents(expected.key))
  return { given, expected, rating: isNear ? 2 : 1, distance: edits }
}

function isNearer(one: Comparison, other: Comparison): boolean {
  return one.rating === other.rating ? one.distance < other.distance : one.rating > other.rating
}

interface TextEdit {
  /** `delete`: only in the answer; `insert`: only in the expected text; `equal`: in both. */
  readonly op: 'equal' | 'delete' | 'insert'
  readonly text: string
}

/** The most edits that are looked for, since the time grows with their square: of more, nothing would be recognized. */
const MAX_SHOWN_EDITS = 1000

function diffTexts({ given, expected, rating }: Comparison): TextEdit[] {
  if (rating === 3) return [{ op: 'equal', text: expected.text }]
  const lettersOf = ({ keys, graphemes }: NormalizedText) => keys.map((key, i) => ({ key, text: graphemes[i] ?? '' }))
  const [from, all] = [lettersOf(given), lettersOf(expected)]
  const to = all.slice(0, MAX_COMPARED_GRAPHEMES)
  const options = { comparator: isSameLetter, maxEditLength: MAX_SHOWN_EDITS }
  const changes = diffArrays(from, to, options) ?? [
    { removed: true, added: false, value: from },
    { removed: false, added: true, value: to },
  ]
  const diff = changes.map(({ removed, added, value }): TextEdit => {
    const text = value.map((letter) => letter.text).join('')
    return { op: removed ? 'delete' : added ? 'insert' : 'equal', text }
  })
  const rest = all.slice(to.length).map(({ text }) => text)
  const before = diff.at(-1)?.op === 'insert' ? (diff.pop()?.text ?? '') : ''
  return [...diff, { op: 'insert' as const, text: [before, ...rest].join('') }].filter(({ text }) => text !== '')
}

function isSameLetter(one: { readonly key: string }, other: { readonly key: string }): boolean {
  return one.key === other.key
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '')
}

/** Removes the combining marks of all scripts. */
function withoutMarks(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '')
}

/** Removes the accents of Latin, Greek and Cyrillic. Marks of other scripts are separate letters. */
function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
}

/** Counts insertions, deletions, replacements, and swaps of two neighbours. O(n · m) time, O(m) memory. */
export function editDistance(from: readonly string[], to: readonly string[]): number {
  const letters = new Map([...new Set([...from, ...to])].map((key, i) => [key, String.fromCharCode(i)]))
  const spell = (keys: readonly string[]) => keys.map((key) => letters.get(key)).join('')
  return boundedEditDistance(spell(from), spell(to), Number.POSITIVE_INFINITY)
}
