/** Code points of the text around a link or a mention. */
export const TEXT_LENGTH = 240
/** How many of them may stand ahead of it. */
const AHEAD = 80

export interface Excerpt {
  readonly text: string
  /** [start, end) in code points of `text`. */
  readonly ranges: [number, number][]
}

/** Where the window around a place begins, in code points of the body. */
export function windowStart(place: number): number {
  return Math.max(0, place - AHEAD)
}

/**
 * The line around the first of the places, cut to the window, and which parts of it they are.
 * @param window TEXT_LENGTH code points of the body from `from` on
 * @param places [start, end, start, end, …] in code points of the body, ascending
 */
export function excerptOf(window: string, from: number, places: readonly number[]): Excerpt {
  const chars = [...window]
  const isBreak = (char: string) => char === '\n' || char === '\r'
  const first = (places[0] ?? from) - from
  let begin = chars.slice(0, first).findLastIndex(isBreak) + 1
  while (begin < first && chars[begin]?.trim() === '') begin += 1
  const eol = chars.findIndex((char, at) => at >= first && isBreak(char))
  const text = chars
    .slice(begin, eol < 0 ? TEXT_LENGTH : eol)
    .join('')
    .trimEnd()
  return { text, ranges: within(places, from + begin, [...text].length) }
}

function within(places: readonly number[], from: number, length: number): [number, number][] {
  const ranges: [number, number][] = []
  for (let i = 0; i + 1 < places.length; i += 2) {
    const [start, end] = [(places[i] ?? 0) - from, (places[i + 1] ?? 0) - from]
    if (start >= 0 && start < length) ranges.push([start, Math.min(end, length)])
  }
  return ranges
}
