import type { Context } from '../db/context'
import type { Session } from '../db/database'
import type { ChatAction, UndoStep } from './schema'
import { listUndoSteps, undoAll } from './tool'
import { deleteExpiredUndos, getUndo, putUndo } from './undo-store'

/** The time for which "undo that" finds what an answer did. */
export const UNDO_MS = 24 * 60 * 60 * 1000
/** Undos of one workspace that are kept. They do not count towards its quota. */
export const MAX_UNDOS = 32

/**
 * Stores how to undo what an answer did, under a hash of its text: clients send answers back as they were, so the text
 * finds the undo again, and only in the workspace that it is of. Does nothing if the answer changed nothing.
 */
export async function keepUndo(
  { db, workspace }: Session,
  answer: string,
  actions: readonly ChatAction[],
  now: number,
): Promise<void> {
  const undo = undoAll(actions)
  if (!undo) return
  const row = {
    answer_hash: hashOf(workspace.id, answer),
    steps: JSON.stringify(listUndoSteps(undo)),
    expires_at: now + UNDO_MS,
  }
  await db.transaction((tx) => putUndo(tx, workspace.id, row, { kept: MAX_UNDOS, now }))
}

/** Returns the requests that undo what the first of some answers did that changed something; null if none did. */
export async function findUndo(
  { db, workspace }: Session,
  answers: readonly string[],
  now: number,
): Promise<UndoStep[] | null> {
  for (const answer of answers) {
    const row = await getUndo(db, workspace.id, hashOf(workspace.id, answer), now)
    if (row) return JSON.parse(row.steps) as UndoStep[]
  }
  return null
}

/** Hashes an answer without the white space around it, which some clients drop. */
function hashOf(workspace: string, answer: string): string {
  return new Bun.CryptoHasher('sha256').update(`${workspace}\n${answer.trim()}`).digest('hex')
}

/** Rows that one statement deletes. */
const ROWS_PER_STEP = 1000
const HOUR_MS = 60 * 60 * 1000

/** Creates the job that deletes expired undos, in steps. */
export function undosJob({ db, now }: Pick<Context, 'db' | 'now'>) {
  return {
    name: 'drop expired undos of chat',
    every_ms: HOUR_MS,
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted && (await deleteExpiredUndos(db, now(), ROWS_PER_STEP)) === ROWS_PER_STEP);
    },
  }
}
