import { Bindings } from '../../db/bindings'
import type { WorkspaceId } from '../../db/database'
import type { Range } from './doc-index.sqlite'
import type { Match, Plan, RowLeaf } from './plan'
import { readsNotes, rowCondition } from './row-condition.sqlite'

/** What is asked for, and how it is written down in SQL. */
export class Statement {
  readonly bind: Bindings
  /** Whether a condition that was written down reads columns of `notes`. */
  readsNotes = false

  constructor(
    workspace: WorkspaceId,
    readonly range: Range,
    /**
     * The row of a note. The plus keeps SQLite from looking every match up in the list of each note, and not each note in
     * the list of the matches: seconds, not milliseconds.
     */
    private readonly doc = '+note_docs.doc',
    /** Tags that so many notes have that each note is looked up, and no list of those notes is made. */
    private readonly common: ReadonlySet<RowLeaf> = new Set(),
  ) {
    this.bind = new Bindings(workspace)
  }

  /** The rows of one index that match, within the workspace's range. */
  matching({ index, expression }: Match): string {
    const table = `notes_${index}`
    return `${table} MATCH ${this.bind.add(expression)} AND ${this.within(`${table}.rowid`)}`
  }

  within(row: string): string {
    return `${row} BETWEEN ${this.bind.add(this.range[0])} AND ${this.bind.add(this.range[1])}`
  }

  condition(plan: Plan): string {
    switch (plan.kind) {
      case 'match':
        return `${this.doc} ${plan.negated ? 'NOT IN' : 'IN'} (SELECT rowid FROM notes_${plan.index} WHERE ${this.matching(plan)})`
      case 'row':
        this.readsNotes ||= readsNotes(plan.leaf)
        return rowCondition(plan.leaf, this.bind, this.common.has(plan.leaf))
      case 'not':
        return `NOT ${this.condition(plan.part)}`
      default:
        return `(${plan.parts.map((part) => this.condition(part)).join(plan.kind === 'and' ? ' AND ' : ' OR ')})`
    }
  }
}
