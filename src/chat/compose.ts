import type { PassageCounts, Quote } from './quote'
import type { Ask } from './request'
import type { Citation } from './schema'

/** Text for the reader and what it rests on. */
export interface Reply {
  readonly text: string
  readonly citations: readonly Citation[]
}

/** Titles named when nothing answers. */
const NEAREST = 3

/** A line for each quotation, with the mark of its citation. */
export function quoting(quotes: readonly Quote[]): Reply {
  const citations = quotes.map((quote, i) => citationOf(quote, i + 1))
  const lines = quotes.map(({ note, under }, i) => {
    const heading = under ? `, under "${plain(under)}"` : ''
    return `From "${plain(note.title)}"${heading}: "${plain(citations[i]?.quote ?? '')}" [${i + 1}]`
  })
  return { text: lines.join('\n'), citations }
}

/** Says that nothing was found and, as far as it helps, why. `titles` are those of the notes nearest to the question. */
export function notFound(counts: PassageCounts, titles: readonly string[]): Reply {
  if (counts.total === 0) return unsupported(EMPTY_WORKSPACE)
  const named = titles.slice(0, NEAREST).map((title) => `"${plain(title)}"`)
  const nearest =
    named.length > 0
      ? `The nearest by their words: ${named.join(', ')}.`
      : 'No note that I may read shares a word with it.'
  return unsupported(`I found no note that answers this. ${nearest}`)
}

const EMPTY_WORKSPACE =
  'This workspace has no notes yet, so there is nothing to answer from. Add one with POST /api/notes, for example ' +
  '{ "title": "House", "body": "The boiler warranty ends on 3 May 2027." }, and ask again.'

/** The request names what may be read, and notes are not in it. */
export const outOfScope = (): Reply =>
  unsupported(
    'The scope of this request leaves out notes, and notes are what I quote from: I read nothing. Add "note" to scope.types.',
  )

/** A message of nothing but signs. */
export const wordless = (): Reply =>
  unsupported('There is no word in this message that I could look for. Ask about something that stands in your notes.')

const unsupported = (text: string): Reply => ({ text, citations: [] })

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

function citationOf({ note, start, end }: Quote, n: number): Citation {
  const quote = note.body.slice(start, end)
  const from = codePoints(note.body.slice(0, start))
  return {
    n,
    type: 'note',
    id: note.id,
    title: note.title,
    revision: note.revision,
    quote,
    start: from,
    end: from + codePoints(quote),
    url: `/api/notes/${note.id}`,
    cited: true,
  }
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
