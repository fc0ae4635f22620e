import type { Session } from '../../db/database'
import type { Reserve } from '../../db/journal'
import type { ImportAction } from '../../http/imports'
import { Refusal } from '../../http/problem'
import type { Warning } from '../ical/item'
import { placed } from '../place'
import type { When } from '../schema'
import { getTask, type TaskDraft, type TaskRow } from '../store'
import { dueOf } from '../task'
import type { TaskWriter } from '../writer'
import { changedDraft, hashOfItem, hashOfTask, newDraft, sameContent } from './draft'
import type { TodoItem } from './parse-worker'
import type { OnConflict } from './schema'
import { getImported, type Imported, idsOfUids, putImported } from './store'

/** One import while it runs. */
export interface Run {
  readonly onConflict: OnConflict
  readonly dryRun: boolean
  /** The project of new tasks; null is the inbox. */
  readonly project_id: string | null
  /** UIDs, and tasks, that items before have taken: a file that names one twice is at odds with itself. */
  readonly claimed: Set<string>
  /** The tasks that this file tells of, by their UIDs. */
  readonly byUid: Map<string, string>
  /** Those UIDs whose tasks are where they stay: parts can be put there at once. */
  readonly settled: Set<string>
  /** When those of them that repeat are due. */
  readonly series: Map<string, When>
}

/** What became of an item. */
export interface Done {
  readonly action: ImportAction
  readonly task_id: string | null
  readonly warnings: readonly Warning[]
  /** Whether the file is to say what the task is a part of, and waits for. */
  readonly relates: boolean
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly writer: TaskWriter
  readonly reserve: Reserve
}

const CONFLICT: Warning = { code: 'conflict', detail: 'The task was changed here as well as in the file.' }

/** Keeps what a calendar file said of a task, and counts its bytes. */
export function createKeepImported(reserve: Reserve) {
  return async (session: Session, key: number, imported: Imported): Promise<void> => {
    const { db, workspace } = session
    const before = (await getImported(db, workspace.id, key))?.rest ?? ''
    await putImported(db, workspace.id, key, imported)
    const bytes = Buffer.byteLength(imported.rest) - Buffer.byteLength(before)
    if (bytes !== 0) await reserve(session, bytes)
  }
}

/** Imports items one by one, without their relations. What is wrong with one is its outcome. */
export function createItemImport({ now, ids, writer, reserve }: Deps) {
  const put = createKeepImported(reserve)

  async function store(session: Session, run: Run, item: TodoItem): Promise<Done> {
    const old = await known(session, item.uid)
    const names = [`uid ${item.uid}`, ...(old ? [`task ${old.id}`] : [])]
    if (names.some((name) => run.claimed.has(name)))
      return failed({ code: 'duplicate', detail: 'The file names this task twice.' })
    for (const name of names) run.claimed.add(name)
    return old ? meet(session, run, old, item) : create(session, run, item)
  }

  async function create(session: Session, run: Run, item: TodoItem, isCopy = false): Promise<Done> {
    const { row, warning } = newDraft(item, ids(), now())
    const sourced = isCopy ? { ...row, source_system: null, source_id: null } : row
    const { dryRun, byUid, settled } = run
    const whole = !dryRun && item.parent_uid !== null && settled.has(item.parent_uid) ? item.parent_uid : ''
    const parent = byUid.get(whole)
    const part = parent === undefined ? null : await asPart(session, sourced, parent)
    const inPlace = part ?? (await placed(session, sourced, { project_id: run.project_id }, false))
    const task = await writer.insert(session, inPlace)
    await remember(session, task, item)
    if (!isCopy) learn(run, item, task)
    const stays = part !== null || item.parent_uid === null
    if (stays && !isCopy) settled.add(item.uid)
    const relates = !stays || item.blocked_by_uids.length > 0
    return { action: 'created', task_id: task.id, warnings: warning ? [warning] : [], relates }
  }

  /** A task that is here already: whoever changed it since the last import, the file or the owner, is heard. */
  async function meet(session: Session, run: Run, old: TaskRow, item: TodoItem): Promise<Done> {
    const { db, workspace } = session
    const unchanged: Done = { action: 'unchanged', task_id: old.id, warnings: [], relates: false }
    learn(run, item, old)
    if (old.deleted_at !== null)
      return { ...unchanged, action: 'skipped', warnings: [{ code: 'in_trash', detail: 'The task is in the trash.' }] }
    const last = await getImported(db, workspace.id, old.key)
    if (last?.file_hash === hashOfItem(item)) {
      run.settled.add(item.uid)
      return unchanged
    }
    const { row: next, warning } = changedDraft(old, item, now())
    const warnings = warning ? [warning] : []
    if (sameContent(old, next)) {
      await remember(session, old, item)
      return { ...unchanged, warnings, relates: true }
    }
    const conflict = last?.task_hash !== hashOfTask(old)
    if (conflict && run.onConflict !== 'overwrite') return settle(session, run, old, item, last)
    const task = await writer.save(session, old, next)
    learn(run, item, task)
    await remember(session, task, item)
    const told = conflict ? [...warnings, CONFLICT] : warnings
    return { action: 'updated', task_id: old.id, warnings: told, relates: true }
  }

  /** Leaves the task as it is, and with `copy` puts the file's beside it: once for each content of the file. */
  async function settle(
    session: Session,
    run: Run,
    old: TaskRow,
    item: TodoItem,
    last: Imported | null,
  ): Promise<Done> {
    if (run.onConflict === 'skip') return { action: 'skipped', task_id: old.id, warnings: [CONFLICT], relates: false }
    const copy = await create(session, run, item, true)
    const kept = {
      rest: last?.rest ?? '',
      priority_read: last?.priority_read ?? null,
      task_hash: last?.task_hash ?? '',
    }
    await put(session, old.key, { ...kept, file_hash: hashOfItem(item) })
    return { ...copy, warnings: [...copy.warnings, CONFLICT] }
  }

  async function remember(session: Session, task: TaskRow, item: TodoItem): Promise<void> {
    const { rest, priority_read } = item
    await put(session, task.key, { rest, priority_read, file_hash: hashOfItem(item), task_hash: hashOfTask(task) })
  }

  return {
    async import(session: Session, run: Run, item: TodoItem): Promise<Done> {
      try {
        return await session.db.transaction((db) => store({ ...session, db }, run, item))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return failed({ code: error.code, detail: error.detail })
      }
    },

    /** A task whose relations the file has set is as the file has it. */
    async related(session: Session, task: TaskRow): Promise<void> {
      const last = await getImported(session.db, session.workspace.id, task.key)
      if (last) await putImported(session.db, session.workspace.id, task.key, { ...last, task_hash: hashOfTask(task) })
    },
  }
}

export type ItemImport = ReturnType<typeof createItemImport>

/** A new task in the place that most have for good: below one that the file told of before it. Null if it cannot be there. */
async function asPart(session: Session, draft: TaskDraft, parent_id: string): Promise<TaskDraft | null> {
  try {
    return await placed(session, draft, { parent_id }, false)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

function failed(warning: Warning): Done {
  return { action: 'failed', task_id: null, warnings: [warning], relates: false }
}

function learn({ byUid, series }: Run, { uid }: TodoItem, task: TaskRow): void {
  byUid.set(uid, task.id)
  const due = dueOf(task)
  if (task.rrule !== null && due) series.set(task.id, due)
  else series.delete(task.id)
}

async function known({ db, workspace }: Session, uid: string): Promise<TaskRow | null> {
  const id = (await idsOfUids(db, workspace.id, [uid])).get(uid)
  return id === undefined ? null : getTask(db, workspace.id, id)
}
