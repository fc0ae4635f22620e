import { titleKey } from '../../lib/text'
import type { GroupMatch, GroupNames } from './names-store'
import { type Filter, FilterError, type Formula, type NameTerm, type PlainTerm } from './syntax'

/** A term as it is looked for: names have become what they name, and text is folded. Several sections may share a name. */
export type ResolvedTerm =
  | PlainTerm
  | { readonly kind: 'project' | 'section'; readonly ids: readonly string[] }
  | { readonly kind: 'label'; readonly keys: readonly number[] }

export type ResolvedFilter = Formula<ResolvedTerm>

/** The names of a filter, in the form in which they are compared. */
export function namesOfFilter(filter: Filter): GroupNames {
  const names: Record<keyof GroupNames, string[]> = { project: [], section: [], label: [] }
  const walk = (part: Filter) => {
    if (part.kind === 'and' || part.kind === 'or') part.parts.forEach(walk)
    else if (part.kind === 'not') walk(part.part)
    else if (isName(part)) names[part.kind].push(titleKey(part.name))
  }
  walk(filter)
  return names
}

/** Puts what is named in the place of its name. Throws FilterError at the first name that there is not. */
export function resolveFilter(filter: Filter, found: readonly GroupMatch[]): ResolvedFilter {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { kind: filter.kind, parts: filter.parts.map((part) => resolveFilter(part, found)) }
  if (filter.kind === 'not') {
    const part = resolveFilter(filter.part, found)
    // An index tells what is undated, and none what is not something.
    return part.kind === 'has' && part.what === 'due' ? { kind: 'state', state: 'undated' } : { kind: 'not', part }
  }
  if (isName(filter)) return named(filter, found)
  return filter.kind === 'text' ? { kind: 'text', text: titleKey(filter.text) } : filter
}

function named(term: NameTerm, found: readonly GroupMatch[]): ResolvedTerm {
  const key = titleKey(term.name)
  const rows = found.filter(({ kind, name_key }) => kind === term.kind && name_key === key)
  if (rows.length === 0)
    throw new FilterError(term, `unknown_${term.kind}`, `there is no ${term.kind} of the name ${term.name}`)
  if (term.kind === 'label') return { kind: 'label', keys: rows.map((row) => row.key) }
  return { kind: term.kind, ids: rows.map((row) => row.id) }
}

function isName(term: PlainTerm | NameTerm): term is NameTerm {
  return term.kind === 'project' || term.kind === 'section' || term.kind === 'label'
}
