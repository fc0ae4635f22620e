import type { Ask } from './request'
import type { Source } from './run'
import type { Citation } from './schema'

/** The text as far as the caller wants it: before the first stop sequence, within the limit of tokens (4 bytes each). */
export function limited(
  text: string,
  { stop, tokenLimit }: Pick<Ask, 'stop' | 'tokenLimit'>,
): { text: string; cut: boolean } {
  const ends = stop.map((sequence) => text.indexOf(sequence)).filter((index) => index >= 0)
  const stopped = text.slice(0, Math.min(text.length, ...ends))
  const bytes = Buffer.from(stopped)
  if (tokenLimit === null || bytes.length <= tokenLimit * 4) return { text: stopped, cut: false }
  // A character that the limit cuts in two would be decoded to a replacement sign: it is left out whole.
  const whole = new TextDecoder('utf-8').decode(bytes.subarray(0, tokenLimit * 4), { stream: true })
  return { text: whole, cut: true }
}

/** The marks `[n]` of a text. */
export function marksOf(text: string): Set<number> {
  return new Set(Array.from(text.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits)))
}

/**
 * Text of a note as it may stand in an answer: on one line, without marks that would look like ours, and without
 * images, since showing one calls a server of the note's choice. The citation's quote stays as it is.
 */
export function plain(text: string): string {
  return text
    .replace(/\s*[\r\n]\s*(?:>\s*)*/g, ' ')
    .replace(/\[(\d+)\]/g, '($1)')
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '[image: $1]')
    .replace(/!\[/g, '! [')
    .trim()
}

const PLACES = { note: '/api/notes', task: '/api/tasks', fact: '/api/flashcards/facts' } as const

/** A source under its number. */
export function citationOf({ type, id, title, revision, text, start, end }: Source, n: number): Citation {
  const quote = text.slice(start, end)
  const from = codePoints(text.slice(0, start))
  const url = `${PLACES[type]}/${id}`
  return { n, type, id, title, revision, quote, start: from, end: from + codePoints(quote), url, cited: true }
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
