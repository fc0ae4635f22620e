import { Type as t } from '@sinclair/typebox'
import { text } from '../../db/table'
import { nullable } from '../../http/schema'
import { requireLength } from '../../http/values'
import { checkFilter } from '../filter/service'
import { SortBy } from '../list-schema'
import { createGroupTable, declareGroup, GroupPosition } from './group'

export const MAX_SAVED_FILTER_CHARS = 1000

const Sort = nullable(SortBy)

export const savedFilterGroup = declareGroup({
  type: 'task_filter',
  noun: 'filter',
  names: ['SavedFilter', 'SavedFilter'],
  path: '/api/tasks/filters',
  tag: 'Labels and filters',
  table: createGroupTable('task_filters', {
    filter: text(),
    /** Sort keys separated by commas. */
    sort: text<string | null>(),
    position: text(),
  }),
  order: ['position', 'id'],
  scope: null,
  texts: ['name', 'filter'],
  shown: { filter: t.String(), sort: Sort, position: GroupPosition },
  show: ({ filter, sort, position }) => ({ filter, sort, position }),
  once: {},
  settable: {
    filter: t.String({ description: 'Which tasks, like `filter` of the list; at most 1,000 characters.' }),
    sort: t.Optional(Sort),
  },

  /** A filter is checked when it is saved; names in it may be deleted later. */
  async read(session, { filter, sort }, old, at) {
    if (filter !== undefined) {
      requireLength(filter, MAX_SAVED_FILTER_CHARS, '/filter')
      await checkFilter(session, filter, at)
    }
    return { filter: filter ?? old?.filter ?? '', sort: sort === undefined ? (old?.sort ?? null) : sort }
  },

  refused: { write: ['invalid_filter'] },
  examples: {
    shown: {
      id: '01980000-0000-7000-8000-0000000000e0',
      name: 'Now',
      filter: 'today or overdue',
      sort: '-priority,due',
      position: 'a0',
    },
    create: { name: 'Now', filter: 'today or overdue', sort: '-priority,due' },
    update: { filter: 'today', after: null },
  },
  notes: {
    list: 'By position.',
    remove: 'Moves the filter to the trash for 30 days; `permanent=true` erases it immediately. No task changes.',
    restore: 'Brings the filter back from the trash.',
  },
})

export type SavedFilter = ReturnType<typeof savedFilterGroup.show>['resource']
