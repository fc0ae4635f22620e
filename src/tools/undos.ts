import type { Context, Reader, Session } from '../db/database'
import { byteLength, valuesIn } from '../db/dialect'
import { ApiError } from '../http/api-error'
import type { ChatAction, UndoStep } from './schema'
import { listUndoSteps, resourceOf, undoAll } from './tool'

/** A stored undo, of what an answer of chat or a call of an agent did. */
interface UndoRow {
  /** Grows with time. */
  readonly key: number
  /** A hash of the answer, or of the undo id. */
  readonly answer_hash: string
  /** The requests in their order, as JSON. */
  readonly steps: string
  /** Milliseconds since 1970. */
  readonly expires_at: number
  /** The id that an agent was given; null for what an answer of chat did. */
  readonly undo_id: string | null
  /** The ids that it undid, if it is an undo itself, as JSON. */
  readonly undoes: string | null
}

/** A stored undo of a change that an agent made. */
export interface AgentUndoRow extends Pick<UndoRow, 'key' | 'steps' | 'undoes'> {
  readonly undo_id: string
}

/** Stores an undo, and deletes the expired ones of the workspace and those beyond KEPT_UNDOS. The newest is always kept. */
async function putUndo({ db, workspace }: Session, undo: Omit<UndoRow, 'key'>, now: number): Promise<void> {
  await db.run(
    `INSERT INTO chat_undos (workspace, answer_hash, steps, expires_at, undo_id, undoes)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [workspace.id, undo.answer_hash, undo.steps, undo.expires_at, undo.undo_id, undo.undoes],
  )
  await db.run(
    `DELETE FROM chat_undos WHERE workspace = $1 AND (expires_at <= $2 OR key IN (
       SELECT key FROM (
         SELECT key, row_number() OVER (ORDER BY key DESC) AS place,
           sum(${byteLength('steps')}) OVER (ORDER BY key DESC) AS bytes
         FROM chat_undos WHERE workspace = $1) AS undos
       WHERE place > $3 OR (place > 1 AND bytes > $4)))`,
    [workspace.id, now, KEPT_UNDOS.count, KEPT_UNDOS.bytes],
  )
}

/** Lists the undos of agents' changes that expire after `now`, the newest first. @param which a condition on `$2` */
function listAgentUndos(
  { db, workspace }: Reader,
  which: string,
  value: string | number,
  now: number,
): Promise<AgentUndoRow[]> {
  return db.all(
    `SELECT key, undo_id, steps, undoes FROM chat_undos
     WHERE workspace = $1 AND ${which} AND expires_at > $3 AND undo_id IS NOT NULL ORDER BY key DESC`,
    [workspace.id, value, now],
  )
}

/** The time for which "undo that" finds what an answer did. */
export const UNDO_MS = 24 * 60 * 60 * 1000
/**
 * What is kept of one workspace: enough for an hour of an agent that changes much. It does not count towards the quota.
 */
export const KEPT_UNDOS = { count: 256, bytes: 256 * 1024 }

/**
 * Stores how to undo what an answer did, under a hash of its text: clients send answers back as they were, so the text
 * finds the undo again, and only in the workspace that it is of. Does nothing if the answer changed nothing.
 */
export function keepUndo(session: Session, answer: string, actions: readonly ChatAction[], now: number): Promise<void> {
  return storeUndo(session, answer, { undo_id: null, undoes: null }, actions, now)
}

/**
 * Stores how to undo what an agent did in one call, under an id that it was given. Call it in the transaction of the
 * write. Does nothing if nothing was changed; then the id must not be given.
 */
export function keepAgentUndo(
  session: Session,
  undo_id: string,
  actions: readonly ChatAction[],
  now: number,
): Promise<void> {
  const undone = actions.flatMap(({ tool, result }) => (tool === 'undo' ? listIds(result) : []))
  const undoes = undone.length === 0 ? null : JSON.stringify(undone)
  return storeUndo(session, undo_id, { undo_id, undoes }, actions, now)
}

async function storeUndo(
  { db, workspace }: Session,
  text: string,
  of: Pick<UndoRow, 'undo_id' | 'undoes'>,
  actions: readonly ChatAction[],
  now: number,
): Promise<void> {
  const undo = undoAll(actions)
  if (!undo) return
  const steps = JSON.stringify(listUndoSteps(undo))
  const row = { ...of, answer_hash: hashOf(workspace.id, text), steps, expires_at: now + UNDO_MS }
  await db.transaction((tx) => putUndo({ db: tx, workspace }, row, now))
}

const listIds = (result: ChatAction['result']): string[] => (result?.ids as string[] | undefined) ?? []

/** Returns the requests that undo what the first of some answers did that changed something; null if none did. */
export async function findUndo(
  { db, workspace }: Session,
  answers: readonly string[],
  now: number,
): Promise<UndoStep[] | null> {
  for (const answer of answers) {
    const row = await db.get<Pick<UndoRow, 'steps'>>(
      `SELECT steps FROM chat_undos
       WHERE workspace = $1 AND answer_hash = $2 AND expires_at > $3 AND undo_id IS NULL ORDER BY key DESC LIMIT 1`,
      [workspace.id, hashOf(workspace.id, answer), now],
    )
    if (row) return JSON.parse(row.steps) as UndoStep[]
  }
  return null
}

/**
 * Finds the undos of agents' changes, the newest first: those with these ids, or one and all later ones.
 * @throws ApiError not_found if one of the ids is unknown or no longer kept
 */
export async function findAgentUndos(
  session: Session,
  which: readonly string[] | { readonly since: string },
  now: number,
): Promise<AgentUndoRow[]> {
  const ids = 'since' in which ? [which.since] : [...new Set(which)]
  const hashes = JSON.stringify(ids.map((id) => hashOf(session.workspace.id, id)))
  const rows = await listAgentUndos(session, `answer_hash IN ${valuesIn('$2')}`, hashes, now)
  const missing = ids.find((id) => rows.every(({ undo_id }) => undo_id !== id))
  if (missing !== undefined)
    throw new ApiError('not_found', `There is no change with the undo_id ${missing} that can still be undone.`)
  const [first] = rows
  return 'since' in which && first ? listAgentUndos(session, 'key >= $2', first.key, now) : rows
}

/**
 * Joins undos, the newest first, to the requests that undo all of them, by undo. Left out is
 * what one of them undid already, together with the one that did. Only the first request for a resource has
 * If-Match, so it must be sure that nothing else changed the resource between two of the undos: each request makes one
 * revision.
 * @throws ApiError precondition_failed if something did
 */
export function joinUndos(rows: readonly AgentUndoRow[]): JoinedUndo[] {
  const settled = findSettled(rows)
  const undos = rows.map(({ undo_id, steps }) => ({ undo_id, steps: JSON.parse(steps) as UndoStep[] }))
  const newest = findNewestTags(undos)
  const used = new Set<string>()
  return undos
    .filter(({ undo_id }) => !settled.has(undo_id))
    .map(({ undo_id, steps }) => ({
      undo_id,
      steps: steps.map((step) => {
        const resource = resourceOf(step)
        const if_match = used.has(resource) ? null : (newest.get(resource) ?? step.if_match)
        used.add(resource)
        return { ...step, if_match }
      }),
    }))
}

interface JoinedUndo {
  readonly undo_id: string
  readonly steps: readonly UndoStep[]
}

/** Finds the newest If-Match for each resource of undos, the newest first. Throws precondition_failed; see joinUndos. */
function findNewestTags(undos: readonly JoinedUndo[]): Map<string, string> {
  const newest = new Map<string, string>()
  /** The revision that the next older undo of a resource must have left. */
  const left = new Map<string, number>()
  for (const { steps } of undos)
    for (const [resource, own] of Map.groupBy(steps, resourceOf)) {
      const if_match = own[0]?.if_match ?? null
      const revision = revisionOf(if_match)
      if (if_match === null || revision === null) continue
      const expected = left.get(resource)
      if (expected !== undefined && expected !== revision)
        throw new ApiError(
          'precondition_failed',
          'Something else changed the same item between these changes, so nothing was undone. Undo fewer of them.',
        )
      if (expected === undefined) newest.set(resource, if_match)
      left.set(resource, revision - own.length)
    }
  return newest
}

/** Finds the undos, among some, that undid others of them, and these others. */
function findSettled(rows: readonly AgentUndoRow[]): ReadonlySet<string> {
  const open = new Set<string>()
  const settled = new Set<string>()
  for (const { undo_id, undoes } of rows.toReversed()) {
    const undone = undoes === null ? [] : (JSON.parse(undoes) as string[])
    if (undone.length > 0 && undone.every((id) => open.has(id))) for (const id of [undo_id, ...undone]) settled.add(id)
    else open.add(undo_id)
  }
  return settled
}

/** The revision of a header If-Match; null if it has none. */
export function revisionOf(ifMatch: string | null): number | null {
  const [, revision] = /^"(\d+)/.exec(ifMatch ?? '') ?? []
  return revision === undefined ? null : Number(revision)
}

/** Hashes an answer without the white space around it, which some clients drop. */
function hashOf(workspace: string, answer: string): string {
  return new Bun.CryptoHasher('sha256').update(`${workspace}\n${answer.trim()}`).digest('hex')
}

/** Rows that one statement deletes. */
const ROWS_PER_STEP = 1000
const HOUR_MS = 60 * 60 * 1000

/** Creates the job that deletes the expired rows of a table, of all workspaces. */
export function createExpiryJob(
  { db, now }: Pick<Context, 'db' | 'now'>,
  table: string,
  name: string,
  every_ms: number,
) {
  const sql = `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`
  return {
    name,
    every_ms,
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted && (await db.run(sql, [now(), ROWS_PER_STEP])) === ROWS_PER_STEP);
    },
  }
}

export function undosJob(deps: Pick<Context, 'db' | 'now'>) {
  return createExpiryJob(deps, 'chat_undos', 'drop expired undos of chat', HOUR_MS)
}
