import { type NamedRow, namedStore } from '../named/store'
import type { Sort } from '../schema'

export interface SavedFilterRow extends NamedRow {
  readonly filter: string
  readonly sort: Sort | null
  readonly position: string
}

export const savedFilterStore = namedStore<SavedFilterRow>({
  table: 'task_filters',
  own: ['filter', 'sort', 'position'],
  computed: [],
  order: ['position', 'id'],
  scope: null,
})
