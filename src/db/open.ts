import type { Database as Sqlite } from 'bun:sqlite'
import { type Database, DatabaseUnavailable } from './database'
import workspaces from './migrations/0001-workspaces.sql' with { type: 'text' }
import notes from './migrations/0002-notes.sql' with { type: 'text' }
import noteSearch from './migrations/0003-note-search.sql' with { type: 'text' }
import noteLinks from './migrations/0004-note-links.sql' with { type: 'text' }
import noteRevisions from './migrations/0005-note-revisions.sql' with { type: 'text' }
import noteImports from './migrations/0006-note-imports.sql' with { type: 'text' }
import trashedTags from './migrations/0007-trashed-tags.sql' with { type: 'text' }
import tasks from './migrations/0008-tasks.sql' with { type: 'text' }
import flashcards from './migrations/0009-flashcards.sql' with { type: 'text' }
import clearing from './migrations/0010-clearing.sql' with { type: 'text' }
import chatConfirmations from './migrations/0011-chat-confirmations.sql' with { type: 'text' }
import chatRuns from './migrations/0012-chat-runs.sql' with { type: 'text' }
import studyIndexes from './migrations/0013-study-indexes.sql' with { type: 'text' }
import noteSearchIndex from './migrations/0014-note-search-index.sql' with { type: 'text' }
import searchTexts from './migrations/0015-search-texts.sql' with { type: 'text' }
import agendaIndexes from './migrations/0016-agenda-indexes.sql' with { type: 'text' }
import scratchSites from './migrations/0017-scratch-sites.sql' with { type: 'text' }
import erasures from './migrations/0018-erasures.sql' with { type: 'text' }
import searchIndex from './migrations/0019-search-index.sql' with { type: 'text' }
import noteProperties from './migrations/0020-note-properties.sql' with { type: 'text' }
import notePropertiesInOrder from './migrations/0021-note-properties-in-order.sql' with { type: 'text' }
import plainTaskTexts from './migrations/0022-plain-task-texts.sql' with { type: 'text' }
import searchVectors from './migrations/0023-search-vectors.sql' with { type: 'text' }
import importRuns from './migrations/0024-import-runs.sql' with { type: 'text' }
import noteFormerNames from './migrations/0025-note-former-names.sql' with { type: 'text' }
import studyDeletedAt from './migrations/0026-study-deleted-at.sql' with { type: 'text' }
import factSource from './migrations/0027-fact-source.sql' with { type: 'text' }
import sourceUrl from './migrations/0028-source-url.sql' with { type: 'text' }
import taskRdates from './migrations/0029-task-rdates.sql' with { type: 'text' }
import taskMoved from './migrations/0030-task-moved.sql' with { type: 'text' }
import archivedProjects from './migrations/0031-archived-projects.sql' with { type: 'text' }
import unindexedTaskTexts from './migrations/0032-unindexed-task-texts.sql' with { type: 'text' }
import chatUndos from './migrations/0033-chat-undos.sql' with { type: 'text' }
import noteFileNames from './migrations/0034-note-file-names.sql' with { type: 'text' }
import noteFrontMatter from './migrations/0035-note-front-matter.sql' with { type: 'text' }
import blobs from './migrations/0036-blobs.sql' with { type: 'text' }
import linksToFiles from './migrations/0037-links-to-files.sql' with { type: 'text' }
import linksOfOlderNotes from './migrations/0038-links-of-older-notes.sql' with { type: 'text' }
import studyReschedules from './migrations/0039-study-reschedules.sql' with { type: 'text' }
import noteTypes from './migrations/0040-note-types.sql' with { type: 'text' }
import noteTypeSettings from './migrations/0041-note-type-settings.sql' with { type: 'text' }
import undoIds from './migrations/0042-undo-ids.sql' with { type: 'text' }
import workspaceOfEveryRow from './migrations/0043-workspace-of-every-row.sql' with { type: 'text' }
import { openSqlite, SqliteDatabase } from './sqlite'

/** A migration: its version, and its SQL. */
interface Migration {
  readonly version: number
  readonly sql: string
}

