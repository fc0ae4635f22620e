import { needleOf } from './needle'
import { type Query, QueryError, type TextLeaf } from './query'

/**
 * How often one word, or one piece of three characters, may stand in a query. FTS5 walks every place of a word in a note
 * once for each time that a phrase names it: a thousand times one syllable, over a note of nothing else, took 10 s.
 */
const MOST_REPEATS = 32

/** Refuses a query that says the same too often. Throws QueryError. */
export function refuseRepeats(query: Query): void {
  const counts = new Map<string, number>()
  for (const leaf of textsOf(query)) {
    for (const piece of piecesOf(leaf)) {
      const count = (counts.get(piece) ?? 0) + 1
      if (count > MOST_REPEATS) throw new QueryError(1, `A query may say the same at most ${MOST_REPEATS} times.`)
      counts.set(piece, count)
    }
  }
}

function textsOf(query: Query): TextLeaf[] {
  if (query.kind === 'and' || query.kind === 'or') return query.parts.flatMap(textsOf)
  if (query.kind === 'not') return textsOf(query.part)
  return query.kind === 'text' ? [query] : []
}

/** What the indexes are asked for: words, or every three characters in a row. */
function piecesOf(leaf: TextLeaf): readonly string[] {
  const needle = needleOf(leaf)
  if (needle.how === 'words') return needle.words
  const characters = Array.from(needle.text)
  return characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''))
}
