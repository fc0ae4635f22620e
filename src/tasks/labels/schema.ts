import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, pageOf } from '../../http/schema'
import { CLOSED_GROUP, Color, GroupName, groupMembers, groupPaging, MERGE_PATCH } from '../groups/schema'

const example = {
  id: '01980000-0000-7000-8000-0000000000d0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  name: 'bills',
  color: '#cc6633',
  count: 3,
}

export const Label = t.Object(
  {
    ...groupMembers,
    color: Color,
    count: Type.Integer({ minimum: 0, description: 'Tasks with the label, outside the trash.' }),
  },
  { examples: [example] },
)
export const LabelPage = pageOf(Label)

export const CreateLabel = t.Object(
  { id: t.Optional(Id), name: GroupName, color: t.Optional(Color) },
  { ...CLOSED_GROUP, examples: [{ name: 'errands', color: '#cc6633' }] },
)

export const UpdateLabel = t.Object(
  { name: t.Optional(GroupName), color: t.Optional(Color) },
  { ...CLOSED_GROUP, description: MERGE_PATCH, examples: [{ color: '#33cc66' }] },
)

export const ListLabels = t.Object(groupPaging, CLOSED_GROUP)

export type Label = Static<typeof Label>
export type CreateLabel = Static<typeof CreateLabel>
export type UpdateLabel = Static<typeof UpdateLabel>
export type ListLabels = Static<typeof ListLabels>
