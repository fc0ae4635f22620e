import type { PassageCounts, Quote } from './quote'
import type { Source } from './run'

/** Text for the reader and what it rests on. */
export interface Reply {
  readonly text: string
  /** In the order of their marks, from 1. */
  readonly sources: readonly Source[]
}

/** Titles named when nothing answers. */
const NEAREST = 3

/** A line for each quotation, with the mark of its citation. */
export function quoting(quotes: readonly Quote[]): Reply {
  const lines = quotes.map(({ note, under, start, end }, i) => {
    const heading = under ? `, under "${plain(under)}"` : ''
    return `From "${plain(note.title)}"${heading}: "${plain(note.body.slice(start, end))}" [${i + 1}]`
  })
  return { text: lines.join('\n'), sources: quotes.map(sourceOf) }
}

function sourceOf({ note: { id, title, revision, body }, start, end }: Quote): Source {
  return { type: 'note', id, title, revision, text: body, start, end }
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

const unsupported = (text: string): Reply => ({ text, sources: [] })

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
