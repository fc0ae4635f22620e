import type { Session } from '../../db/database'
import type { Outcome } from '../../http/idempotency'
import { fingerprintOf, type ImportRuns, type ImportStep, totalsOf } from '../../http/imports'
import { FileFault } from '../../http/in-worker'
import { invalid, Refusal } from '../../http/problem'
import type { Warning } from '../ical/item'
import { hasProject } from '../place-store'
import type { Done, ItemImport, Run } from './import-item'
import { type createOccurrenceImport, type OccurrenceItem, toOccurrence } from './occurrences'
import type { CalendarItem, TodoItem } from './parse-worker'
import { openCalendar, type Reading } from './parser'
import type { Pending, Relating } from './relate'
import type { ImportReport, ImportTasks, ReportItem } from './schema'

/** Changes that one transaction of the second pass writes. */
const GROUP = 50

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly runs: ImportRuns
  readonly items: ItemImport
  readonly relating: Relating
  readonly importOccurrence: ReturnType<typeof createOccurrenceImport>
}

export type Imports = ReturnType<typeof createImports>

/** An import as it goes on: the report, in the file's order, and what waits for the second pass. */
class Progress {
  readonly reports: ReportItem[] = []
  readonly occurrences: { readonly at: number; readonly item: OccurrenceItem }[] = []
  readonly pendings: Pending[] = []
  todos = 0

  constructor(readonly dryRun: boolean) {}

  /** Keeps a place in the report. */
  begin(line: number, uid: string | null): number {
    const source = uid === null ? null : { system: 'ical', id: uid }
    return this.reports.push({ line, source, action: 'failed', task_id: null, warnings: [] }) - 1
  }

  tell(at: number, change: Partial<ReportItem>, warnings: readonly Warning[]): void {
    const report = this.reports[at]
    if (!report) return
    const told = warnings.map(({ code, detail }) => ({ code, detail }))
    this.reports[at] = { ...report, ...change, warnings: [...report.warnings, ...told] }
  }

  done(at: number, { action, task_id, warnings }: Done): void {
    // The id that a dry run makes up is not the one that the real run will.
    this.tell(at, { action, task_id: this.dryRun && action === 'created' ? null : task_id }, warnings)
  }
}

/**
 * Imports a calendar file: it is read in a Worker, and written in groups, each a transaction, so that other requests come
 * between. First the tasks, then what they are parts of and wait for. A crash leaves whole groups; a repeat finds them by
 * their UIDs, and finishes.
 */
export function createImports({ now, runs, items, relating, importOccurrence }: Deps) {
  async function* steps(session: Session, run: Run, reading: Reading, progress: Progress): AsyncGenerator<ImportStep> {
    yield* firstPass(run, reading, progress)
    const { occurrences, pendings, dryRun } = progress
    for (let from = 0; from < occurrences.length; from += GROUP)
      yield async (within) => {
        for (const { at, item } of occurrences.slice(from, from + GROUP))
          progress.done(at, await importOccurrence(within, run, item, dryRun))
      }
    let changes: Awaited<ReturnType<Relating['plan']>> | null = null
    for (let from = 0; from < progress.todos; from += GROUP)
      yield async (within) => {
        changes ??= await relating.plan({ ...session, db: within.db }, run.byUid, pendings)
        if (!dryRun) await relating.write(within, changes.slice(from, from + GROUP))
      }
  }

  async function* firstPass(run: Run, reading: Reading, progress: Progress): AsyncGenerator<ImportStep> {
    let group = await reading.next()
    while (group.length > 0) {
      const todos = group.flatMap((item) => taken(progress, item))
      yield async (within) => {
        for (const { at, todo } of todos) {
          const done = await items.import(within, run, todo)
          progress.done(at, done)
          if (done.relates && done.task_id !== null) progress.pendings.push(pendingOf(progress, at, todo, done))
        }
      }
      group = await nextOf(reading, progress)
    }
  }

  return {
    admit: runs.admit,

    /** Throws archive_refused, and then nothing was changed. The bytes of the file are used up. */
    async import(
      request: Request,
      session: Session,
      query: ImportTasks,
      file: Uint8Array,
    ): Promise<Outcome<ImportReport>> {
      const { on_conflict: onConflict = 'skip', project_id = null } = query
      const dryRun = query.dry_run === 'true'
      if (project_id !== null && !(await hasProject(session.db, session.workspace.id, project_id)))
        throw invalid(
          '/project_id',
          'unknown_project',
          'project_id must be the id of a project that is not in the trash',
        )
      const fingerprint = fingerprintOf(file)
      const stored = await runs.recalled<ImportReport>({ request, session, dryRun }, fingerprint)
      if (stored) return stored
      const run = {
        onConflict,
        dryRun,
        project_id,
        claimed: new Set<string>(),
        byUid: new Map(),
        settled: new Set<string>(),
        series: new Map(),
      }
      try {
        const reading = await openCalendar(file, now)
        const progress = new Progress(dryRun)
        try {
          const all = steps(session, run, reading, progress)
          const report = () => reportOf(reading, progress)
          return await runs.run({ request, session, dryRun, fingerprint, steps: all, report })
        } finally {
          reading.close()
        }
      } catch (error) {
        throw error instanceof FileFault ? new Refusal('archive_refused', error.message) : error
      }
    },
  }
}

/** A task to import now; what is one date of a series waits, and what cannot be read is told. */
function taken(progress: Progress, item: CalendarItem): { at: number; todo: TodoItem }[] {
  const at = progress.begin(item.line, 'todo' in item ? item.todo.uid : null)
  if ('fault' in item) {
    progress.tell(at, {}, [item.fault])
    return []
  }
  const { todo } = item
  progress.tell(at, {}, todo.warnings)
  const occurrence = toOccurrence(todo)
  if (occurrence) progress.occurrences.push({ at, item: occurrence })
  else progress.todos++
  return occurrence ? [] : [{ at, todo }]
}

function pendingOf(progress: Progress, at: number, { parent_uid, blocked_by_uids }: TodoItem, done: Done): Pending {
  const { action, task_id } = done
  return {
    id: task_id ?? '',
    isNew: action === 'created',
    keepsTime: action !== 'unchanged',
    parent_uid,
    blocked_by_uids,
    tell: (changed, warnings) =>
      progress.tell(at, changed && action === 'unchanged' ? { action: 'updated' } : {}, warnings),
  }
}

/** What is wrong with the rest of a file, once something of it is written, is an item of the report. */
async function nextOf(reading: Reading, progress: Progress): Promise<readonly CalendarItem[]> {
  try {
    return await reading.next()
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    progress.tell(progress.begin(0, null), {}, [{ code: 'archive_refused', detail: error.message }])
    return []
  }
}

function reportOf({ ignored, warnings }: Reading, { dryRun, reports }: Progress): ImportReport {
  return {
    dry_run: dryRun,
    format: 'ical',
    totals: totalsOf(reports),
    ignored: ignored.map(({ component, count }) => ({ component, count })),
    warnings: warnings.map(({ code, detail }) => ({ code, detail })),
    items: reports,
  }
}
