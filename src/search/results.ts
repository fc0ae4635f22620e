/** The options and results of a search. */
import type { Bindings } from '../db/database'
import type { Position, Relaxed } from './cursor'
import type { Word } from './plan'
import type { Query } from './query'
import type { Type } from './source'
import type { IndexView } from './view'

/** The options of a search. */
export interface SearchOptions {
  readonly query: Query
  readonly types: readonly Type[]
  readonly limit: number
  /** Requires all words, as they were typed. */
  readonly strict?: boolean
  /** Whether the last word is a beginning. */
  readonly prefix?: boolean
  /** Folded words that may be beginnings if they occur nowhere as whole words; for a first page. */
  readonly beginnings?: ReadonlySet<string>
  /** Weights of folded words, where any other word weighs 1; for a first page. */
  readonly weights?: ReadonlyMap<string, number>
  /** The view that `open` returned, if a request searches more than once. */
  readonly view?: IndexView
  /** Ranks by meaning as well, if that is set up and neither `strict` nor `prefix` is set. */
  readonly meaning?: boolean
  /** The end of the previous page. */
  readonly after?: Position | null
  /** Builds a SELECT of the keys that may be found at all; its `$1` is the workspace. For searches of one type. */
  readonly selectAllowed?: ((bind: Bindings) => string) | null
}

/** The correction of a typo. */
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
  /** How many of the words that were searched it has. */
  readonly words: number
}

/** One page of results. */
export interface Results {
  readonly found: readonly Found[]
  readonly relaxed: Relaxed
  /** Words that occur nowhere. */
  readonly ignored: readonly string[]
  readonly corrected: readonly Correction[]
  /** Whether the order is by meaning as well: then some results may have none of the words. */
  readonly meaning: boolean
  /** The words that were searched, for snippets. */
  readonly words: readonly Word[]
  /** Whether the results may be incomplete: indexing is not finished, or too many texts would have to be read. */
  readonly limited: boolean
  readonly next: Position | null
}
