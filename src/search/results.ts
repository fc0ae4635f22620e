/** The options and results of a search. */
import type { Bindings } from '../db/database'
import type { Position, Relaxed } from './cursor'
import type { View } from './files'
import type { Word } from './plan'
import type { Query } from './query'
import type { Type } from './source'

/** The options of a search. */
export interface SearchOptions {
  readonly query: Query
  readonly types: readonly Type[]
  readonly limit: number
  /** Requires all words, as they were typed. */
  readonly strict?: boolean
  /** Whether the last word is a beginning. */
  readonly prefix?: boolean
  /** Folded words that may be beginnings if they occur nowhere as whole words. */
  readonly beginnings?: ReadonlySet<string>
  /** Weights of folded words, where any other word weighs 1. */
  readonly weights?: ReadonlyMap<string, number>
  /** The view that `open` returned, if a request searches more than once. */
  readonly view?: View
  /** Ranks by meaning as well, if that is set up and neither `strict` nor `prefix` is set. */
  readonly meaning?: boolean
  /** The end of the previous page. */
  readonly after?: Position | null
  /** Builds a SELECT of the keys that may be found at all; its `$1` is the workspace. For searches of one type. */
  readonly selectAllowed?: ((bind: Bindings) => string) | null
}

/** The correction of a slip. */
export interface Correction {
  readonly from: string
  readonly to: string
}

/** A document that was found. */
export interface Found {
  readonly type: Type
  readonly key: number
  readonly doc: number
  readonly score: number
  /** The number of words of the query that it has; 0 if it was found by meaning alone. */
  readonly words: number
}

/** How a query was understood. */
export interface Understood {
  /** How many of the words the best results have. Those with fewer come after them. */
  readonly relaxed: Relaxed
  /** Words that occur nowhere. */
  readonly ignored: readonly string[]
  readonly corrected: readonly Correction[]
  /** The words that were searched, for snippets. */
  readonly words: readonly Word[]
  /** Whether the results may be incomplete: indexing is not finished, or too many texts would have to be read. */
  readonly limited: boolean
}

/** One page of results. */
export interface Results extends Understood {
  readonly found: readonly Found[]
  /** Whether the order is by meaning as well: then some results may have none of the words. */
  readonly meaning: boolean
  readonly next: Position | null
}

/** All results, in no order: those with all of the words if there are any, else those with most, or some. */
export interface AllResults extends Understood {
  readonly keys: readonly number[]
  /** Counts the words that some of them have, by key; for searches of one type. */
  readonly countWords: (keys: readonly number[]) => Promise<ReadonlyMap<number, number>>
}
