import type { Term } from './question'
import type { FoundNote } from './quote'
import type { Matchable, Read } from './words'

/** The usual values: how soon more of the same word counts no more, and how far long notes are held back. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75
const TITLE_WEIGHT = 2

/**
 * The notes by Okapi BM25, best first, equals in the order they came in: S. Robertson and H. Zaragoza, "The Probabilistic
 * Relevance Framework: BM25 and Beyond", 2009. `weights` are those of the terms, in their order. Lengths are compared
 * with the mean of the notes given, so that nothing counts but the caller's own.
 */
export function rankNotes<Note extends FoundNote>(
  terms: readonly Term[],
  weights: readonly number[],
  notes: readonly Note[],
  read: Read,
): Note[] {
  const mean = notes.reduce((sum, note) => sum + note.word_count, 0) / notes.length || 1
  const scored = notes.map((note) => {
    const [title, body] = [read(note.title), read(note.body)]
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * note.word_count) / mean)
    const score = terms.reduce((sum, term, i) => {
      const times = TITLE_WEIGHT * timesIn(title, term) + timesIn(body, term)
      return sum + ((weights[i] ?? 0) * times) / (times + norm)
    }, 0)
    return { note, score }
  })
  return scored.sort((a, b) => b.score - a.score).map(({ note }) => note)
}

/** How often a term is in a text. */
function timesIn({ stems, folded }: Matchable, { key, match }: Term): number {
  if (match === 'inside') return folded.split(key).length - 1
  if (match === 'word') return stems.get(key) ?? 0
  return stems.entries().reduce((sum, [stem, times]) => sum + (stem.startsWith(key) ? times : 0), 0)
}
