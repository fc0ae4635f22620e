/** Checks the invariants of a database, for the command `check` and for tests. */
import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { MIGRATIONS, readSchemaVersion } from '../db/open'
import { openSqlite } from '../db/sqlite'
import { CARD_BYTES } from '../flashcards/card-writer'
import { REVIEW_BYTES } from '../flashcards/review-store'
import { type FolderSettings, meterPath, requireDatabase, runStep } from './data-folder'

/** Lists the damaged pages that SQLite finds in a file, one line each that begins with `name`. */
function findDamagedPages(db: Database, name: string): string[] {
  const rows = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
  return rows.filter((row) => row.integrity_check !== 'ok').map((row) => `${name}: ${JSON.stringify(row)}`)
}

/**
 * Lists the contradictions in a database, one line each; none if it is sound. It reads one snapshot and changes
 * nothing.
 */
export function findContradictions(db: Database): string[] {
  const findRows = (label: string, sql: string) =>
    db
      .query<Record<string, unknown>, []>(sql)
      .all()
      .map((row) => `${label}: ${JSON.stringify(row)}`)
  return db.transaction(() => [
    ...findDamagedPages(db, 'integrity'),
    ...findRows('reference to nothing', 'SELECT * FROM pragma_foreign_key_check'),
    ...findRows('totals', TOTALS),
    ...findRows('note and feed', FEED),
    ...findRows(
      'text of no task',
      'SELECT task FROM task_texts WHERE (workspace, task) NOT IN (SELECT workspace, key FROM tasks)',
    ),
    ...findRows(
      'cannot be found',
      `SELECT 'note' AS type, id FROM notes WHERE deleted_at IS NULL AND (workspace, 'note', key) NOT IN (${FINDABLE})
       UNION ALL SELECT 'task', id FROM tasks WHERE deleted_at IS NULL AND (workspace, 'task', key) NOT IN (${FINDABLE})
       UNION ALL SELECT 'fact', id FROM study_facts WHERE deleted_at IS NULL AND (workspace, 'fact', key) NOT IN (${FINDABLE})`,
    ),
    ...findRows(
      'index of nothing',
      `SELECT type, key FROM search_docs AS d WHERE
         NOT EXISTS (SELECT 1 FROM notes WHERE d.type = 'note' AND key = d.key AND workspace = d.workspace AND deleted_at IS NULL) AND
         NOT EXISTS (SELECT 1 FROM tasks WHERE d.type = 'task' AND key = d.key AND workspace = d.workspace AND deleted_at IS NULL) AND
         NOT EXISTS (SELECT 1 FROM study_facts WHERE d.type = 'fact' AND key = d.key AND workspace = d.workspace AND deleted_at IS NULL)`,
    ),
    ...findRows(
      'document that is in no segment',
      `SELECT doc FROM search_docs AS d WHERE pending = 0 AND NOT EXISTS (SELECT 1 FROM search_segments
         WHERE workspace = d.workspace AND ready = 1 AND doc BETWEEN first_doc AND last_doc)`,
    ),
    ...findRows(
      'seq',
      'SELECT id, seq FROM workspaces AS w WHERE seq < (SELECT max(seq) FROM changes WHERE workspace = w.id)',
    ),
    ...findRows('note without a body', 'SELECT id FROM notes WHERE key NOT IN (SELECT key FROM note_bodies)'),
    ...findRows('history that does not end in the note as it is', HISTORY),
    ...findRows(
      'body of an old version that is missing, or that none needs',
      `SELECT key, revision FROM note_revision_bodies EXCEPT SELECT key, body_revision FROM note_revisions
       UNION ALL SELECT * FROM (
         SELECT key, body_revision FROM note_revisions AS v WHERE body_revision <>
           (SELECT body_revision FROM note_revisions WHERE key = v.key AND last_revision IS NULL)
         EXCEPT SELECT key, revision FROM note_revision_bodies)`,
    ),
  ])()
}

const FINDABLE = 'SELECT workspace, type, key FROM search_docs'

