/** What must hold in every database, whatever was done to it: asked by the command `check`, and by the tests after each attack. */
import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { MIGRATIONS, schemaVersion } from '../db/open'
import { openSqlite } from '../db/sqlite'
import { CARD_BYTES } from '../flashcards/card-writer'
import { REVIEW_BYTES } from '../flashcards/review-store'
import { expectDatabase, type FolderSettings, meterIn, step } from './data-folder'

/** What SQLite finds wrong with the pages of a file, one line each that begins with `name`. */
function faultsOfPages(db: Database, name: string): string[] {
  const rows = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
  return rows.filter((row) => row.integrity_check !== 'ok').map((row) => `${name}: ${JSON.stringify(row)}`)
}

/** What in a database contradicts itself, in words; nothing when it is sound. Reads only, one moment of it. */
export function contradictionsIn(db: Database): string[] {
  const ask = (what: string, sql: string) =>
    db
      .query<Record<string, unknown>, []>(sql)
      .all()
      .map((row) => `${what}: ${JSON.stringify(row)}`)
  return db.transaction(() => [
    ...faultsOfPages(db, 'integrity'),
    ...ask('reference to nothing', 'SELECT * FROM pragma_foreign_key_check'),
    ...ask('totals', TOTALS),
    ...ask('note and feed', FEED),
    ...ask(
      'text of no task',
      'SELECT task FROM task_texts WHERE (workspace, task) NOT IN (SELECT workspace, key FROM tasks)',
    ),
    ...ask(
      'cannot be found',
      `SELECT 'note' AS type, id FROM notes WHERE deleted_at IS NULL AND (workspace, 'note', key) NOT IN (${FINDABLE})
       UNION ALL SELECT 'task', id FROM tasks WHERE deleted_at IS NULL AND (workspace, 'task', key) NOT IN (${FINDABLE})
       UNION ALL SELECT 'fact', id FROM study_facts WHERE deleted_at IS NULL AND (workspace, 'fact', key) NOT IN (${FINDABLE})`,
    ),
    ...ask(
      'index of nothing',
      `SELECT type, key FROM search_docs AS d WHERE
         NOT EXISTS (SELECT 1 FROM notes WHERE d.type = 'note' AND key = d.key AND workspace = d.workspace AND deleted_at IS NULL) AND
         NOT EXISTS (SELECT 1 FROM tasks WHERE d.type = 'task' AND key = d.key AND workspace = d.workspace AND deleted_at IS NULL) AND
         NOT EXISTS (SELECT 1 FROM study_facts WHERE d.type = 'fact' AND key = d.key AND workspace = d.workspace AND deleted_at IS NULL)`,
    ),
    ...ask(
      'document that is in no segment',
      `SELECT doc FROM search_docs AS d WHERE pending = 0 AND NOT EXISTS (SELECT 1 FROM search_segments
         WHERE workspace = d.workspace AND ready = 1 AND doc BETWEEN first_doc AND last_doc)`,
    ),
    ...ask(
      'seq',
      'SELECT id, seq FROM workspaces AS w WHERE seq < (SELECT max(seq) FROM changes WHERE workspace = w.id)',
    ),
    ...ask('note without a body', 'SELECT id FROM notes WHERE key NOT IN (SELECT key FROM note_bodies)'),
    ...ask('history that does not end in the note as it is', HISTORY),
    ...ask(
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

/** All that counts as a resource, and other rows that count bytes alone. */
const RESOURCES = [
  'notes',
  'tasks',
  'task_projects',
  'task_sections',
  'task_labels',
  'task_filters',
  'task_feeds',
].concat('study_decks', 'study_facts')
const COUNTED = [
  ...RESOURCES.map((table) => `SELECT workspace, 1 AS n, size_bytes FROM ${table}`),
  'SELECT workspace, 0, size_bytes FROM task_completions',
  'SELECT workspace, 1, octet_length(name) FROM study_media',
  'SELECT workspace, 0, octet_length(bytes) FROM study_blobs',
  'SELECT workspace, 0, size_bytes FROM study_settings',
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

/** Workspaces whose kept totals differ from a recount. */
const TOTALS = `
  SELECT w.id, w.resources, w.size_bytes, sum(coalesce(n, 0)) AS counted, sum(coalesce(c.size_bytes, 0)) AS bytes
  FROM workspaces AS w LEFT JOIN (${COUNTED}) AS c ON c.workspace = w.id
  GROUP BY w.id HAVING w.resources <> counted OR w.size_bytes <> bytes`

/** Notes without exactly one newest version, or whose versions overlap. */
const HISTORY = `
  SELECT n.id FROM notes AS n WHERE 1 <> (SELECT count(*) FROM note_revisions WHERE key = n.key AND last_revision IS NULL)
    OR n.revision < (SELECT max(revision) FROM note_revisions WHERE key = n.key)
    OR EXISTS (SELECT 1 FROM note_revisions AS a JOIN note_revisions AS b ON b.key = a.key AND b.revision > a.revision
      WHERE a.key = n.key AND (a.last_revision IS NULL OR a.last_revision >= b.revision))`

/** Notes whose latest change in the feed is another than they show. */
const FEED = `
  SELECT n.id, n.revision, c.revision AS feed_revision, c.op FROM notes AS n
  LEFT JOIN changes AS c ON c.workspace = n.workspace AND c.type = 'note' AND c.id = n.id
  WHERE c.revision IS NOT n.revision OR c.changed_at IS NOT n.updated_at
    OR c.op IS NOT (CASE WHEN n.deleted_at IS NULL THEN 'upsert' ELSE 'delete' END)`

/** What a look at both databases of a data folder found. */
export interface Findings {
  /** What is wrong, one line each; none when both are sound. */
  readonly faults: readonly string[]
  /** A server holds meter.db for itself: it was not looked at. */
  readonly meterInUse: boolean
}

/**
 * Looks at the databases of a data folder. It may be in use.
 * @throws Error of one sentence when satchel.db cannot be looked at
 */
export function check({ DATA_DIR }: FolderSettings): Findings {
  const path = expectDatabase(DATA_DIR)
  const faults = step(`${path} cannot be read`, () => look(path, (db) => contradictionsInNewest(db, path)))
  const meter = meterIn(DATA_DIR)
  if (!existsSync(meter)) return { faults, meterInUse: false }
  try {
    const more = step(`${meter} cannot be read`, () => look(meter, (db) => faultsOfPages(db, 'meter.db')))
    return { faults: [...faults, ...more], meterInUse: false }
  } catch (error) {
    if (error instanceof Error && error.message.includes('SQLITE_BUSY')) return { faults, meterInUse: true }
    throw error
  }
}

/** What `questions` find in a file, or a line of its own when it is damaged so far that they cannot be asked. */
function look(path: string, questions: (db: Database) => string[]): string[] {
  let db: Database | null = null
  try {
    db = openSqlite(path, 'readwrite')
    return questions(db)
  } catch (error) {
    const damage = error instanceof Error ? /SQLITE_(?:CORRUPT|NOTADB)\w*/.exec(`${error} ${codeOf(error)}`) : null
    if (!damage) throw error
    return [`${path} is damaged (${damage[0]}).`]
  } finally {
    db?.close()
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')

function contradictionsInNewest(db: Database, path: string): string[] {
  const [version, newest] = [schemaVersion(db), MIGRATIONS.at(-1)?.version ?? 0]
  if (version === newest) return contradictionsIn(db)
  throw new Error(`${path} is at version ${version}, and this Satchel checks version ${newest}: migrate it first.`)
}
