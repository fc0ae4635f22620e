import type { Session } from '../db/database'
import type { Query } from './query'
import type { Place } from './rank'
import type { Snippet } from './schema'

/** How the search over everything asks for what there is of one type. */
export interface Finder {
  /** Of what a query finds, `limit` behind the best `from`, in the type's own order. */
  find(session: Session, query: Query, page: { readonly from: number; readonly limit: number }): Promise<Finds>
  /** What is shown of finds, by their keys; less what is gone by now. */
  show(session: Session, query: Query, finds: readonly Find[]): Promise<ReadonlyMap<number, Shown>>
}

export interface Finds {
  readonly finds: readonly Find[]
  /** Whether more match than were ranked. */
  readonly limited: boolean
}

/** Something that was found, as far as its place among others of any type is told by it. */
export interface Find extends Place {
  readonly key: number
  readonly id: string
  /** Milliseconds since 1970. */
  readonly updated_at: number
}

/** What is shown of a find. */
export interface Shown {
  readonly id: string
  readonly title: string
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly updated_at: number
  readonly snippets: Snippet[]
}

/** How many matches of a type are ranked. */
export const RANKED = 2000
