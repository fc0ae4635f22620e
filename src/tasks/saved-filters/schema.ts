import { type Static, t } from 'elysia'
import { Id, nullable, pageOf } from '../../http/schema'
import {
  CLOSED_GROUP,
  GroupName,
  GroupPosition,
  groupMembers,
  groupMove,
  groupPaging,
  MERGE_PATCH,
} from '../groups/schema'
import { SortBy } from '../list-schema'

const example = {
  id: '01980000-0000-7000-8000-0000000000e0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  name: 'Now',
  filter: 'today or overdue',
  sort: '-priority,due',
  position: 'a0',
}

const Filter = t.String({ description: 'Which tasks, like `filter` of the list; at most 1,000 characters.' })
const Sort = nullable(SortBy)

export const SavedFilter = t.Object(
  { ...groupMembers, filter: t.String(), sort: Sort, position: GroupPosition },
  { examples: [example] },
)
export const SavedFilterPage = pageOf(SavedFilter)

export const CreateSavedFilter = t.Object(
  { id: t.Optional(Id), name: GroupName, filter: Filter, sort: t.Optional(Sort), ...groupMove },
  { ...CLOSED_GROUP, examples: [{ name: 'Now', filter: 'today or overdue', sort: '-priority,due' }] },
)

export const UpdateSavedFilter = t.Object(
  { name: t.Optional(GroupName), filter: t.Optional(Filter), sort: t.Optional(Sort), ...groupMove },
  { ...CLOSED_GROUP, description: MERGE_PATCH, examples: [{ filter: 'today', after: null }] },
)

export const ListSavedFilters = t.Object(groupPaging, CLOSED_GROUP)

export type SavedFilter = Static<typeof SavedFilter>
export type CreateSavedFilter = Static<typeof CreateSavedFilter>
export type UpdateSavedFilter = Static<typeof UpdateSavedFilter>
export type ListSavedFilters = Static<typeof ListSavedFilters>
