import type { Bindings } from '../../db/bindings'
import { inFolder, tagged } from '../filter-store'
import { tagKey } from '../filters'
import type { RowLeaf } from './plan'
import type { Match } from './query'

const FOLDER = "coalesce(folder, '')"

const IS = {
  pinned: 'pinned = 1',
  archived: 'archived_at IS NOT NULL',
  daily: 'daily_date IS NOT NULL',
  // Nothing links to it, and it links to nothing.
  orphan: '(links_in = 0 AND links_out = 0)',
  untagged: "(notes.tags = '[]' AND inline_tags = '[]')",
} as const

const HAS = {
  link: 'links_out > 0',
  checklist: 'checklist_total > 0',
  todo: 'checklist_total > checklist_done',
  code: 'has_code = 1',
  heading: 'has_heading = 1',
} as const

/** A leaf as a condition on `notes` and `note_docs`, never NULL. `$1` of the statement is the workspace. */
export function rowCondition(leaf: RowLeaf, bind: Bindings): string {
  switch (leaf.kind) {
    case 'anything':
      return 'TRUE'
    case 'is':
      return IS[leaf.what]
    case 'has':
      return HAS[leaf.what]
    case 'tag':
      return tagCondition(tagKey(leaf.text.replace(/^#/, '')), leaf.match, bind)
    case 'folder':
      return leaf.match === 'whole' ? inFolder(leaf.text, bind) : holds(FOLDER, leaf.text, leaf.match, bind)
    default: {
      const column = `${leaf.kind}_at`
      const { from, to } = leaf.period
      const from_ = from === null ? 'TRUE' : `${column} >= ${bind.add(from)}`
      return `(${from_} AND ${to === null ? 'TRUE' : `${column} < ${bind.add(to)}`})`
    }
  }
}

function tagCondition(tag: string, match: Match, bind: Bindings): string {
  if (match === 'whole') return tagged(tag, false, bind)
  return `notes.key IN (SELECT key FROM note_tags WHERE workspace = $1 AND ${holds('tag_key', tag, match, bind)})`
}

/** Text that begins with a value, or has it anywhere. */
function holds(expression: string, value: string, match: Match, bind: Bindings): string {
  return `instr(${expression}, ${bind.add(value)}) ${match === 'prefix' ? '= 1' : '> 0'}`
}
