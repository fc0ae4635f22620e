import { wordsOf } from './fold'
import { needleOf, patternOf, textLeaves } from './needle'
import type { Query } from './query'

/** How well something fits a query, by where the words stand: comparable over types, and told by its own texts alone. */
export interface Place {
  /** Two for each text that stands in the title, one for each that stands in the tags only. */
  readonly standing: number
  /** How much of the title was asked for, 0..1. */
  readonly coverage: number
}

/** The better first: what stands in titles, then titles that hold little else, then what changed last. */
export function byPlace(a: Place & { updated_at: number }, b: Place & { updated_at: number }): number {
  return b.standing - a.standing || b.coverage - a.coverage || b.updated_at - a.updated_at
}

/** Tells places for one query, of folded texts; tags a line each. */
export function placing(query: Query): (texts: { readonly title: string; readonly tags: string }) => Place {
  const sought = textLeaves(query).flatMap((leaf) => {
    const [pattern, needle] = [patternOf(leaf), needleOf(leaf)]
    return pattern
      ? [{ pattern, field: leaf.field, length: lengthOf(needle.how === 'words' ? needle.words : [needle.text]) }]
      : []
  })
  return ({ title, tags }) => {
    let [standing, covered] = [0, 0]
    for (const { pattern, field, length } of sought) {
      if (field !== 'body' && title.search(pattern) >= 0) [standing, covered] = [standing + 2, covered + length]
      else if (field === null && tags.search(pattern) >= 0) standing += 1
    }
    return { standing, coverage: covered === 0 ? 0 : Math.min(1, covered / titleLength(title)) }
  }
}

/** Letters and digits alone, if there are any: commas cover nothing. */
function titleLength(title: string): number {
  return Math.max(1, lengthOf(wordsOf(title)) || title.length)
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}
