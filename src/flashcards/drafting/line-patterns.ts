import { MAX_CLOZE_CARDS, readCloze } from '../facts/cloze'
import { headingOf, type MarkdownLine, prefixLength } from '../markdown/lines'
import type { FactContent } from '../schema'
import type { FindMatches, PatternMatch } from './block-patterns'

/** `term :: meaning` */
export const terms = eachLine((line) => termOf(line, '::', 'basic'))

/** `term ::: meaning` */
export const reversedTerms = eachLine((line) => termOf(line, ':::', 'reversed'))

/** `{{c1::…}}`, faultless, and not in code. */
export const clozes = eachLine(({ text, masked }) => {
  if (!masked.includes('{{c')) return null
  const [whole, legible] = [readCloze(text).cloze, readCloze(masked).cloze]
  return whole && legible && whole.numbers.length === legible.numbers.length ? { type: 'cloze', text } : null
})

/** `==marked==`: one number per mark; those past the fiftieth stay text. */
export const marks = eachLine((line) => {
  const places = marksOf(line).slice(0, MAX_CLOZE_CARDS)
  if (places.length === 0) return null
  let from = 0
  let text = ''
  places.forEach(([start, end], index) => {
    text += `${line.text.slice(from, start)}{{c${index + 1}::${line.text.slice(start + 2, end - 2)}}}`
    from = end
  })
  return { type: 'cloze', text: text + line.text.slice(from) }
})

type Content = Pick<MarkdownLine, 'text' | 'masked'>

/** A pattern of the line without its bullet, quote signs or heading signs. */
function eachLine(read: (content: Content) => FactContent | null): FindMatches {
  return function* (lines, isFree): Iterable<PatternMatch> {
    for (const [index, line] of lines.entries()) {
      if (!isFree(index)) continue
      const fact = read(contentOf(line))
      if (fact) yield { fact, lines: [index] }
    }
  }
}

function contentOf({ text, masked }: MarkdownLine): Content {
  const start = headingOf(text) === null ? prefixLength(text) : text.search(/[^ #\t]|$/)
  return { text: text.slice(start).trimEnd(), masked: masked.slice(start).trimEnd() }
}

function termOf({ text, masked }: Content, sign: string, type: 'basic' | 'reversed'): FactContent | null {
  const found = /[ \t](:{2,3})[ \t]/.exec(masked)
  if (found?.[1] !== sign) return null
  const front = text.slice(0, found.index).trim()
  const back = text.slice(found.index + found[0].length).trim()
  return front && back ? { type, front, back } : null
}

/** Start and end of each `==mark==`, its signs included. */
function marksOf({ text, masked }: Content): [start: number, end: number][] {
  const signs = [...masked.matchAll(/=+/g)].filter(({ 0: run }) => run.length === 2).map(({ index }) => index)
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

/** What a cloze can hold as it is. */
function isHideable(text: string): boolean {
  return text !== '' && !/::|\{\{|\}\}/.test(text) && text.split('{').length === text.split('}').length
}
