import { countPrefix, type MarkdownLine, readHeading, readLines } from '../../lib/markdown/lines'
import { findMaths } from '../../lib/markdown/maths'
import { replaceParts } from '../../lib/text'
import { MAX_CLOZE_CARDS, readCloze } from '../facts/cloze'
import type { FactContent } from '../facts/fact-schema'

/** A line of a Markdown text, or all lines that one piece of maths is in, as one line of text. */
interface DraftLine extends MarkdownLine {
  /** The text with code spans and maths masked; as long as `text`. */
  readonly plain: string
}

/** Reads the lines of a Markdown text. In linear time. */
export function readDraftLines(markdown: string): DraftLine[] {
  const text = markdown.replace(/\r\n?/g, '\n')
  const lines = readLines(text)
  const maths = findMaths(text)
  const plain = maskSpans(lines.map(({ masked }) => masked).join('\n'), maths)
  const found: DraftLine[] = []
  let joined: DraftLine[] = []
  let at = 0
  let next = 0
  for (const line of lines) {
    const end = at + line.text.length
    joined.push({ ...line, plain: plain.slice(at, end) })
    at = end + 1
    while ((maths[next]?.[1] ?? at) <= end) next++
    const goesOn = (maths[next]?.[0] ?? at) < at
    if (goesOn) continue
    found.push(joinLines(joined))
    joined = []
  }
  return found
}

/** Replaces each character of spans by an `x`, but for the ends of lines. */
function maskSpans(text: string, spans: ReturnType<typeof findMaths>): string {
  const masks = spans.map(([from, to]) => ({ from, to, text: text.slice(from, to).replace(/[^\n]/g, 'x') }))
  return replaceParts(text, masks)
}

/** Joins lines to one. In a block quote, the quote signs before the further lines are no part of the maths. */
function joinLines(lines: readonly DraftLine[]): DraftLine {
  const [first] = lines
  if (!first) throw new Error('no line to join')
  if (lines.length === 1) return first
  const isQuoted = lines.every(({ text }) => /^[ \t]*>/.test(text))
  const skipped = lines.map(({ text }, i) =>
    isQuoted && i > 0 ? (/^[ \t]*(?:>[ \t]?)+/.exec(text)?.[0].length ?? 0) : 0,
  )
  const of = (name: 'text' | 'masked' | 'plain') => lines.map((line, i) => line[name].slice(skipped[i])).join('\n')
  return { number: first.number, kind: 'text', text: of('text'), masked: of('masked'), plain: of('plain') }
}

// Patterns of facts in Markdown: those of several lines, then those of one.

interface PatternMatch {
  readonly fact: FactContent
  /** Indexes of lines, ascending. The first is where the fact begins. */
  readonly lines: readonly number[]
}
export type FindMatches = (lines: readonly DraftLine[], isFree: (index: number) => boolean) => Iterable<PatternMatch>

/** Finds `Q: …` and `A: …`, each with the lines up to a blank line. One blank line may separate the two. */
export const findQuestions: FindMatches = function* (lines, isFree) {
  const labelAt = (index: number) => (isFree(index) ? labelOf(lines[index]) : null)
  for (let at = 0; at < lines.length; at++) {
    if (labelAt(at) !== 'Q:') continue
    const question = paragraph(lines, isFree, at)
    const behind = at + question.length
    const answerAt = lines[behind]?.kind === 'blank' ? behind + 1 : behind
    if (labelAt(answerAt) === 'A:') {
      const answer = paragraph(lines, isFree, answerAt)
      const [front, back] = [labelled(lines, question), labelled(lines, answer)]
      if (front && back) yield { fact: { type: 'basic', front, back }, lines: [...question, ...answer] }
    }
    at = behind - 1
  }
}

/** Finds headings that are questions. The text up to the next heading is the answer. */
export const findHeadings: FindMatches = function* (lines, isFree) {
  for (let at = 0; at < lines.length; at++) {
    const front = isFree(at) ? readHeading(lines[at]?.text ?? '') : null
    if (front === null || !/[?？؟][*_]{0,3}$/.test(front)) continue
    const used = [at]
    const below: string[] = []
    for (let index = at + 1; index < lines.length; index++) {
      const { kind, text } = lines[index] ?? { kind: 'blank', text: '' }
      if (kind === 'text' && readHeading(text) !== null) break
      if (kind === 'text' && !isFree(index)) continue
      below.push(text)
      if (kind !== 'blank') used.push(index)
    }
    const back = withoutBlankEdges(below)
    if (back) yield { fact: { type: 'basic', front, back }, lines: used }
  }
}

/** Finds `Term` on one line with `: meaning` on the lines below. */
export const findDefinitions: FindMatches = function* (lines, isFree) {
  for (let at = 0; at < lines.length; at++) {
    const { text } = lines[at] ?? { text: '' }
    const front = text.slice(countPrefix(text)).trim()
    if (!isFree(at) || meaningOf(lines[at]) !== null || readHeading(text) !== null) continue
    const used = [at]
    const meanings: string[] = []
    for (let index = at + 1; isFree(index); index++) {
      const meaning = meaningOf(lines[index])
      if (meaning === null) break
      used.push(index)
      meanings.push(meaning)
    }
    if (meanings.length > 0) yield { fact: { type: 'basic', front, back: meanings.join('\n') }, lines: used }
    at += meanings.length
  }
}

/** Finds the rows of tables of two columns, without the header. */
export const findTableRows: FindMatches = function* (lines, isFree) {
  for (let at = 1; at < lines.length; at++) {
    if (!isFree(at) || !isRule(lines[at]) || cellsOf(lines[at - 1])?.length !== 2) continue
    for (at += 1; lines[at]?.kind === 'text' && lines[at]?.plain.includes('|'); at++) {
      const found = isFree(at) ? rowOf(lines[at], at) : null
      if (found) yield found
    }
  }
}

