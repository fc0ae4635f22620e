import type { Bindings, Queries, Session, WorkspaceId } from '../db/database'
import type { Leaf, TextLeaf } from './query'
import type { Match } from './tokens'

/** What can be found. The index stores the order, as numbers: only ever add. */
export const TYPES = ['note', 'task', 'fact'] as const
export type Type = (typeof TYPES)[number]

/** What something is found by. */
export interface Texts {
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
  /** What else it is found by: `code`, `heading`. */
  readonly marks?: readonly string[]
}

/** The texts of one field, or of all. */
export function fieldsOf({ title, tags, body }: Texts, field: TextLeaf['field']): string[] {
  if (field === 'title') return [title]
  return field === 'body' ? [body] : [title, tags.join('\n'), body]
}

/** What is shown of a result. */
export interface FoundItem {
  readonly id: string
  readonly title: string
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly updated_at: number
  readonly texts: Texts
}

/** What is shown of rows whose own titles are shown, by their keys. */
export function toFoundItems<Row extends Omit<FoundItem, 'texts'> & { readonly key: number }>(
  rows: readonly Row[],
  textsOf: (row: Row) => Texts,
): Map<number, FoundItem> {
  return new Map(
    rows.map((row) => {
      const { key, id, title, revision, updated_at } = row
      return [key, { id, title, revision, updated_at, texts: textsOf(row) }]
    }),
  )
}

/** Reads what is indexed of one type, by its keys; what is gone, or in the trash, is left out. */
export type ReadTexts = (db: Queries, workspace: WorkspaceId, keys: readonly number[]) => Promise<Map<number, Texts>>

/** What a feature gives to search, of one type. */
export interface SearchSource {
  readonly texts: ReadTexts
  /** The keys of those that fulfil a leaf, as a SELECT whose `$1` is the workspace; null if none can. */
  keysOf(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null
  /** Which names, folded, are those of properties that it has; without it there are none. */
  properties?(db: Queries, workspace: WorkspaceId, names: ReadonlySet<string>): Promise<ReadonlySet<string>>
  /** What is shown of results, by their keys; what is gone by now is left out. */
  show(session: Session, keys: readonly number[]): Promise<ReadonlyMap<number, FoundItem>>
}

export type Sources = Readonly<Record<Type, SearchSource>>

/** That a thing was made or changed within a period, in SQL. */
export function periodOf(
  { kind, period: { from, to } }: Extract<Leaf, { kind: 'created' | 'updated' }>,
  bind: Bindings,
): string {
  const bounds = [from !== null && `${kind}_at >= ${bind.add(from)}`, to !== null && `${kind}_at < ${bind.add(to)}`]
  return bounds.filter(Boolean).join(' AND ') || 'TRUE'
}

/**
 * That a name, as names are compared, is one, begins with it or holds it, in SQL.
 * @param nesting what is between the levels of a name, where one of a lower level counts as well
 */
export function holdsKey(column: string, key: string, match: Match, nesting: string | null, bind: Bindings): string {
  if (match !== 'whole') return `instr(${column}, ${bind.add(key)}) ${match === 'prefix' ? '= 1' : '> 0'}`
  const own = `${column} = ${bind.add(key)}`
  return nesting === null ? own : `(${own} OR instr(${column}, ${bind.add(key + nesting)}) = 1)`
}
