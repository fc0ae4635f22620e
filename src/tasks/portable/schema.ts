import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id, nullable, ToldRevision } from '../../http/schema'
import { MAX_REST_BYTES } from '../ical/item'
import { MAX_AFFECTED } from '../named/affected'
import { Color, closed } from '../named/schema'
import {
  Duration,
  Names,
  NoteIds,
  Priority,
  Recurrence,
  ReminderCreated,
  SortBy,
  type Sort as SortName,
  Source,
  Status,
  When,
} from '../schema'

/** Tasks and what belongs to them as an archive of the workspace tells of them: what is derived is left out. */

const INSTANT = t.String()
const DATE = t.String()
const DIGEST = t.String({ maxLength: 100 })
const BLOCKERS = 50

const stamps = {
  id: Id,
  revision: ToldRevision,
  created_at: INSTANT,
  updated_at: INSTANT,
  deleted_at: nullable(INSTANT),
}
const named = { ...stamps, name: t.String() }

export const PortableProject = t.Object(
  { ...named, color: Color, notes: t.String(), archived_at: nullable(INSTANT), position: t.String() },
  closed,
)

export const PortableSection = t.Object(
  {
    ...named,
    /** Its project, if it went into the trash with that. */
    trashed_with: nullable(Id),
    project_id: Id,
    position: t.String(),
  },
  closed,
)

export const PortableLabel = t.Object({ ...named, color: Color }, closed)

export const PortableFilter = t.Object(
  // Types cannot look into a union that was made from a list.
  { ...named, filter: t.String(), sort: nullable(Type.Unsafe<SortName>(SortBy)), position: t.String() },
  closed,
)

/** An edge: `since` is the blocker's completion after which another one satisfies it; null: any does. */
const since = nullable(Id)

export const PortableTask = t.Object(
  {
    ...stamps,
    /** What took it along into the trash: a task above it, or `p:` and its project. */
    trashed_with: nullable(t.String({ pattern: '^(p:)?[0-9a-f-]{36}$' })),
    title: t.String(),
    notes: t.String(),
    status: Status,
    priority: Priority,
    due: nullable(When),
    start: nullable(When),
    duration_minutes: nullable(Duration),
    recurrence: nullable(Recurrence),
    reminders: t.Array(ReminderCreated, { maxItems: 10 }),
    parent_id: nullable(Id),
    blocked_by: t.Array(t.Object({ task_id: Id, since }, closed), { maxItems: BLOCKERS }),
    project_id: nullable(Id),
    section_id: nullable(Id),
    labels: Names,
    note_ids: NoteIds,
    position: t.String(),
    completed_at: nullable(INSTANT),
    cancelled_at: nullable(INSTANT),
    source: nullable(Source),
    /** What its last import from a calendar file left: lines, PRIORITY, and digests of the file's task and of ours. */
    imported: nullable(
      t.Object(
        {
          rest: t.String({ maxLength: MAX_REST_BYTES }),
          priority_read: nullable(Type.Integer({ minimum: 0, maximum: 9 })),
          file_hash: DIGEST,
          task_hash: DIGEST,
        },
        closed,
      ),
    ),
  },
  closed,
)

const progress = { status: Status, completed_at: nullable(INSTANT), cancelled_at: nullable(INSTANT) }

/** What a completion changed, as it was or as it became. */
const State = t.Object(
  {
    /** Those that changed. */
    members: t.Object(
      {
        status: t.Optional(t.Object(progress, closed)),
        due: t.Optional(nullable(When)),
        start: t.Optional(nullable(When)),
        recurrence: t.Optional(nullable(Recurrence)),
        reminders: t.Optional(t.Array(ReminderCreated, { maxItems: 10 })),
      },
      closed,
    ),
    parts: t.Array(t.Object({ task_id: Id, ...progress }, closed), { maxItems: MAX_AFFECTED }),
    blocked_by: t.Array(t.Object({ task_id: Id, since }, closed), { maxItems: BLOCKERS }),
  },
  closed,
)

export const PortableCompletion = t.Object(
  {
    id: Id,
    task_id: Id,
    kind: t.Union([t.Literal('done'), t.Literal('skip')]),
    occurrence: nullable(DATE),
    completed_at: INSTANT,
    next_due: nullable(DATE),
    missed: t.Array(DATE, { maxItems: 1000 }),
    title: t.String(),
    project_id: nullable(Id),
    before: State,
    after: State,
  },
  closed,
)

export type PortableProject = Static<typeof PortableProject>
export type PortableSection = Static<typeof PortableSection>
export type PortableLabel = Static<typeof PortableLabel>
export type PortableFilter = Static<typeof PortableFilter>
export type PortableTask = Static<typeof PortableTask>
export type PortableState = Static<typeof State>
export type PortableCompletion = Static<typeof PortableCompletion>
