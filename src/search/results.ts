/** What a search is given and what it gives back. */
import type { Bindings } from '../db/database'
import type { Position, Relaxed } from './cursor'
import type { Word } from './plan'
import type { Query } from './query'
import type { Type } from './source'
import type { IndexView } from './view'

export interface SearchOptions {
  readonly query: Query
  readonly types: readonly Type[]
  readonly limit: number
  /** Asks for all words as they were typed. */
  readonly strict?: boolean
  /** The last word is a beginning. */
  readonly prefix?: boolean
  /** Words, folded, that are beginnings where they occur nowhere as whole words; for a first page. */
  readonly beginnings?: ReadonlySet<string>
  /** What `open` gave, where a request searches more than once. */
  readonly view?: IndexView
  /** Ranks by meaning as well, where that is set up, and neither `strict` nor `prefix` is set. */
  readonly meaning?: boolean
  /** Where the page before ended. */
  readonly after?: Position | null
  /** The keys that may be found at all, as a SELECT whose `$1` is the workspace; of one type. */
  readonly selectAllowed?: ((bind: Bindings) => string) | null
}

export interface Correction {
  readonly from: string
  readonly to: string
}

export interface Found {
  readonly type: Type
  readonly key: number
  readonly doc: number
  readonly score: number
}

export interface Results {
  readonly found: readonly Found[]
  readonly relaxed: Relaxed
  /** Words that occur nowhere. */
  readonly ignored: readonly string[]
  readonly corrected: readonly Correction[]
  /** Whether meaning has a part in the order: some results may have none of the words. */
  readonly meaning: boolean
  /** The words that were looked for, folded; for snippets. */
  readonly words: readonly Word[]
  /** Not everything could be looked at: the index is still being made, or too many texts had to be read. */
  readonly limited: boolean
  readonly next: Position | null
}
