import { existsSync } from 'node:fs'
import type { Queries } from '../db/database'
import { byteLength } from '../db/dialect'
import { NEWEST_VERSION, readFileVersion } from '../db/open'
import { Connection } from '../db/sqlite'
import { openSqlite } from '../db/sqlite-file'
import { CARD_BYTES } from '../flashcards/cards/card-store'
import { REVIEW_BYTES } from '../flashcards/reviews/review-store'
import { type FolderSettings, meterPath, requireDatabase, runLongStep } from './data-folder'

/** Checks the invariants of a database, for the command `check` and for tests. */

/** Lists the damaged pages that SQLite finds in a file, one line each that begins with `name`. */
async function findDamagedPages(db: Connection, name: string): Promise<string[]> {
  const rows = await db.all<{ integrity_check: string }>('PRAGMA integrity_check')
  return rows.filter((row) => row.integrity_check !== 'ok').map((row) => `${name}: ${JSON.stringify(row)}`)
}

async function findDangling(db: Connection): Promise<string[]> {
  const rows = await db.all('SELECT * FROM pragma_foreign_key_check')
  return rows.map((row) => `reference to nothing: ${JSON.stringify(row)}`)
}

export interface Findings {
  /** The faults, one line each; none if both are sound. */
  readonly faults: readonly string[]
  /** Whether a server holds meter.db exclusively, so that it was not checked. */
  readonly meterInUse: boolean
}

/** The databases may be in use. @throws Error of one sentence if satchel.db cannot be read */
export async function checkDataFolder({ DATA_DIR }: FolderSettings): Promise<Findings> {
  const path = requireDatabase(DATA_DIR)
  const faults = await runLongStep(`${path} cannot be read`, () =>
    runChecks(path, (db) => checkNewestVersion(db, path)),
  )
  const meterFile = meterPath(DATA_DIR)
  if (!existsSync(meterFile)) return { faults, meterInUse: false }
  try {
    const more = await runLongStep(`${meterFile} cannot be read`, () =>
      runChecks(meterFile, (db) => findDamagedPages(db, 'meter.db')),
    )
    return { faults: [...faults, ...more], meterInUse: false }
  } catch (error) {
    if (error instanceof Error && error.message.includes('SQLITE_BUSY')) return { faults, meterInUse: true }
    throw error
  }
}

