import { Elysia, t } from 'elysia'
import type { RequestPlugin } from '../http/api'
import { refuses } from '../http/api-error'
import { changed, created, ifMatch } from '../http/responses'
import { Id, NoContent, nameSchemas, Problem } from '../http/schema'
import { ImportReport, IN_STEPS } from '../imports/schema'
import type { ChangeRunner } from '../imports/stepped-change'
import type { TaskQueries } from './list'
import { GetTaskQuery, ListTasks } from './list-schema'
import {
  CreateTask,
  DeleteTask,
  MovedOccurrence,
  MoveTask,
  ReadTask,
  Recurrence,
  RecurrenceChanged,
  RecurrenceCreated,
  Reminder,
  ReminderAt,
  ReminderBefore,
  Task,
  TaskDate,
  TaskDateChange,
  TaskDateCreated,
  TaskPage,
  TaskWithSubtasks,
  UpdateTask,
} from './schema'
import type { DeleteOrRestoreTask, Tasks } from './service'

interface Deps {
  readonly tasks: Tasks
  readonly lists: Pick<TaskQueries, 'list'>
  readonly deleteOrRestore: ChangeRunner<DeleteOrRestoreTask, Task | undefined>
  readonly api: RequestPlugin
}

const OneTask = t.Object({ id: Id })

nameSchemas({ Task, TaskWithSubtasks, TaskPage, CreateTask, UpdateTask, MoveTask })
nameSchemas({
  TaskDate,
  TaskDateCreated,
  TaskDateChange,
  Recurrence,
  RecurrenceCreated,
  RecurrenceChanged,
  MovedOccurrence,
})
nameSchemas({ Reminder, ReminderAt, ReminderBefore })

export function tasksRoutes({ tasks, lists, deleteOrRestore, api }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .use(api)
    .get('', ({ session, query }) => lists.list(session, query), {
      query: ListTasks,
      response: { 200: TaskPage },
      detail: {
        operationId: 'listTasks',
        ...refuses('invalid_cursor', 'invalid_filter'),
        summary: 'List tasks',
        description:
          'By due date, open and in progress tasks outside archived projects, unless `filter`, `status`, `archived` or `ids` say otherwise. `filter` takes words such as `(today or overdue) and @home and not #Work`; the other parameters narrow it down further. `trashed=true` lists only the trash.',
      },
    })
    .post(
      '',
      async ({ session: outside, body, once }) => {
        const read = await tasks.readWords(outside, body)
        return once(async (session) => created('/api/tasks', await tasks.create(session, body, read)))
      },
      {
        idempotent: true,
        body: CreateTask,
        response: { 201: Task, 409: Problem },
        detail: {
          operationId: 'createTask',
          ...refuses('recurrence_never_occurs', 'unsupported_recurrence'),
          summary: 'Create a task',
          description:
            'A task can be due on a day or at a time, in a time zone or floating. `due`, `start` and `reminders` may be words, such as `next friday 9am` and `2 days before`. It can repeat, wait for other tasks, or be a part of another task. New labels are created.',
        },
      },
    )
    .get(
      '/:id',
      async ({ session, params, query, reply }): Promise<ReadTask> => {
        const read = query.include === undefined ? tasks.get : tasks.getWithSubtasks
        return reply.read<ReadTask>(await read(session, params.id))
      },
      {
        params: OneTask,
        query: GetTaskQuery,
        response: { 200: ReadTask, 304: NoContent },
        detail: {
          operationId: 'getTask',
          summary: 'Get a task',
          description:
            'Also finds tasks in the trash: those have `deleted_at`. With `include=subtasks` the ETag covers its parts, too; it is good for If-Match all the same.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await tasks.update(session, params.id, body, ifMatch(request))),
      {
        params: OneTask,
        body: UpdateTask,
        response: { 200: Task, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateTask',
          ...refuses(
            'conflict',
            'dependency_cycle',
            'parent_cycle',
            'recurrence_never_occurs',
            'too_many_affected',
            'unsupported_recurrence',
          ),
          summary: 'Change a task',
          description:
            'Send If-Match with the ETag that you read, so that no concurrent change is lost. The status `done` completes the task: a recurring task moves to its next date. `due` and `start` may be words, such as `next friday 9am`, which replace the whole date, and so may reminders, such as `2 days before`.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return reply.send(await deleteOrRestore(request, session, { id: params.id, what }))
      },
      {
        params: OneTask,
        query: DeleteTask,
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          operationId: 'deleteTask',
          ...refuses('too_many_affected'),
          summary: 'Delete a task',
          description: `Moves the task and its parts to the trash for 30 days; \`permanent=true\` erases them immediately. ${IN_STEPS}`,
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, session, params, body, reply }) =>
        reply.send(await deleteOrRestore<Task>(request, session, { id: params.id, what: 'restore' }, body)),
      {
        params: OneTask,
        response: { 200: Task, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreTask',
          ...refuses('too_many_affected'),
          summary: 'Restore a task',
          description: `Brings the task back from the trash, with the parts that were deleted with it. ${IN_STEPS}`,
        },
      },
    )
    .post(
      '/:id/move',
      ({ request, params, body, once }) =>
        once(async (session) => changed(await tasks.move(session, params.id, body, ifMatch(request)))),
      {
        idempotent: true,
        params: OneTask,
        body: MoveTask,
        response: { 200: Task, 409: Problem, 412: Problem },
        detail: {
          operationId: 'moveTask',
          ...refuses('parent_cycle', 'too_many_affected'),
          summary: 'Move a task',
          description:
            'Moves the task with all its parts into another project, section or task, `after` or `before` one of its siblings. Default: last.',
        },
      },
    )
}
