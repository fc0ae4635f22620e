import type { Bindings } from '../db/bindings'
import { needleOf } from './needle'
import type { Leaf, Match, Query, TextLeaf } from './query'
import { TEXT_FENCE, tagKey, WORD_FENCE } from './texts'

/** Where the things of one type are kept; the names are its feature's own, never a caller's. */
export interface Kind {
  /** As `search_texts` has it. */
  readonly type: 'task' | 'fact'
  readonly table: string
  readonly trashedAt: 'deleted_at' | 'trashed_at'
  /** What stands between the levels of a tag; null if tags have none. */
  readonly nesting: string | null
}

/** A query as a condition on rows of `search_texts`, exact and never NULL. Fields that only notes have match nothing. */
export function conditionOf(query: Query, kind: Kind, bind: Bindings): string {
  switch (query.kind) {
    case 'and':
    case 'or':
      return `(${query.parts.map((part) => conditionOf(part, kind, bind)).join(query.kind === 'and' ? ' AND ' : ' OR ')})`
    case 'not':
      return `NOT ${conditionOf(query.part, kind, bind)}`
    default:
      return leafCondition(query, kind, bind)
  }
}

/** That a row's thing is not in the trash. */
export function isLiving({ table, trashedAt }: Kind): string {
  return `EXISTS (SELECT 1 FROM ${table} AS own WHERE own.key = texts.key AND own.${trashedAt} IS NULL)`
}

function leafCondition(leaf: Leaf, { table, nesting }: Kind, bind: Bindings): string {
  switch (leaf.kind) {
    case 'text':
      return textCondition(leaf, bind)
    case 'tag':
      return tagCondition(tagKey(leaf.text), leaf.match, nesting, bind)
    case 'created':
    case 'updated': {
      const { from, to } = leaf.period
      const column = `own.${leaf.kind}_at`
      const within = [from !== null && `${column} >= ${bind.add(from)}`, to !== null && `${column} < ${bind.add(to)}`]
      return `EXISTS (SELECT 1 FROM ${table} AS own WHERE ${['own.key = texts.key', ...within].filter(Boolean).join(' AND ')})`
    }
    default:
      return 'FALSE'
  }
}

function textCondition(leaf: TextLeaf, bind: Bindings): string {
  const needle = needleOf(leaf)
  if (needle.how === 'words') {
    const sought = ` ${needle.words.join(' ')}${needle.prefix ? '' : ' '}`
    const longest = needle.words.reduce((one, other) => (other.length > one.length ? other : one))
    // Nearly every row is ruled out by this, in half the time: GLOB tries anew at each blank.
    const ruling = `words GLOB ${bind.add(holding(longest))}`
    return `(${ruling} AND words GLOB ${bind.add(within(leaf.field, sought, WORD_FENCE))})`
  }
  if (needle.text === '') return 'TRUE'
  if (needle.text.includes(TEXT_FENCE)) return 'FALSE'
  return `text GLOB ${bind.add(within(leaf.field, needle.text, TEXT_FENCE))}`
}

/** What stands before both fences is in the title, what stands behind them in the body. */
function within(field: TextLeaf['field'], sought: string, fence: string): string {
  const fences = `*${fence}*${fence}`
  return `${field === 'body' ? fences : ''}${holding(sought)}${field === 'title' ? `${fence}*${fence}*` : ''}`
}

function tagCondition(tag: string, match: Match, nesting: string | null, bind: Bindings): string {
  if (match === 'substring') return `tag_keys GLOB ${bind.add(holding(tag))}`
  if (match === 'prefix') return `tag_keys GLOB ${bind.add(holding(`\n${tag}`))}`
  const wholes = [`\n${tag}\n`, ...(nesting === null ? [] : [`\n${tag}${nesting}`])]
  return `(${wholes.map((whole) => `tag_keys GLOB ${bind.add(holding(whole))}`).join(' OR ')})`
}

/** GLOB goes through texts quicker than instr does. */
function holding(text: string): string {
  return `*${text.replace(/[*?[]/g, '[$&]')}*`
}