/** Runs checks on a file; returns a single line instead if it is too damaged for them. */
async function runChecks(path: string, checks: (db: Connection) => Promise<string[]>): Promise<string[]> {
  let db: Connection | null = null
  try {
    db = new Connection(() => openSqlite(path, 'readwrite'))
    // All checks see one moment.
    db.exec('BEGIN')
    return await checks(db)
  } catch (error) {
    const damage = error instanceof Error ? /SQLITE_(?:CORRUPT|NOTADB)\w*/.exec(`${error} ${codeOf(error)}`) : null
    if (!damage) throw error
    return [`${path} is damaged (${damage[0]}).`]
  } finally {
    db?.close()
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')

async function checkNewestVersion(db: Connection, path: string): Promise<string[]> {
  const version = readFileVersion(path)
  if (version === NEWEST_VERSION)
    return [
      ...(await findDamagedPages(db, 'integrity')),
      ...(await findDangling(db)),
      ...(await findContradictions(db)),
    ]
  throw new Error(
    `${path} is at version ${version}, and this Satchel checks version ${NEWEST_VERSION}: migrate it first.`,
  )
}

/** One line each. It changes nothing. @param db a snapshot, or a database that nobody writes */
export async function findContradictions(db: Pick<Queries, 'all'>): Promise<string[]> {
  const found: string[] = []
  for (const [label, sql] of CHECKS) {
    for (const row of await db.all(sql)) found.push(`${label}: ${JSON.stringify(row)}`)
  }
  return found
}

const FINDABLE = "SELECT workspace, type, id FROM changes WHERE op = 'upsert'"

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
  `SELECT workspace, 1, ${byteLength('name')} FROM study_media`,
  `SELECT workspace, 1, ${byteLength('name')} + coalesce(${byteLength('folder')}, 0) FROM note_attachments`,
  'SELECT workspace, 0, size_bytes FROM blobs',
  'SELECT workspace, 0, size_bytes FROM study_settings',
  'SELECT workspace, 0, size_bytes FROM flashcard_note_types',
  'SELECT workspace, 0, size_bytes FROM workspace_settings',
  `SELECT workspace, 0, ${CARD_BYTES} FROM study_cards`,
  `SELECT workspace, 0, ${REVIEW_BYTES} FROM study_reviews`,
  `SELECT workspace, 0, ${byteLength('rest')} FROM task_calendar_rests`,
  `SELECT workspace, 0, ${byteLength('headers')} + ${byteLength('body')} FROM idempotency`,
  `SELECT workspace, 0, coalesce(${byteLength('label')}, 0) + coalesce(${byteLength('title')}, 0)
     + coalesce(${byteLength('folder')}, 0) + coalesce(${byteLength('tags')}, 0) + coalesce(${byteLength('properties')}, 0)
   FROM note_revisions`,
  `SELECT workspace, 0, ${byteLength('body')} FROM note_revision_bodies`,
  `SELECT workspace, 0, ${byteLength('vectors')} FROM search_vectors`,
].join(' UNION ALL ')

/** Tables whose rows belong to a row of another table, in the same workspace: the column with its key, and that table. */
const BELONGINGS = [
  ['note_bodies', 'key', 'notes', 'key'],
  ['note_imports', 'key', 'notes', 'key'],
  ['note_revision_bodies', 'key', 'notes', 'key'],
  ['note_revisions', 'key', 'notes', 'key'],
  ['task_calendar_rests', 'task', 'tasks', 'key'],
  ['task_label_uses', 'task', 'tasks', 'key'],
  ['task_label_uses', 'label', 'task_labels', 'key'],
] as const

/** A query for rows whose workspace is not that of the row that they belong to. */
const STRAYS = BELONGINGS.map(
  ([table, column, owners, key]) =>
    `SELECT '${table}' AS name, own.${column} AS key FROM ${table} AS own JOIN ${owners} ON ${owners}.${key} = own.${column}
     WHERE ${owners}.workspace <> own.workspace`,
).join(' UNION ALL ')

/** A query for workspaces whose stored totals differ from a recount. */
const TOTALS = `
  SELECT * FROM (
    SELECT w.id, w.resources, w.size_bytes, sum(coalesce(n, 0)) AS counted, sum(coalesce(c.size_bytes, 0)) AS bytes
    FROM workspaces AS w LEFT JOIN (${COUNTED}) AS c ON c.workspace = w.id GROUP BY w.id) AS totals
  WHERE resources <> counted OR size_bytes <> bytes`

/** A query for notes that do not have exactly one newest version, or whose versions overlap. */
const HISTORY = `
  SELECT n.id FROM notes AS n WHERE 1 <> (SELECT count(*) FROM note_revisions WHERE key = n.key AND last_revision IS NULL)
    OR n.revision < (SELECT max(revision) FROM note_revisions WHERE key = n.key)
    OR EXISTS (SELECT 1 FROM note_revisions AS a JOIN note_revisions AS b ON b.key = a.key AND b.revision > a.revision
      WHERE a.key = n.key AND (a.last_revision IS NULL OR a.last_revision >= b.revision))`

const FEED = `
  SELECT n.id, n.revision, c.revision AS feed_revision, c.op FROM notes AS n
  LEFT JOIN changes AS c ON c.workspace = n.workspace AND c.type = 'note' AND c.id = n.id
  WHERE c.revision IS DISTINCT FROM n.revision OR c.changed_at IS DISTINCT FROM n.updated_at
    OR c.op IS DISTINCT FROM (CASE WHEN n.deleted_at IS NULL THEN 'upsert' ELSE 'delete' END)`

/** Queries for rows that contradict others, each with what is wrong with them. */
const CHECKS: readonly (readonly [label: string, sql: string])[] = [
  ['totals', TOTALS],
  ['note and feed', FEED],
  [
    'text that the feed lacks',
    `SELECT 'task' AS type, id FROM tasks WHERE deleted_at IS NULL AND (workspace, 'task', id) NOT IN (${FINDABLE})
       UNION ALL SELECT 'fact', id FROM study_facts WHERE deleted_at IS NULL AND (workspace, 'fact', id) NOT IN (${FINDABLE})`,
  ],
  [
    'feed of no text',
    `SELECT type, id FROM changes AS c WHERE op = 'upsert' AND type IN ('note', 'task', 'fact') AND
         NOT EXISTS (SELECT 1 FROM notes WHERE c.type = 'note' AND id = c.id AND workspace = c.workspace AND deleted_at IS NULL) AND
         NOT EXISTS (SELECT 1 FROM tasks WHERE c.type = 'task' AND id = c.id AND workspace = c.workspace AND deleted_at IS NULL) AND
         NOT EXISTS (SELECT 1 FROM study_facts WHERE c.type = 'fact' AND id = c.id AND workspace = c.workspace AND deleted_at IS NULL)`,
  ],
  ['seq', 'SELECT id, seq FROM workspaces AS w WHERE seq < (SELECT max(seq) FROM changes WHERE workspace = w.id)'],
  ['row of another workspace', STRAYS],
  ['note without a body', 'SELECT id FROM notes WHERE key NOT IN (SELECT key FROM note_bodies)'],
  ['history that does not end in the note as it is', HISTORY],
  [
    'body of an old version that is missing, or that none needs',
    `SELECT key, revision FROM note_revision_bodies EXCEPT SELECT key, body_revision FROM note_revisions
       UNION ALL SELECT * FROM (
         SELECT key, body_revision FROM note_revisions AS v WHERE body_revision <>
           (SELECT body_revision FROM note_revisions WHERE key = v.key AND last_revision IS NULL)
         EXCEPT SELECT key, revision FROM note_revision_bodies) AS missing`,
  ],
]