/** All migrations, in order. A released migration is never changed: add another one. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: workspaces },
  { version: 2, sql: notes },
  { version: 3, sql: noteSearch },
  { version: 4, sql: noteLinks },
  { version: 5, sql: noteRevisions },
  { version: 6, sql: noteImports },
  { version: 7, sql: trashedTags },
  { version: 8, sql: tasks },
  { version: 9, sql: flashcards },
  { version: 10, sql: clearing },
  { version: 11, sql: chatConfirmations },
  { version: 12, sql: chatRuns },
  { version: 13, sql: studyIndexes },
  { version: 14, sql: noteSearchIndex },
  { version: 15, sql: searchTexts },
  { version: 16, sql: agendaIndexes },
  { version: 17, sql: scratchSites },
  { version: 18, sql: erasures },
  { version: 19, sql: searchIndex },
  { version: 20, sql: noteProperties },
  { version: 21, sql: notePropertiesInOrder },
  { version: 22, sql: plainTaskTexts },
  { version: 23, sql: searchVectors },
  { version: 24, sql: importRuns },
  { version: 25, sql: noteFormerNames },
  { version: 26, sql: studyDeletedAt },
  { version: 27, sql: factSource },
  { version: 28, sql: sourceUrl },
  { version: 29, sql: taskRdates },
  { version: 30, sql: taskMoved },
  { version: 31, sql: archivedProjects },
  { version: 32, sql: unindexedTaskTexts },
  { version: 33, sql: chatUndos },
  { version: 34, sql: noteFileNames },
  { version: 35, sql: noteFrontMatter },
  { version: 36, sql: blobs },
  { version: 37, sql: linksToFiles },
  { version: 38, sql: linksOfOlderNotes },
  { version: 39, sql: studyReschedules },
  { version: 40, sql: noteTypes },
  { version: 41, sql: noteTypeSettings },
  { version: 42, sql: undoIds },
  { version: 43, sql: workspaceOfEveryRow },
]

/**
 * Runs the pending migrations in one transaction, so that a crash or a fault leaves the database as it was.
 * @param now milliseconds since 1970
 * @throws Error of one sentence if a newer Satchel has written the database
 */
export function migrate(db: Sqlite, now: number, migrations: readonly Migration[] = MIGRATIONS): void {
  db.run('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT')
  const present = readSchemaVersion(db)
  requireKnownVersion(present, migrations)
  const pending = migrations.filter(({ version }) => version > present)
  if (pending.length === 0) return
  db.transaction(() => {
    for (const { version, sql } of pending) {
      db.run(sql)
      db.run('INSERT INTO migrations (version, applied_at) VALUES (?, ?)', [version, now])
    }
  }).immediate()
}

/** @throws Error of one sentence if a newer Satchel has written a database at this version */
export function requireKnownVersion(version: number, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.at(-1)?.version ?? 0
  if (version > newest)
    throw new Error(
      `The database is at version ${version}, and this Satchel knows versions up to ${newest}. Start the newer Satchel that wrote it.`,
    )
}

/** Reads the version of the newest migration that has run; 0 for a new database. */
export function readSchemaVersion(db: Sqlite): number {
  return db.query<{ version: number | null }, []>('SELECT max(version) AS version FROM migrations').get()?.version ?? 0
}

/** The name of the row of `facts` that holds the fingerprint of the secret. */
export const FINGERPRINT_NAME = 'secret_fingerprint'

/**
 * Opens satchel.db, after it has run the pending migrations and checked the secret.
 * @param now milliseconds since 1970
 * @param checkFingerprint called with the stored fingerprint of the secret, or null for a new database. It throws if
 *   another secret is in use, with which no workspace would be found, and returns the fingerprint to store.
 * @throws Error of one sentence, or DatabaseUnavailable
 */
export function openDatabase(
  path: string,
  now: number,
  checkFingerprint: (stored: string | null) => string,
): SqliteDatabase {
  const db = openSqlite(path)
  try {
    migrate(db, now)
    storeFingerprint(db, checkFingerprint)
  } finally {
    db.close()
  }
  return new SqliteDatabase(path)
}

function storeFingerprint(db: Sqlite, check: (stored: string | null) => string): void {
  const stored = readFingerprint(db)
  const fingerprint = check(stored)
  if (stored === null) db.run('INSERT INTO facts (name, value) VALUES (?, ?)', [FINGERPRINT_NAME, fingerprint])
}

/** Reads the fingerprint of the secret that the database belongs to; null if it is new. */
export function readFingerprint(db: Sqlite): string | null {
  return (
    db.query<{ value: string }, [string]>('SELECT value FROM facts WHERE name = ?').get(FINGERPRINT_NAME)?.value ?? null
  )
}

/**
 * Checks that the database is at the newest version and can be written, down to the disk.
 * @param now milliseconds since 1970
 * @throws DatabaseUnavailable
 */
export async function checkReady(db: Database, now: number): Promise<void> {
  const row = await db.get<{ version: number | null }>('SELECT max(version) AS version FROM migrations')
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  if (row?.version !== newest)
    throw new DatabaseUnavailable(`the database is at version ${row?.version}, not at ${newest}`)
  await db.run(
    `INSERT INTO facts (name, value) VALUES ('ready_checked_at', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(now)],
  )
}
