import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, nullable, pageOf } from '../../http/schema'
import { closed, MERGE_PATCH, Name, Position, paging, place, stamps } from '../named/schema'
import { SortBy, type Sort as SortName } from '../schema'

const example = {
  id: '01980000-0000-7000-8000-0000000000e0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  name: 'Now',
  filter: 'today or overdue',
  sort: '-priority' as const,
  position: 'a0',
}

const Filter = t.String({ description: 'Which tasks, as `filter` of the list takes it; at most 1,000 characters.' })
// Types cannot look into a union that was made from a list.
const Sort = nullable(Type.Unsafe<SortName>(SortBy))

export const SavedFilter = t.Object(
  { ...stamps, filter: t.String(), sort: Sort, position: Position },
  { examples: [example] },
)
export const SavedFilterPage = pageOf(SavedFilter)

export const CreateSavedFilter = t.Object(
  { id: t.Optional(Id), name: Name, filter: Filter, sort: t.Optional(Sort), ...place },
  { ...closed, examples: [{ name: 'Now', filter: 'today or overdue', sort: '-priority' }] },
)

export const UpdateSavedFilter = t.Object(
  { name: t.Optional(Name), filter: t.Optional(Filter), sort: t.Optional(Sort), ...place },
  { ...closed, description: MERGE_PATCH, examples: [{ filter: 'today', after: null }] },
)

export const ListSavedFilters = t.Object(paging, closed)

export type SavedFilter = Static<typeof SavedFilter>
export type CreateSavedFilter = Static<typeof CreateSavedFilter>
export type UpdateSavedFilter = Static<typeof UpdateSavedFilter>
export type ListSavedFilters = Static<typeof ListSavedFilters>
