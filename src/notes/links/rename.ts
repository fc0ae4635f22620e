import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { Refusal } from '../../http/problem'
import { BODY_BYTES, withChanges } from '../note'
import { getNote, type NoteRow } from '../store'
import type { Writer } from '../writer'
import { type Respelling, rewriteLinks } from './rewrite'
import { type Move, moveOf, type Plan, planRewrite } from './rewrite-plan'

/** Notes that one rename may rewrite beside those that it renames. */
export const MAX_REWRITTEN = 5000
/** After so many notes a rename lets other requests have their turn. */
const NOTES_PER_TURN = 50

/**
 * Stores `next`, and where its title or folder is another than that of `old`, spells the links that led to it anew, so
 * that they lead there still; those of its own body not where `keepsBody` is set. `session.db` must be a transaction.
 * Throws rewrite_impossible.
 */
export type Rename = (
  session: Session,
  old: NoteRow,
  next: NoteRow,
  options?: { readonly keepsBody?: boolean },
) => Promise<{ note: NoteRow; rewritten: number }>

/**
 * The same for many notes at once: each linking note is rewritten once, however many of its links must be.
 * `next` makes of a note what is to be stored, or null to leave it; it is asked twice, and must answer alike.
 */
export type RenameAll = (
  session: Session,
  ids: readonly string[],
  next: (note: NoteRow) => NoteRow | null,
) => Promise<{ changed: number; rewritten: number }>

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly writer: Writer
}

export function createRename({ now, writer }: Deps): Rename {
  return async (session, old, next, { keepsBody = false } = {}) => {
    if (next.title === old.title && next.folder === old.folder)
      return { note: await writer.save(session, old, next), rewritten: 0 }
    const plan = await planRewrite(session, [moveOf(old, next)])
    const own = plan.get(next.id)
    plan.delete(next.id)
    // The others first: when the note itself is saved, none of their links is left to be resolved again.
    const others = await rewriteOthers({ now, writer }, session, plan)
    // A body that comes with the new title is stored as it was sent.
    const revised = own && !keepsBody && next.body === old.body ? withOwnLinks(next, own) : next
    const note = await writer.save(session, old, revised)
    return { note, rewritten: others + Number(revised !== next) }
  }
}

export function createRenameAll({ now, writer }: Deps): RenameAll {
  return async (session, ids, next) => {
    const moves: Move[] = []
    for await (const old of inTurns(session, ids)) {
      const note = next(old)
      if (note) moves.push(moveOf(old, note))
    }
    const plan = await planRewrite(session, moves)
    const owns = new Map(moves.map(({ id }) => [id, plan.get(id)]))
    for (const id of owns.keys()) plan.delete(id)
    let rewritten = await rewriteOthers({ now, writer }, session, plan)
    for await (const old of inTurns(session, [...owns.keys()])) {
      const note = next(old)
      const own = owns.get(old.id)
      if (!note) continue
      const revised = own ? withOwnLinks(note, own) : note
      await writer.save(session, old, revised)
      rewritten += Number(revised !== note)
    }
    return { changed: moves.length, rewritten }
  }
}

/** The notes of these ids, one at a time: readers have a connection of their own and need not stand still for seconds. */
async function* inTurns({ db, workspace }: Session, ids: readonly string[]): AsyncGenerator<NoteRow> {
  for (const [index, id] of ids.entries()) {
    if (index % NOTES_PER_TURN === NOTES_PER_TURN - 1) await setImmediate()
    const note = await getNote(db, workspace.id, id)
    if (note) yield note
  }
}

async function rewriteOthers({ now, writer }: Deps, session: Session, plan: Plan): Promise<number> {
  if (plan.size > MAX_REWRITTEN)
    throw impossible(`${plan.size} notes link to what is renamed; a rename rewrites at most ${MAX_REWRITTEN}.`)
  let rewritten = 0
  for await (const source of inTurns(session, [...plan.keys()])) {
    const changed = withChanges(source, { body: rewrittenBody(source, plan.get(source.id)) }, now())
    if (!changed) continue
    await writer.save(session, source, changed)
    rewritten += 1
  }
  return rewritten
}

/** The note with its own links spelled anew, in the one revision that renames it. */
function withOwnLinks(note: NoteRow, spellings: ReadonlyMap<string, Respelling>): NoteRow {
  const revised = withChanges(note, { body: rewrittenBody(note, spellings) }, note.updated_at)
  return revised ? { ...revised, revision: note.revision } : note
}

function rewrittenBody(note: NoteRow, spellings: ReadonlyMap<string, Respelling> = new Map()): string {
  const body = rewriteLinks(note.body, spellings)
  if (body === null)
    throw impossible(`The links of note ${note.id} cannot be spelled anew without changing what else it says.`)
  if (Buffer.byteLength(body) > BODY_BYTES) throw impossible(`Note ${note.id} would outgrow ${BODY_BYTES} bytes.`)
  return body
}

function impossible(detail: string): Refusal {
  return new Refusal('rewrite_impossible', `${detail} Nothing was changed.`)
}
