import type { Bindings } from '../../db/bindings'
import type { Match } from '../../search/query'
import { inFolder, ofTag } from '../filter-store'
import { tagKey } from '../filters'
import type { RowLeaf } from './plan'

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

/** Whether the condition of a leaf reads columns of `notes`; if not, those of `note_docs` tell. */
export function readsNotes(leaf: RowLeaf): boolean {
  return leaf.kind === 'has' ? !HAS[leaf.what].startsWith('has_') : leaf.kind !== 'tag' && leaf.kind !== 'anything'
}

/**
 * The keys of the living notes that fulfil a leaf, as a SELECT that reads an index of just these; null if there is none.
 * `$1` of the statement is the workspace.
 */
export function keysOf(leaf: RowLeaf, bind: Bindings): string | null {
  if (leaf.kind === 'tag' && leaf.match === 'whole')
    return `SELECT key FROM note_tags WHERE ${ofTag(tagOf(leaf.text), bind)}`
  return isIndexed(leaf)
    ? `SELECT notes.key FROM notes WHERE workspace = $1 AND deleted_at IS NULL AND ${rowCondition(leaf, bind)}`
    : null
}

function isIndexed(leaf: RowLeaf): boolean {
  switch (leaf.kind) {
    case 'is':
      return leaf.what === 'pinned' || leaf.what === 'daily'
    case 'folder':
      return leaf.match === 'whole'
    default:
      return leaf.kind === 'created' || leaf.kind === 'updated'
  }
}

/**
 * A leaf as a condition on `notes` and `note_docs`, never NULL. `$1` of the statement is the workspace.
 * @param common whether so many notes have the tag that each is better looked up by itself
 */
export function rowCondition(leaf: RowLeaf, bind: Bindings, common = false): string {
  switch (leaf.kind) {
    case 'anything':
      return 'TRUE'
    case 'is':
      return IS[leaf.what]
    case 'has':
      return HAS[leaf.what]
    case 'tag':
      return tagCondition(tagOf(leaf.text), leaf.match, bind, common)
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

/** The plus keeps SQLite from walking along the tag: whoever wants that asks for `keysOf`. */
function tagCondition(tag: string, match: Match, bind: Bindings, common: boolean): string {
  const has = match === 'whole' ? ofTag(tag, bind) : `workspace = $1 AND ${holds('tag_key', tag, match, bind)}`
  if (common) return `EXISTS (SELECT 1 FROM note_tags WHERE note_tags.key = note_docs.key AND ${has})`
  return `+note_docs.key IN (SELECT key FROM note_tags WHERE ${has})`
}

function tagOf(text: string): string {
  return tagKey(text.replace(/^#/, ''))
}

/** Text that begins with a value, or has it anywhere. */
function holds(expression: string, value: string, match: Match, bind: Bindings): string {
  return `instr(${expression}, ${bind.add(value)}) ${match === 'prefix' ? '= 1' : '> 0'}`
}
