import { createGroupStore, type GroupRow } from '../groups/store'
import type { TaskSort } from '../schema'

/** A row of `task_filters`: instants are milliseconds. */
export interface SavedFilterRow extends GroupRow {
  readonly filter: string
  readonly sort: TaskSort | null
  readonly position: string
}

export const savedFilterStore = createGroupStore<SavedFilterRow>({
  table: 'task_filters',
  columns: ['filter', 'sort', 'position'],
  computed: [],
  order: ['position', 'id'],
  scope: null,
})
