import { type ArchiveFile, readPages } from '../../archive/archived-type'
import type { Context, Reader, Session, Snapshot } from '../../db/database'
import { streamExport } from '../../http/responses'
import { writeInstant } from '../../http/values'
import type { ExportTask } from '../../lib/ical/write'
import { type FindByText, readAsOf, readTaskFilter } from '../filter/service'
import type { TaskFilter } from '../filter/store'
import type { ExportTasks, Task } from '../schema'
import { toTask } from '../task'
import { toItemMoment } from '../task-date'
import { hashForFile } from './draft'
import { type ExportRow, getUidsByIds, listStoredByFilter } from './store'

/** Tasks read at a time: at most a few MiB. */
const READ_TASKS = 50

type Write = (reader: Reader, filter: TaskFilter) => AsyncGenerator<Uint8Array>

export type TaskExports = ReturnType<typeof createTaskExports>

export function createTaskExports(
  deps: Pick<Context, 'now'> & { readonly findByText: FindByText; snapshot: () => Promise<Snapshot> },
) {
  return {
    /** Yields a calendar file with all tasks outside the trash. */
    async *exportAll(reader: Reader): AsyncGenerator<ArchiveFile> {
      const asOf = { now: deps.now(), time_zone: 'UTC' }
      const all = { ...asOf, text: null, filter: null, closed: [0, 1], archived: 'any' } as const
      yield { name: 'tasks.ics', content: writeCalendar(reader, all) }
    },

    /**
     * Returns the file as a stream, which must be read to its end or cancelled. It contains tasks of every status
     * unless the filter names one. Throws invalid_filter, invalid_request.
     */
    async export(session: Session, query: ExportTasks): Promise<ReadableStream<Uint8Array>> {
      const asOf = await readAsOf(session, query, deps.now())
      const filter = await readTaskFilter(session, query, asOf, deps.findByText, { all: true, archived: 'any' })
      const write = query.format === 'json' ? writeJson : writeCalendar
      return streamExport(deps, (read) => write({ ...session, db: read }, filter))
    },
  }
}

function readTaskPages(reader: Reader, filter: TaskFilter) {
  const list = (after: string) => listStoredByFilter(reader, filter, after, READ_TASKS)
  return readPages('', list, ({ id }) => id)
}

const writeCalendar: Write = async function* (reader, filter) {
  const { createCalendarWriter } = await import('../../lib/ical/write')
  const writer = createCalendarWriter()
  // Sent with the first page: an error of that page comes before any output.
  let head = writer.head()
  for await (const rows of readTaskPages(reader, filter)) {
    const todos = await toExportTasks(reader, rows)
    yield Buffer.from(head + todos.map(writer.todo).join(''))
    head = ''
  }
  for (const text of writer.end()) {
    yield Buffer.from(head + text)
    head = ''
  }
}

const writeJson: Write = async function* (reader, filter) {
  let between = '{"items":['
  for await (const rows of readTaskPages(reader, filter)) {
    yield Buffer.from(between + rows.map((row) => JSON.stringify(toTask(row).resource)).join(',\n'))
    between = ',\n'
  }
  yield Buffer.from(between.startsWith('{') ? `${between}]}\n` : ']}\n')
}

export async function toExportTasks(reader: Reader, rows: readonly ExportRow[]): Promise<ExportTask[]> {
  const tasks = rows.map((row) => ({ row, task: toTask(row).resource }))
  const related = tasks.flatMap(({ task }) => [task.parent_id ?? '', ...task.blocked_by])
  const uids = await getUidsByIds(reader, [...new Set(related)])
  return tasks.map(({ row, task }) => toExport(row, task, uids))
}

function toExport(row: ExportRow, task: Task, uids: ReadonlyMap<string, string>): ExportTask {
  return {
    ...task,
    due: toItemMoment(task.due),
    start: toItemMoment(task.start),
    uid: (task.source?.system === 'ical' && task.source.id) || task.id,
    parent_uid: task.parent_id === null ? null : (uids.get(task.parent_id) ?? null),
    blocked_by_uids: task.blocked_by.flatMap((id) => uids.get(id) ?? []),
    reminders: task.reminders as ExportTask['reminders'],
    priority_read: row.priority_read,
    rest: row.rest ?? '',
    place: row.project_name === null ? null : { project: row.project_name, section: row.section_name },
    revision: hashForFile(row, uids),
    updated_at: writeInstant(row.updated_at),
  }
}
