import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Flag, Id, Instant, nullable, pageOf } from '../../http/schema'
import {
  CLOSED_GROUP,
  Color,
  GroupName,
  GroupPosition,
  groupMembers,
  groupMove,
  groupPaging,
  MERGE_PATCH,
} from '../groups/schema'

const example = {
  id: '01980000-0000-7000-8000-0000000000b0',
  revision: 2,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
  deleted_at: null,
  name: 'Home',
  color: '#3366cc',
  notes: 'All that the house needs.',
  archived_at: null,
  position: 'a0',
  open: 12,
  done: 30,
}

const count = Type.Integer({ minimum: 0 })
const Notes = t.String({ description: 'Markdown, at most 64 KiB.' })

export const Project = t.Object(
  {
    ...groupMembers,
    color: Color,
    notes: Notes,
    archived_at: nullable(Instant),
    position: GroupPosition,
    open: Type.Integer({ ...count, description: 'Open tasks in it, outside the trash.' }),
    done: Type.Integer({ ...count, description: 'Done or cancelled tasks in it, outside the trash.' }),
  },
  { examples: [example] },
)
export const ProjectPage = pageOf(Project)

const writable = {
  color: t.Optional(Color),
  notes: t.Optional(nullable(Notes)),
  archived_at: t.Optional(nullable(Instant)),
  ...groupMove,
}

export const CreateProject = t.Object(
  { id: t.Optional(Id), name: GroupName, ...writable },
  { ...CLOSED_GROUP, examples: [{ id: example.id, name: 'Home', color: '#3366cc' }] },
)

export const UpdateProject = t.Object(
  { name: t.Optional(GroupName), ...writable },
  { ...CLOSED_GROUP, description: MERGE_PATCH, examples: [{ name: 'House', after: null }] },
)

export const ListProjects = t.Object(
  { ...groupPaging, archived: t.Optional(t.Union([t.Literal('true'), t.Literal('false'), t.Literal('any')])) },
  CLOSED_GROUP,
)

const TasksTarget = t.Union([t.Literal('inbox'), t.Literal('trash')], {
  description: 'Where its tasks go: to the `inbox` (the default), or to the `trash` with the project.',
  error: 'must be inbox or trash',
})

export const DeleteProject = t.Object({ permanent: t.Optional(Flag), tasks: t.Optional(TasksTarget) }, CLOSED_GROUP)

export type TasksTarget = Static<typeof TasksTarget>
export type Project = Static<typeof Project>
export type CreateProject = Static<typeof CreateProject>
export type UpdateProject = Static<typeof UpdateProject>
export type ListProjects = Static<typeof ListProjects>
