import { needleOf } from '../../search/needle'
import type { Query, TextLeaf } from '../../search/query'
import { beginningWord, pairWord } from './pairs'

/** How a query is carried out: which index is asked for what, and what is left to the rows of notes. */

/** The full text indexes: whole words; pieces of three characters; what is shorter than that. */
export type Index = 'words' | 'trigrams' | 'pairs'

export type Plan =
  | Match
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Plan[] }
  | { readonly kind: 'not'; readonly part: Plan }
  | { readonly kind: 'row'; readonly leaf: RowLeaf }

/** The notes that one index finds, or those that it does not. */
export interface Match {
  readonly kind: 'match'
  readonly index: Index
  /** An FTS5 expression of quoted strings. */
  readonly expression: string
  readonly negated: boolean
}

/** What is looked up in the rows: everything but text; and text of which folding leaves nothing, which is everywhere. */
export type RowLeaf = Exclude<Query, { kind: 'and' | 'or' | 'not' | 'text' }> | { readonly kind: 'anything' }

export function planOf(query: Query): Plan {
  switch (query.kind) {
    case 'and':
    case 'or':
      return gathered(query.kind, query.parts.map(planOf))
    case 'not':
      return negated(planOf(query.part))
    case 'text':
      return matchOf(query)
    default:
      return { kind: 'row', leaf: query }
  }
}

/** What all must hold for a note to be found. */
export function partsOf(plan: Plan): readonly Plan[] {
  return plan.kind === 'and' ? plan.parts : [plan]
}

function matchOf(leaf: TextLeaf): Plan {
  const needle = needleOf(leaf)
  const column = leaf.field === null ? '' : `${leaf.field} : `
  const match = (index: Index, text: string, suffix = ''): Match =>
    matchFor(index, `${column}"${text.replaceAll('"', '""')}"${suffix}`)
  if (needle.how === 'words') {
    const [first = '', ...others] = needle.words
    // FTS5 would gather every word that begins so, before the first note is found.
    if (needle.prefix && others.length === 0 && isShort(first)) return match('pairs', beginningWord(first))
    return match('words', needle.words.join(' '), needle.prefix ? ' *' : '')
  }
  if (needle.text === '') return { kind: 'row', leaf: { kind: 'anything' } }
  return isShort(needle.text) ? match('pairs', pairWord(needle.text)) : match('trigrams', needle.text)
}

function matchFor(index: Index, expression: string, negated = false): Match {
  return { kind: 'match', index, expression, negated }
}

function isShort(text: string): boolean {
  return Array.from(text).length < 3
}

function negated(plan: Plan): Plan {
  if (plan.kind === 'match') return { ...plan, negated: !plan.negated }
  return plan.kind === 'not' ? plan.part : { kind: 'not', part: plan }
}

/** One match for each index, since FTS5 joins its own lists quickest; then what no index knows. */
function gathered(kind: 'and' | 'or', parts: readonly Plan[]): Plan {
  const flat = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))
  const matches = flat.filter((part) => part.kind === 'match')
  const merged = (['trigrams', 'pairs', 'words'] as const).flatMap((index) => {
    const own = matches.filter((match) => match.index === index)
    return own.length > 0 ? [mergedMatch(kind, index, own)] : []
  })
  const all = [...merged, ...flat.filter((part) => part.kind !== 'match')]
  const [only] = all
  return only && all.length === 1 ? only : { kind, parts: all }
}

/** FTS5 has no negation but `a NOT b`: `-a -b` is not (a or b), and `a OR -b` is not (b without a). */
function mergedMatch(kind: 'and' | 'or', index: Index, matches: readonly Match[]): Match {
  const expressions = (negated: boolean) =>
    matches.filter((match) => match.negated === negated).map((match) => `(${match.expression})`)
  const [plain, without] = [expressions(false), expressions(true)]
  const [join, dual] = kind === 'and' ? [' AND ', ' OR '] : [' OR ', ' AND ']
  if (without.length === 0) return matchFor(index, plain.join(join))
  if (plain.length === 0) return matchFor(index, without.join(dual), true)
  const [kept, cut] = kind === 'and' ? [plain.join(join), without.join(dual)] : [without.join(dual), plain.join(join)]
  return matchFor(index, `(${kept}) NOT (${cut})`, kind === 'or')
}
