import type { Session } from '../../db/database'
import { Refusal } from '../../http/problem'
import { checkedBlockers } from '../dependencies'
import type { Warning } from '../ical/item'
import { createChangeTasks } from '../named/affected'
import { createShifts, placed } from '../place'
import { getTask } from '../store'
import type { TaskWriter } from '../writer'
import type { ItemImport } from './import-item'
import { type Granted, grant, onCircles, type Standing, type Wish } from './relations'
import { family, idsOfUids, type StandingRow, waitedFor } from './store'

/** The second pass of an import: what tasks are parts of, and what they wait for, once all are there. */

/** A task whose item was taken, and the others that the item names. */
export interface Pending {
  readonly id: string
  /** It was made by this import, and stands for itself yet. */
  readonly isNew: boolean
  /** Its time of change stays what the file says. */
  readonly keepsTime: boolean
  readonly parent_uid: string | null
  readonly blocked_by_uids: readonly string[]
  /** Tells the report; `changed` if the relations are others than they were. */
  readonly tell: (changed: boolean, warnings: readonly Warning[]) => void
}

/** A change of relations that is to be written. */
interface Change extends Granted {
  readonly pending: Pending
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly writer: TaskWriter
  readonly items: Pick<ItemImport, 'related'>
}

export type Relating = ReturnType<typeof createRelating>

export function createRelating({ now, writer, items }: Deps) {
  const shifts = createShifts(createChangeTasks({ now, writer }))

  async function write(session: Session, { pending, parent, blockers }: Change, isChecked: boolean): Promise<void> {
    const old = await getTask(session.db, session.workspace.id, pending.id)
    if (old?.deleted_at !== null) return
    const blocked_by = isChecked
      ? await checkedBlockers(session, old, blockers)
      : JSON.stringify(await present(session, blockers))
    const moved = await placed(session, { ...old, blocked_by }, { parent_id: parent }, true)
    const updated_at = pending.keepsTime ? old.updated_at : now()
    const saved = await writer.save(session, old, { ...moved, revision: old.revision + 1, updated_at })
    if (saved.project_id !== old.project_id || saved.section_id !== old.section_id)
      await shifts.bringParts(session, saved)
    await items.related(session, await shifts.renumber(session, saved))
  }

  /** One by one: what can no longer be, since others changed meanwhile, is told. */
  async function writeSingly(session: Session, changes: readonly Change[], isChecked: boolean): Promise<void> {
    for (const change of changes)
      try {
        await session.db.transaction((db) => write({ ...session, db }, change, isChecked))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        change.pending.tell(false, [{ code: error.code, detail: error.detail }])
      }
  }

  return {
    /** What is to be written, wholes before their parts; what cannot be is told. */
    async plan(session: Session, byUid: ReadonlyMap<string, string>, pendings: readonly Pending[]): Promise<Change[]> {
      const related = pendings.filter(
        ({ isNew, parent_uid, blocked_by_uids }) => !isNew || parent_uid !== null || blocked_by_uids.length > 0,
      )
      const wishes = await wished(session, byUid, related)
      const standing = await standingOf(session, wishes)
      const granted = grant(wishes, standing)
      const changes: Change[] = []
      for (const [i, pending] of related.entries()) {
        const one = granted[i]
        if (!one) continue
        const differs = isOther(standing.get(pending.id), one)
        pending.tell(differs, one.warnings)
        if (differs) changes.push({ ...one, pending })
      }
      return changes.sort((a, b) => a.depth - b.depth)
    },

    /**
     * Writes a group of changes. That no circle closes is looked at once for all of them: each by itself would walk the
     * whole chain that it belongs to. `session.db` must be a transaction.
     */
    async write(session: Session, changes: readonly Change[]): Promise<void> {
      try {
        await session.db.transaction(async (db) => {
          const within = { ...session, db }
          await writeSingly(within, changes, false)
          await refuseCircles(within, changes)
        })
      } catch (error) {
        if (!(error instanceof Tangled)) throw error
        await writeSingly(session, changes, true)
      }
    },
  }
}

/** Others made a circle with what was planned. */
class Tangled extends Error {
  override readonly name = 'Tangled'
}

async function refuseCircles({ db, workspace }: Session, changes: readonly Change[]): Promise<void> {
  const waiting = changes.filter(({ blockers }) => blockers.length > 0).map(({ id }) => id)
  if (waiting.length === 0) return
  const rows = await waitedFor(db, workspace.id, waiting)
  if (onCircles(new Map(rows.map(({ id, blocked_by }) => [id, JSON.parse(blocked_by)]))).size > 0) throw new Tangled()
}

async function present({ db, workspace }: Session, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const known = await idsOfUids(db, workspace.id, ids)
  return ids.filter((id) => known.has(id))
}

/** The wishes by ids. What is not in the workspace is told. */
async function wished(
  { db, workspace }: Session,
  byUid: ReadonlyMap<string, string>,
  pendings: readonly Pending[],
): Promise<Wish[]> {
  const named = pendings.flatMap(({ parent_uid, blocked_by_uids }) => [parent_uid ?? '', ...blocked_by_uids])
  const elsewhere = [...new Set(named)].filter((uid) => !byUid.has(uid))
  const found = elsewhere.length > 0 ? await idsOfUids(db, workspace.id, elsewhere) : new Map<string, string>()
  const idOf = (uid: string) => byUid.get(uid) ?? found.get(uid)
  return pendings.map(({ id, parent_uid, blocked_by_uids, tell }) => {
    const parent = parent_uid === null ? null : (idOf(parent_uid) ?? null)
    const blockers = [...new Set(blocked_by_uids.flatMap((uid) => idOf(uid) ?? []))].filter((other) => other !== id)
    const lost =
      blocked_by_uids.filter((uid) => idOf(uid) === undefined).length + (parent_uid !== null && !parent ? 1 : 0)
    if (lost > 0)
      tell(false, [{ code: 'unknown_relation', detail: `RELATED-TO names what is no task here: ${lost} left out.` }])
    return { id, parent: parent === id ? null : parent, blockers }
  })
}

async function standingOf({ db, workspace }: Session, wishes: readonly Wish[]): Promise<Map<string, Standing>> {
  if (wishes.length === 0) return new Map()
  const ids = wishes.flatMap(({ id, parent, blockers }) => [id, ...(parent === null ? [] : [parent]), ...blockers])
  const distinct = [...new Set(ids)]
  const rows = [...(await family(db, workspace.id, distinct)), ...(await waitedFor(db, workspace.id, distinct))]
  return new Map(rows.map((row) => [row.id, toStanding(row)]))
}

function toStanding({ parent_id, blocked_by, deleted_at }: StandingRow): Standing {
  return { parent: parent_id, blockers: JSON.parse(blocked_by), living: deleted_at === null }
}

function isOther(standing: Standing | undefined, { parent, blockers }: Granted): boolean {
  const before = new Set(standing?.blockers)
  return (standing?.parent ?? null) !== parent || before.symmetricDifference(new Set(blockers)).size > 0
}
