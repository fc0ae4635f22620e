import type { Bindings, Queries, WorkspaceId } from '../db/database'
import { integersIn } from '../db/dialect'
import { titleKey } from '../lib/text'
import type { Leaf, TextLeaf } from '../search/query'
import { buildKeyCondition, buildPeriodCondition, type SearchSource, type Texts, toFoundItems } from '../search/source'
import type { TaskRow } from './store'

/** The tasks for the search: a task's labels are its tags, its notes are its body. */
export const taskSource: SearchSource = {
  async readTexts(db, workspace, keys) {
    return new Map((await listTexts(db, workspace, keys)).map((task) => [task.key, toTexts(task)]))
  },

  selectKeys(leaf, bind) {
    const condition = buildCondition(leaf, bind)
    return condition && `SELECT key FROM tasks WHERE workspace = $1 AND deleted_at IS NULL AND ${condition}`
  },

  async readItems({ db, workspace }, keys) {
    return toFoundItems(await listTexts(db, workspace.id, keys), toTexts)
  },
}

type Row = Pick<TaskRow, 'key' | 'id' | 'revision' | 'updated_at' | 'title' | 'notes' | 'labels'>

function listTexts(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<Row[]> {
  return db.all(
    `SELECT key, id, revision, updated_at, title, notes, labels FROM tasks
     WHERE +workspace = $1 AND key IN ${integersIn('$2')} AND +deleted_at IS NULL`,
    [workspace, JSON.stringify(keys)],
  )
}

function toTexts({ title, notes, labels }: Row): Texts {
  return { title, tags: JSON.parse(labels), body: notes }
}

function buildCondition(leaf: Exclude<Leaf, TextLeaf>, bind: Bindings): string | null {
  if (leaf.kind === 'created' || leaf.kind === 'updated') return buildPeriodCondition(leaf, bind)
  if (leaf.kind !== 'tag') return null
  return `key IN (SELECT task FROM task_label_uses JOIN task_labels ON task_labels.key = label
    WHERE task_labels.workspace = $1 AND ${buildKeyCondition('name_key', titleKey(leaf.text.replace(/^#/, '')), leaf.match, null, bind)})`
}
