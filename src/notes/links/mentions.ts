import { toCodePoints } from '../../lib/text'
import { type Span, scanMarkdown } from '../markdown/scan'

/** Mentions of one body that are looked at: as many of the shortest as an excerpt shows. */
const MENTIONS = 48

/**
 * Where a body says a title in plain text, as whole words, without regard to case and to how white space is joined;
 * not in links, code or comments. [start, end, start, end, …] in code points.
 */
export function mentionsOf(body: string, title: string): number[] {
  const pattern = patternOf(title)
  if (!pattern.test(body)) return []
  pattern.lastIndex = 0
  const { links, code, comments } = scanMarkdown(body)
  const taken = [...links, ...code, ...comments].sort((a, b) => a.start - b.start)
  const found: number[] = []
  let next = 0
  for (const match of body.matchAll(pattern)) {
    const [start, end] = [match.index, match.index + match[0].length]
    while ((taken[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1
    if (!overlaps(taken[next], end)) found.push(start, end)
    if (found.length >= 2 * MENTIONS) break
  }
  return toCodePoints(body, found)
}

function overlaps(span: Span | undefined, end: number): boolean {
  return span !== undefined && span.start < end
}

/** A body may write accents as one character or as two. */
function patternOf(title: string): RegExp {
  const words = title.trim().split(/\s+/)
  const spelled = (form: 'NFC' | 'NFD') => words.map((word) => RegExp.escape(word.normalize(form))).join('\\s+')
  const letter = '[\\p{L}\\p{N}\\p{M}_]'
  return new RegExp(`(?<!${letter})(?:${spelled('NFC')}|${spelled('NFD')})(?!${letter})`, 'giu')
}
