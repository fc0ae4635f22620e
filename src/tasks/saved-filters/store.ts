import { createGroupStore, type GroupRow } from '../groups/store'

/** A row of `task_filters`: instants are milliseconds. */
export interface SavedFilterRow extends GroupRow {
  readonly filter: string
  /** Sort keys separated by commas. */
  readonly sort: string | null
  readonly position: string
}

export const savedFilterStore = createGroupStore<SavedFilterRow>({
  table: 'task_filters',
  columns: ['filter', 'sort', 'position'],
  computed: [],
  order: ['position', 'id'],
  scope: null,
})
