import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { Refusal } from '../../http/problem'
import { idOfDay } from '../daily/store'
import { inOurSpelling } from '../service'
import { getNote, idOfSource, type NoteRow } from '../store'
import type { Writer } from '../writer'
import type { ParsedItem, ParsedNote, Source, Warning } from './parsed'
import { changedRow, hashOfDraft, hashOfNote, newRow, sameContent } from './rows'
import type { OnConflict, ReportItem } from './schema'
import { getImported, putImported } from './store'

/** One import while it runs. */
export interface Run {
  readonly session: Session
  readonly onConflict: OnConflict
  readonly dryRun: boolean
  /** Ids, sources and notes that items before have taken: a file that names one twice is at odds with itself. */
  readonly claimed: Set<string>
}

interface Deps {
  readonly now: () => number
  readonly ids: () => string
  readonly writer: Writer
}

type Done = Pick<ReportItem, 'action' | 'note_id'> & { readonly warning?: Warning }

/** Items that are written in one turn of the event loop. */
const TURN = 10

/** Imports items in groups. What is wrong with one is its outcome; nothing but a fault of the database is thrown. */
export function createGroupImport({ now, ids, writer }: Deps) {
  async function store(run: Run, item: ParsedNote): Promise<Done> {
    const old = await known(run.session, item)
    const names = [...namesOf(item), ...(old ? [`note ${old.id}`] : [])]
    if (names.some((name) => run.claimed.has(name)))
      return {
        action: 'failed',
        note_id: null,
        warning: { code: 'duplicate', detail: 'The file names this note twice.' },
      }
    for (const name of names) run.claimed.add(name)
    return old ? meet(run, old, item) : create(run, item, item.id)
  }

  async function create({ session, dryRun }: Run, item: ParsedNote, id: string | null): Promise<Done> {
    const { db, workspace } = session
    const date = item.draft.daily_date
    const taken = date !== null && (await idOfDay(db, workspace.id, date)) !== null
    const draft = taken ? { ...item.draft, daily_date: null } : item.draft
    const row = await inOurSpelling(session, newRow({ ...item, draft }, id ?? ids(), now()))
    const note = await writer.insert(session, row)
    await remember(session, note, item)
    return {
      action: 'created',
      // The id that a dry run makes up is not the one that the real run will.
      note_id: dryRun && id === null ? null : note.id,
      ...(taken ? { warning: { code: 'daily_date_taken', detail: `There is a daily note of ${date} already.` } } : {}),
    }
  }

  /** A note that is here already: whoever changed it since the last import, the file or the owner, is heard. */
  async function meet(run: Run, old: NoteRow, item: ParsedNote): Promise<Done> {
    const { session } = run
    const unchanged: Done = { action: 'unchanged', note_id: old.id }
    if (old.deleted_at !== null)
      return { action: 'skipped', note_id: old.id, warning: { code: 'in_trash', detail: 'The note is in the trash.' } }
    const last = await getImported(session.db, session.workspace.id, old.key)
    if (last?.file_hash === hashOfDraft(item.draft)) return unchanged
    const next = await inOurSpelling(session, changedRow(old, item.draft, now()))
    if (sameContent(old, next)) {
      await remember(session, old, item)
      return unchanged
    }
    const conflict = last?.note_hash !== hashOfNote(old)
    if (conflict && run.onConflict !== 'overwrite') return settle(run, old, item, last?.note_hash ?? '')
    await remember(session, await writer.save(session, old, next), item)
    return { action: 'updated', note_id: old.id, ...(conflict ? { warning: CONFLICT } : {}) }
  }

  /** Leaves the note as it is, and with `copy` puts the file's beside it: once for each content of the file. */
  async function settle(run: Run, old: NoteRow, item: ParsedNote, noteHash: string): Promise<Done> {
    if (run.onConflict === 'skip') return { action: 'skipped', note_id: old.id, warning: CONFLICT }
    const copy = await create(run, { ...item, source: null, draft: { ...item.draft, daily_date: null } }, null)
    const { db, workspace } = run.session
    await putImported(db, workspace.id, old.key, { file_hash: hashOfDraft(item.draft), note_hash: noteHash })
    return { ...copy, warning: CONFLICT }
  }

  async function stored(run: Run, item: ParsedItem): Promise<ReportItem> {
    return report(item, 'outcome' in item ? { action: item.outcome, note_id: null } : await store(run, item))
  }

  /** With what is refused as its outcome: what was written of it is taken back. */
  async function outcomeOf(run: Run, item: ParsedItem): Promise<ReportItem> {
    try {
      return await run.session.db.transaction((db) => stored({ ...run, session: { ...run.session, db } }, item))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return report(item, { action: 'failed', note_id: null, warning: { code: error.code, detail: error.detail } })
    }
  }

  /**
   * A savepoint has SQLite keep every page as it was, so there is one for all items. Hardly any is refused; if one is,
   * all are taken back and each has its own.
   */
  return async (run: Run, items: readonly ParsedItem[]): Promise<ReportItem[]> => {
    const claimed = run.claimed.size
    try {
      return await run.session.db.transaction((db) =>
        inTurn(items, (item) => stored({ ...run, session: { ...run.session, db } }, item)),
      )
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      for (const name of [...run.claimed].slice(claimed)) run.claimed.delete(name)
      return inTurn(items, (item) => outcomeOf(run, item))
    }
  }
}

/** One item after the other. Whoever only reads has a turn in between. */
async function inTurn(
  items: readonly ParsedItem[],
  work: (item: ParsedItem) => Promise<ReportItem>,
): Promise<ReportItem[]> {
  const reports: ReportItem[] = []
  for (const item of items) if (reports.push(await work(item)) % TURN === 0) await setImmediate()
  return reports
}

const CONFLICT: Warning = { code: 'conflict', detail: 'The note was changed here as well as in the file.' }

async function known({ db, workspace }: Session, { id, source }: ParsedNote): Promise<NoteRow | null> {
  const byId = id === null ? null : await getNote(db, workspace.id, id)
  if (byId || source === null) return byId
  const holder = await idOfSource(db, workspace.id, source.system, source.id)
  return holder === null ? null : getNote(db, workspace.id, holder)
}

function namesOf({ id, source, draft }: ParsedNote): string[] {
  return [
    ...(id === null ? [] : [`note ${id}`]),
    ...(source === null ? [] : [`source ${source.system} ${source.id}`]),
    ...(draft.daily_date === null ? [] : [`day ${draft.daily_date}`]),
  ]
}

async function remember({ db, workspace }: Session, note: NoteRow, { draft }: ParsedNote): Promise<void> {
  await putImported(db, workspace.id, note.key, { file_hash: hashOfDraft(draft), note_hash: hashOfNote(note) })
}

function report(
  { path, source, warnings }: { path: string; source: Source | null; warnings: readonly Warning[] },
  done: Done,
): ReportItem {
  const { action, note_id, warning } = done
  return {
    path,
    source,
    action,
    note_id,
    warnings: [...warnings, ...(warning ? [warning] : [])].map(({ code, detail }) => ({ code, detail })),
  }
}