/** Tables whose rows count as resources. */
const RESOURCE_TABLES = [
  'notes',
  'tasks',
  'task_projects',
  'task_sections',
  'task_labels',
  'task_filters',
  'task_feeds',
].concat('study_decks', 'study_facts')
/** A query for everything that counts towards the totals: resources, and other rows that count bytes alone. */
const COUNTED = [
  ...RESOURCE_TABLES.map((table) => `SELECT workspace, 1 AS n, size_bytes FROM ${table}`),
  'SELECT workspace, 0, size_bytes FROM task_completions',
  'SELECT workspace, 1, octet_length(name) FROM study_media',
  'SELECT workspace, 1, octet_length(name) + coalesce(octet_length(folder), 0) FROM note_attachments',
  'SELECT workspace, 0, size_bytes FROM blobs',
  'SELECT workspace, 0, size_bytes FROM study_settings',
  'SELECT workspace, 0, size_bytes FROM flashcard_note_types',
  'SELECT workspace, 0, size_bytes FROM workspace_settings',
  `SELECT workspace, 0, ${CARD_BYTES} FROM study_cards`,
  `SELECT workspace, 0, ${REVIEW_BYTES} FROM study_reviews`,
  'SELECT workspace, 0, octet_length(rest) FROM task_calendar_rests JOIN tasks ON tasks.key = task',
  'SELECT workspace, 0, octet_length(headers) + octet_length(body) FROM idempotency',
  `SELECT workspace, 0, coalesce(octet_length(label), 0) + coalesce(octet_length(title), 0)
     + coalesce(octet_length(folder), 0) + coalesce(octet_length(tags), 0) + coalesce(octet_length(properties), 0)
   FROM note_revisions`,
  'SELECT workspace, 0, octet_length(body) FROM note_revision_bodies JOIN notes USING (key)',
  'SELECT workspace, 0, octet_length(vectors) + octet_length(codes) FROM search_vectors JOIN search_codes USING (workspace, doc)',
].join(' UNION ALL ')

/** A query for workspaces whose stored totals differ from a recount. */
const TOTALS = `
  SELECT w.id, w.resources, w.size_bytes, sum(coalesce(n, 0)) AS counted, sum(coalesce(c.size_bytes, 0)) AS bytes
  FROM workspaces AS w LEFT JOIN (${COUNTED}) AS c ON c.workspace = w.id
  GROUP BY w.id HAVING w.resources <> counted OR w.size_bytes <> bytes`

/** A query for notes that do not have exactly one newest version, or whose versions overlap. */
const HISTORY = `
  SELECT n.id FROM notes AS n WHERE 1 <> (SELECT count(*) FROM note_revisions WHERE key = n.key AND last_revision IS NULL)
    OR n.revision < (SELECT max(revision) FROM note_revisions WHERE key = n.key)
    OR EXISTS (SELECT 1 FROM note_revisions AS a JOIN note_revisions AS b ON b.key = a.key AND b.revision > a.revision
      WHERE a.key = n.key AND (a.last_revision IS NULL OR a.last_revision >= b.revision))`

/** A query for notes that differ from their latest change in the feed. */
const FEED = `
  SELECT n.id, n.revision, c.revision AS feed_revision, c.op FROM notes AS n
  LEFT JOIN changes AS c ON c.workspace = n.workspace AND c.type = 'note' AND c.id = n.id
  WHERE c.revision IS NOT n.revision OR c.changed_at IS NOT n.updated_at
    OR c.op IS NOT (CASE WHEN n.deleted_at IS NULL THEN 'upsert' ELSE 'delete' END)`

/** The result of checking both databases of a data folder. */
export interface Findings {
  /** The faults, one line each; none if both are sound. */
  readonly faults: readonly string[]
  /** Whether a server holds meter.db exclusively, so that it was not checked. */
  readonly meterInUse: boolean
}

/**
 * Checks the databases of a data folder, which may be in use.
 * @throws Error of one sentence if satchel.db cannot be read
 */
export function checkDataFolder({ DATA_DIR }: FolderSettings): Findings {
  const path = requireDatabase(DATA_DIR)
  const faults = runStep(`${path} cannot be read`, () => runChecks(path, (db) => checkNewestVersion(db, path)))
  const meterFile = meterPath(DATA_DIR)
  if (!existsSync(meterFile)) return { faults, meterInUse: false }
  try {
    const more = runStep(`${meterFile} cannot be read`, () =>
      runChecks(meterFile, (db) => findDamagedPages(db, 'meter.db')),
    )
    return { faults: [...faults, ...more], meterInUse: false }
  } catch (error) {
    if (error instanceof Error && error.message.includes('SQLITE_BUSY')) return { faults, meterInUse: true }
    throw error
  }
}

/** Runs checks on a file; returns a single line instead if it is too damaged for them. */
function runChecks(path: string, checks: (db: Database) => string[]): string[] {
  let db: Database | null = null
  try {
    db = openSqlite(path, 'readwrite')
    return checks(db)
  } catch (error) {
    const damage = error instanceof Error ? /SQLITE_(?:CORRUPT|NOTADB)\w*/.exec(`${error} ${codeOf(error)}`) : null
    if (!damage) throw error
    return [`${path} is damaged (${damage[0]}).`]
  } finally {
    db?.close()
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')

function checkNewestVersion(db: Database, path: string): string[] {
  const [version, newest] = [readSchemaVersion(db), MIGRATIONS.at(-1)?.version ?? 0]
  if (version === newest) return findContradictions(db)
  throw new Error(`${path} is at version ${version}, and this Satchel checks version ${newest}: migrate it first.`)
}
