import type { Session, WorkspaceId } from '../../db/database'
import type { Reading } from '../../db/portable'
import { writeOptional } from '../../http/values'
import { MEMBERS, type PartState, type State } from '../completions/completion'
import { checkedReminders } from '../reminders'
import type { Status } from '../schema'
import { readRecurrence, recurrenceOf } from '../series'
import type { TaskRow } from '../store'
import { dueOf, startOf, whenColumns } from '../task'
import { changedWhen, columnsOf } from '../when'
import type { PortableState } from './schema'
import { completionsOfIds, idsOfKeys, keysOfIds, namedEdges } from './store'
import { readProgress } from './task'

/** What completing changed, as a completion keeps it: told in ids, and brought back to the keys of another workspace. */

type ToldMembers = PortableState['members']

/** What a group of completions speaks of, by key; what is gone by now is not there. */
export interface Names {
  readonly tasks: ReadonlyMap<number, string>
  /** Edges by `<blocker> <since>`. */
  readonly edges: ReadonlyMap<string, PortableState['blocked_by'][number]>
}

export async function namesIn(db: Reading, workspace: WorkspaceId, states: readonly State[]): Promise<Names> {
  const parts = states.flatMap((state) => state.parts.map(({ key }) => key))
  const edges = await namedEdges(
    db,
    workspace,
    states.flatMap((state) => state.edges),
  )
  return {
    tasks: await idsOfKeys(db, workspace, parts),
    edges: new Map(edges.map(({ blocker, key, task_id, since }) => [`${blocker} ${key}`, { task_id, since }])),
  }
}

export function toldState({ members, parts, edges }: State, names: Names): PortableState {
  return {
    members: toldMembers(members),
    parts: parts.flatMap(({ key, ...part }) => {
      const task_id = names.tasks.get(key)
      return task_id === undefined ? [] : { task_id, ...toldProgress(part) }
    }),
    blocked_by: edges.flatMap(({ blocker, since }) => names.edges.get(`${blocker} ${since}`) ?? []),
  }
}

function toldMembers(members: Partial<TaskRow>): ToldMembers {
  // What changed is kept with all its columns.
  const row = members as TaskRow
  const has = (name: keyof typeof MEMBERS) => MEMBERS[name][0] in members
  return {
    ...(has('status') && { status: toldProgress(row) }),
    ...(has('due') && { due: dueOf(row) }),
    ...(has('start') && { start: startOf(row) }),
    ...(has('recurrence') && { recurrence: recurrenceOf(row) }),
    ...(has('reminders') && { reminders: JSON.parse(row.reminders) }),
  }
}

function toldProgress({ status, completed_at, cancelled_at }: Omit<PartState, 'key' | 'closed'>) {
  return { status, completed_at: writeOptional(completed_at), cancelled_at: writeOptional(cancelled_at) }
}

type States = Readonly<Record<'before' | 'after', PortableState>>

/**
 * The states of a completion as they are stored. Parts and edges whose task or completion is not here are left out of
 * both: undoing leaves them alone.
 * @param task the key of the task that was completed
 * @throws Refusal invalid_request, unsupported_recurrence
 */
export async function readStates(
  { db, workspace }: Session,
  task: number,
  { before, after }: States,
): Promise<Record<'before' | 'after', State>> {
  const both = [before, after]
  const waits = both.flatMap(({ blocked_by }) => blocked_by)
  const ids = both.flatMap(({ parts }) => parts.map((part) => part.task_id)).concat(waits.map((edge) => edge.task_id))
  const keys = await keysOfIds(db, workspace.id, ids)
  const completions = await completionsOfIds(
    db,
    workspace.id,
    waits.flatMap(({ since }) => since ?? []),
  )
  const isLost = ({ task_id, since }: (typeof waits)[number]) =>
    !keys.has(task_id) || (since !== null && completions.get(since)?.task !== keys.get(task_id))
  const lost = new Set(waits.filter(isLost).map(({ task_id }) => task_id))
  const stateOf = ({ members, parts, blocked_by }: PortableState, pointer: string): State => ({
    members: readMembers(members, `${pointer}/members`),
    parts: parts.flatMap(({ task_id, ...part }, i) => {
      const key = keys.get(task_id)
      return key === undefined ? [] : { key, ...readProgress(part, `${pointer}/parts/${i}`) }
    }),
    edges: blocked_by
      .filter(({ task_id }) => !lost.has(task_id))
      .map(({ task_id, since }) => ({
        dependent: task,
        blocker: keys.get(task_id) ?? 0,
        since: since === null ? 0 : (completions.get(since)?.key ?? 0),
      })),
  })
  return { before: stateOf(before, '/before'), after: stateOf(after, '/after') }
}

function readMembers({ status, due, start, recurrence, reminders }: ToldMembers, pointer: string): Partial<TaskRow> {
  return {
    ...(status !== undefined && (readProgress(status, `${pointer}/status`) as { status: Status })),
    ...(due !== undefined && whenColumns('due', columnsOf(changedWhen(null, due, 'due')))),
    ...(start !== undefined && whenColumns('start', columnsOf(changedWhen(null, start, 'start')))),
    ...(recurrence !== undefined && recurrenceColumns(recurrence)),
    ...(reminders !== undefined && { reminders: JSON.stringify(checkedReminders(reminders)) }),
  }
}

function recurrenceColumns(told: NonNullable<ToldMembers['recurrence']> | null) {
  const recurrence = told && readRecurrence(told, { date: told.anchor })
  return {
    rrule: recurrence?.rrule ?? null,
    recurrence_mode: recurrence?.mode ?? null,
    recurrence_skip: recurrence?.skip ?? null,
    anchor: recurrence?.anchor ?? null,
    exdates: JSON.stringify(recurrence?.exdates ?? []),
  }
}
