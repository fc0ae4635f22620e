import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import type { ArchiveFile, Reading } from '../../db/portable'
import { streamed } from '../../http/streamed'
import { writeInstant } from '../../http/values'
import { readAsOf, readFilter } from '../filter/service'
import type { TaskFilter } from '../filter/store'
import { createCalendarWriter, type ExportTask } from '../ical/ical-write'
import type { ExportTasks, Task } from '../schema'
import { toTask } from '../task'
import { listWhole, type StoredTask, uidsOfIds } from './store'

/** Tasks that are read at a time: a few MiB at most. */
const TASKS_READ = 50
/** How long an export may take, in milliseconds: its snapshot keeps the database's log from being tidied. */
const EXPORT_MS = 30 * 60 * 1000
/** Where the ids begin. */
const FIRST = ''

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
}

export type Exports = ReturnType<typeof createExports>

/** Exports tasks as one file, all as they were at one moment, in the order of their ids. */
export function createExports({ now, snapshot }: Deps) {
  async function* pages(read: Reading, workspace: WorkspaceId, filter: TaskFilter): AsyncGenerator<StoredTask[]> {
    const end = now() + EXPORT_MS
    for (let after: string | undefined = FIRST; after !== undefined; ) {
      if (now() > end) throw new Error('an export took too long')
      const rows = await listWhole(read, workspace, filter, after, TASKS_READ)
      yield rows
      after = rows.length < TASKS_READ ? undefined : rows.at(-1)?.id
    }
  }

  async function* calendar(read: Reading, workspace: WorkspaceId, filter: TaskFilter): AsyncGenerator<string> {
    const writer = createCalendarWriter()
    // What fails at the first page fails before anything is sent.
    let head = writer.head()
    for await (const rows of pages(read, workspace, filter)) {
      const tasks = rows.map((row) => ({ row, task: toTask(row).resource }))
      const related = tasks.flatMap(({ task }) => [task.parent_id ?? '', ...task.blocked_by])
      const uids = await uidsOfIds(read, workspace, [...new Set(related)])
      yield head + tasks.map(({ row, task }) => writer.todo(exported(row, task, uids))).join('')
      head = ''
    }
    yield* writer.ending()
  }

  async function* json(read: Reading, workspace: WorkspaceId, filter: TaskFilter): AsyncGenerator<string> {
    let head = '{"items":['
    for await (const rows of pages(read, workspace, filter)) {
      const texts = rows.map((row) => JSON.stringify(toTask(row).resource))
      if (texts.length > 0) yield head + texts.join(',\n')
      else if (head.startsWith('{')) yield head
      head = ',\n'
    }
    yield ']}\n'
  }

  async function* bytes(write: (read: Snapshot) => AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
    const read = await snapshot()
    try {
      yield* encoded(write(read))
    } finally {
      read.close()
    }
  }

  return {
    /** All tasks outside the trash as a calendar file. */
    async *readable(read: Reading, workspace: WorkspaceId): AsyncGenerator<ArchiveFile> {
      const all = { now: now(), tz: 'UTC', text: null, filter: null, closed: [0, 1] } as const
      yield { name: 'tasks.ics', content: encoded(calendar(read, workspace, all)) }
    },

    /**
     * The file, made while it is read; it must be read to its end or cancelled. Tasks of every status are in it unless the
     * filter names one. Throws invalid_filter, invalid_request.
     */
    async export(session: Session, query: ExportTasks): Promise<ReadableStream<Uint8Array>> {
      const filter = await readFilter(session, query, readAsOf(query, now()), { all: true })
      const write = query.format === 'json' ? json : calendar
      return streamed(bytes((read) => write(read, session.workspace.id, filter)))
    },
  }
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text)
}

function exported(row: StoredTask, task: Task, uids: ReadonlyMap<string, string>): ExportTask {
  return {
    ...task,
    uid: task.source?.system === 'ical' ? task.source.id : task.id,
    parent_uid: task.parent_id === null ? null : (uids.get(task.parent_id) ?? null),
    blocked_by_uids: task.blocked_by.flatMap((id) => uids.get(id) ?? []),
    reminders: task.reminders as ExportTask['reminders'],
    priority_read: row.priority_read,
    rest: row.rest ?? '',
    updated_at: writeInstant(row.updated_at),
  }
}