function rowOf(line: DraftLine | undefined, index: number): PatternMatch | null {
  const [front, back, more] = cellsOf(line) ?? []
  return front && back && more === undefined ? { fact: { type: 'basic', front, back }, lines: [index] } : null
}

function labelOf(line: DraftLine | undefined): string | null {
  const label = line?.plain.slice(countPrefix(line.text)).slice(0, 2)
  return label === 'Q:' || label === 'A:' ? label : null
}

/** Returns the indexes from a labelled line up to a blank line, code, a heading or the next label. */
function paragraph(lines: readonly DraftLine[], isFree: (index: number) => boolean, start: number): number[] {
  const indexes = [start]
  for (let index = start + 1; isFree(index); index++) {
    if (labelOf(lines[index]) !== null || readHeading(lines[index]?.text ?? '') !== null) break
    indexes.push(index)
  }
  return indexes
}

function labelled(lines: readonly DraftLine[], indexes: readonly number[]): string {
  const texts = indexes.map((index) => lines[index]?.text ?? '')
  const first = texts[0] ?? ''
  return [first.slice(countPrefix(first) + 2), ...texts.slice(1)].join('\n').trim()
}

function meaningOf(line: DraftLine | undefined): string | null {
  const content = line?.text.trim() ?? ''
  return /^:[ \t]/.test(content) ? content.slice(1).trim() : null
}

function withoutBlankEdges(texts: readonly string[]): string {
  const isText = (text: string) => text.trim() !== ''
  return texts
    .slice(Math.max(0, texts.findIndex(isText)), texts.findLastIndex(isText) + 1)
    .join('\n')
    .trimEnd()
}

function isRule(line: DraftLine | undefined): boolean {
  const cells = cellsOf(line)
  return cells?.length === 2 && cells.every((cell) => /^:?-+:?$/.test(cell))
}

/** Returns the trimmed cells of a row; null for a line without a bar. `\|` and bars in code do not separate cells. */
function cellsOf(line: DraftLine | undefined): string[] | null {
  if (line?.kind !== 'text' || !line.plain.includes('|')) return null
  const cells: string[] = []
  let from = 0
  for (let at = 0; at <= line.text.length; at++) {
    const isBar = line.plain[at] === '|' && line.plain[at - 1] !== '\\'
    if (!isBar && at < line.text.length) continue
    cells.push(line.text.slice(from, at).replaceAll('\\|', '|').trim())
    from = at + 1
  }
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells
}

export const findTerms = eachLine((line) => termOf(line, '::', 'basic'))

/** Finds `term ::: meaning`, for a reversed fact. */
export const findReversedTerms = eachLine((line) => termOf(line, ':::', 'reversed'))

/** Finds lines with valid clozes, `{{c1::…}}`, outside of code. Those in maths are clozes, too. */
export const findClozes = eachLine(({ text, masked }) => {
  if (!masked.includes('{{c')) return null
  const [whole, legible] = [readCloze(text).cloze, readCloze(masked).cloze]
  return whole && legible && whole.numbers.length === legible.numbers.length ? { type: 'cloze', text } : null
})

/** Finds lines with `==marks==`. Each becomes a cloze with its own number; marks after the fiftieth stay text. */
export const findMarks = eachLine((line) => {
  const marks = marksOf(line).slice(0, MAX_CLOZE_CARDS)
  const clozeOf = ([from, to]: [number, number], index: number) => {
    return { from, to, text: `{{c${index + 1}::${line.text.slice(from + 2, to - 2)}}}` }
  }
  return marks.length === 0 ? null : { type: 'cloze', text: replaceParts(line.text, marks.map(clozeOf)) }
})

type Content = Pick<DraftLine, 'text' | 'masked' | 'plain'>

/** Creates a pattern of one line, which gets the line without bullet, quote signs and heading signs. */
function eachLine(read: (content: Content) => FactContent | null): FindMatches {
  return function* (lines, isFree): Iterable<PatternMatch> {
    for (const [index, line] of lines.entries()) {
      if (!isFree(index)) continue
      const fact = read(contentOf(line))
      if (fact) yield { fact, lines: [index] }
    }
  }
}

function contentOf({ text, masked, plain }: DraftLine): Content {
  const start = readHeading(text) === null ? countPrefix(text) : text.search(/[^ #\t]|$/)
  const of = (line: string) => line.slice(start).trimEnd()
  return { text: of(text), masked: of(masked), plain: of(plain) }
}

function termOf({ text, plain }: Content, sign: string, type: 'basic' | 'reversed'): FactContent | null {
  const found = /[ \t](:{2,3})[ \t]/.exec(plain)
  if (found?.[1] !== sign) return null
  const front = text.slice(0, found.index).trim()
  const back = text.slice(found.index + found[0].length).trim()
  return front && back ? { type, front, back } : null
}

function marksOf({ text, plain }: Content): [start: number, end: number][] {
  const signs = [...plain.matchAll(/=+/g)].filter(({ 0: run }) => run.length === 2).map(({ index }) => index)
  const found: [number, number][] = []
  for (let i = 0; i + 1 < signs.length; i++) {
    const [open = 0, close = 0] = [signs[i], signs[i + 1]]
    const inner = text.slice(open + 2, close)
    if (inner.trim() !== inner || !isHideable(inner)) continue
    found.push([open, close + 2])
    i += 1
  }
  return found
}

function isHideable(text: string): boolean {
  return text !== '' && !/::|\{\{|\}\}/.test(text) && text.split('{').length === text.split('}').length
}
