import { type MarkdownLine, readLines } from '../../lib/markdown/lines'
import { findMaths } from '../../lib/markdown/maths'

/** A line of a Markdown text, or all lines that one piece of maths is in, as one line of text. */
export interface DraftLine extends MarkdownLine {
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
  let from = 0
  let masked = ''
  for (const [start, end] of spans) {
    masked += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, 'x')
    from = end
  }
  return masked + text.slice(from)
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
