import type { Bindings, Queries, Reader, Session, WorkspaceId } from '../db/database'
import type { Leaf, TextLeaf } from './query'
import type { Shown } from './schema'
import type { Match } from './tokens'

/** The types that can be found. */
export const TYPES = ['note', 'task', 'fact'] as const
export type Type = (typeof TYPES)[number]

/** The texts that something is found by. */
export interface Texts {
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
  /** Further facts that it is found by: `code`, `heading`. */
  readonly marks?: readonly string[]
}

/** Lists the texts of one field, or of all. */
export function listFields({ title, tags, body }: Texts, field: TextLeaf['field']): string[] {
  if (field === 'title') return [title]
  return field === 'body' ? [body] : [title, tags.join('\n'), body]
}

/** A result as a search returns it. */
export interface FoundItem<Of extends Type = Type> {
  readonly id: string
  readonly title: string
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly updated_at: number
  readonly texts: Texts
  /** The members that only results of its type have. */
  readonly shown: Shown[Of]
}

/** Converts rows with their own titles to results, by key. */
export function toFoundItems<
  Of extends Type,
  Row extends Omit<FoundItem, 'texts' | 'shown'> & { readonly key: number },
>(rows: readonly Row[], textsOf: (row: Row) => Texts, shownOf: (row: Row) => Shown[Of]): Map<number, FoundItem<Of>> {
  return new Map(
    rows.map((row) => {
      const { key, id, title, revision, updated_at } = row
      return [key, { id, title, revision, updated_at, texts: textsOf(row), shown: shownOf(row) }]
    }),
  )
}

/** Reads the indexed texts of one type by key; those erased or in the trash are left out. */
export type ReadTexts = (reader: Reader, keys: readonly number[]) => Promise<Map<number, Texts>>

/** The provider of one type of resource for search, implemented by each feature. */
export interface SearchSource<Of extends Type = Type> {
  readonly readTexts: ReadTexts
  /** Finds the keys of ids, as the change feed names them. See `findKeysIn`. */
  findKeys(db: Queries, workspace: WorkspaceId, ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Builds a SELECT of the keys that fulfil a leaf; its `$1` is the workspace. Null if none can. */
  selectKeys(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null
  /** Returns the folded names that are properties; without it there are none. */
  listProperties?(reader: Reader, names: ReadonlySet<string>): Promise<ReadonlySet<string>>
  /** Reads results by key; those that are gone are left out. */
  readItems(session: Session, keys: readonly number[]): Promise<ReadonlyMap<number, FoundItem<Of>>>
}

export type SearchSources = Readonly<Record<Type, SearchSource>>

/** Builds the SQL condition that a resource was created or changed within a period. */
export function buildPeriodCondition(
  { kind, period: { from, to } }: Extract<Leaf, { kind: 'created' | 'updated' }>,
  bind: Bindings,
): string {
  const bounds = [from !== null && `${kind}_at >= ${bind.add(from)}`, to !== null && `${kind}_at < ${bind.add(to)}`]
  return bounds.filter(Boolean).join(' AND ') || 'TRUE'
}

/**
 * Builds the SQL condition that a name equals a text, begins with it or holds it.
 * @param key the text in the form in which names are compared
 * @param nesting the separator between the levels of a name, if names below the text match as well; else null
 */
export function buildKeyCondition(
  column: string,
  key: string,
  match: Match,
  nesting: string | null,
  bind: Bindings,
): string {
  if (match !== 'whole') return `instr(${column}, ${bind.add(key)}) ${match === 'prefix' ? '= 1' : '> 0'}`
  const equal = `${column} = ${bind.add(key)}`
  return nesting === null ? equal : `(${equal} OR instr(${column}, ${bind.add(key + nesting)}) = 1)`
}
