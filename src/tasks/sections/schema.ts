import { type Static, t } from 'elysia'
import { Id, pageOf } from '../../http/schema'
import {
  CLOSED_GROUP,
  GroupName,
  GroupPosition,
  groupMembers,
  groupMove,
  groupPaging,
  MERGE_PATCH,
} from '../groups/schema'

const example = {
  id: '01980000-0000-7000-8000-0000000000c0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  project_id: '01980000-0000-7000-8000-0000000000b0',
  name: 'Kitchen',
  position: 'a0',
}

export const TaskSection = t.Object(
  { ...groupMembers, project_id: Id, position: GroupPosition },
  { examples: [example] },
)
export const TaskSectionPage = pageOf(TaskSection)

export const CreateSection = t.Object(
  { id: t.Optional(Id), project_id: Id, name: GroupName, ...groupMove },
  { ...CLOSED_GROUP, examples: [{ project_id: example.project_id, name: 'Garden' }] },
)

export const UpdateSection = t.Object(
  { name: t.Optional(GroupName), ...groupMove },
  { ...CLOSED_GROUP, description: MERGE_PATCH, examples: [{ name: 'Cellar', after: null }] },
)

export const ListSections = t.Object(
  { ...groupPaging, project_id: t.Optional(t.String({ description: 'Only the sections of this project.' })) },
  CLOSED_GROUP,
)

export type TaskSection = Static<typeof TaskSection>
export type CreateSection = Static<typeof CreateSection>
export type UpdateSection = Static<typeof UpdateSection>
export type ListSections = Static<typeof ListSections>
