import type { Context, Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { writeInstant } from '../http/values'
import type { ChatConfirmation } from './schema'
import type { ChangePlan, ToolContext } from './tool'
import { createExpiryJob } from './undos'

export interface ConfirmationRow {
  readonly key: number
  readonly tool: string
  /** JSON. */
  readonly arguments: string
  readonly timezone: string
  readonly summary: string
  readonly revision: number
}

type Secret = { readonly token: string } | { readonly code: string }

/** Returns the newest confirmation of a workspace with this token or code that expires after `now`. */
function getConfirmation(session: Session, by: Secret, now: number): Promise<ConfirmationRow | null> {
  const { db, workspace } = session
  const [column, secret] = 'token' in by ? ['token_hash', by.token] : ['code_hash', normalizeCode(by.code)]
  return db.get<ConfirmationRow>(
    `SELECT key, tool, arguments, timezone, summary, revision FROM chat_confirmations
     WHERE workspace = $1 AND ${column} = $2 AND expires_at > $3 ORDER BY key DESC LIMIT 1`,
    [workspace.id, hashOf(session, secret), now],
  )
}

/** Lists the pending actions of a workspace, the oldest first. */
export function listConfirmations({ db, workspace }: Session, now: number): Promise<ConfirmationRow[]> {
  return db.all<ConfirmationRow>(
    `SELECT key, tool, arguments, timezone, summary, revision FROM chat_confirmations
     WHERE workspace = $1 AND expires_at > $2 ORDER BY key`,
    [workspace.id, now],
  )
}

/** Deletes a confirmation, so that it is used once; returns whether it was still there. */
export async function spendConfirmation({ db, workspace }: Session, key: number, now: number): Promise<boolean> {
  const sql = 'DELETE FROM chat_confirmations WHERE workspace = $1 AND key = $2 AND expires_at > $3'
  return (await db.run(sql, [workspace.id, key, now])) > 0
}

/** Deletes the expired confirmations of a workspace, and all but the `kept` newest. */
async function deleteOldConfirmations({ db, workspace }: Session, kept: number, now: number): Promise<void> {
  await db.run(
    `DELETE FROM chat_confirmations WHERE workspace = $1 AND (expires_at <= $2 OR key NOT IN (
       SELECT key FROM chat_confirmations WHERE workspace = $1 ORDER BY key DESC LIMIT $3))`,
    [workspace.id, now, kept],
  )
}

/** The time for which a pending action can be confirmed. */
const CONFIRMATION_MS = 10 * 60 * 1000
/**
 * Pending actions of one workspace, at most. They do not count towards its quota, else a full one could delete nothing.
 */
export const MAX_WAITING = 16
const TOKEN_BYTES = 32
const CODE_CHARS = 6
/** The first characters of codes: digits that look like no letter. So "cancel dinner" does not contain a code. */
const FIRST_DIGITS = '23456789'
/**
 * Crockford's base 32, without letters that look like digits, and without u. 32 characters, so five bits choose evenly.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

interface PendingCall extends Pick<ChangePlan, 'target' | 'summary'> {
  readonly tool: string
  readonly args: unknown
}

/**
 * Stores a pending action. The caller gets token and code once; only their hashes are stored. `context.session` is a
 * transaction.
 */
export async function createConfirmation(
  random: Context['random'],
  context: ToolContext,
  call: PendingCall,
): Promise<ChatConfirmation> {
  const { session, now, timeZone } = context
  const token = Buffer.from(random(new Uint8Array(TOKEN_BYTES))).toString('base64url')
  const code = [...random(new Uint8Array(CODE_CHARS))]
    .map((byte, i) => (i === 0 ? FIRST_DIGITS[byte & 7] : ALPHABET[byte & 31]))
    .join('')
  await deleteOldConfirmations(session, MAX_WAITING - 1, now)
  await session.db.run(
    `INSERT INTO chat_confirmations
       (workspace, token_hash, code_hash, tool, arguments, timezone, summary, revision, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[session.workspace.id, hashOf(session, token), hashOf(session, code), call.tool, JSON.stringify(call.args)],
      ...[timeZone, call.summary, call.target.revision, now + CONFIRMATION_MS],
    ],
  )
  return { token, code, expires_at: writeInstant(now + CONFIRMATION_MS) }
}

/** Finds the pending action of a token or a code. Throws confirmation_unknown. */
export async function findConfirmation(session: Session, by: Secret, now: number): Promise<ConfirmationRow> {
  const row = await getConfirmation(session, by, now)
  if (!row) throw unknownConfirmation()
  return row
}

export async function hasConfirmation(session: Session, code: string, now: number): Promise<boolean> {
  return (await getConfirmation(session, { code }, now)) !== null
}

/** Creates the error for a confirmation that is unknown, spent, expired or of another workspace: all look the same. */
export function unknownConfirmation(): ApiError {
  return new ApiError(
    'confirmation_unknown',
    'No action waits for this confirmation: it is unknown, spent or expired. Ask for the action again.',
  )
}

/** Normalizes a code as people type it: in any case, with letters that look like digits. */
function normalizeCode(typed: string): string {
  return typed.trim().toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1')
}

function hashOf({ workspace }: Session, secret: string): string {
  return new Bun.CryptoHasher('sha256').update(`${workspace.id}\n${secret}`).digest('hex')
}

export function confirmationsJob(deps: Pick<Context, 'db' | 'now'>) {
  return createExpiryJob(deps, 'chat_confirmations', 'drop expired confirmations of chat', CONFIRMATION_MS)
}
