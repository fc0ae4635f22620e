import { join } from 'node:path'
import type { Database, Session } from '../src/db/database'
import { openDatabase } from '../src/db/open'
import { createAgendas } from '../src/tasks/agenda/agenda'
import { createCompletionActions } from '../src/tasks/completions/completions'
import { createCompletionWriter } from '../src/tasks/completions/writer'
import { createUseLabels } from '../src/tasks/groups/labels'
import { createTaskQueries } from '../src/tasks/list'
import { createTasks } from '../src/tasks/service'
import { createTaskStatistics } from '../src/tasks/stats'
import { createTaskWriter } from '../src/tasks/writer'
import { makeChance, WORKSPACE } from './corpus'
import { type Effort, percentile, type Row } from './figures'
import { makeFolder, removeFolder } from './server'

/**
 * The figures of tasks, over a workspace of 100,000: one in twenty repeats, half of the others are done, and due dates
 * spread over two years about today.
 */

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const PER_COMMIT = 500
/** Calls of each kind that are not counted: until then the code is not compiled. A server has left them behind in its first minute. */
const WARM_UP = 30
const RULES = ['FREQ=WEEKLY', 'FREQ=MONTHLY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY;BYDAY=-1FR', 'FREQ=YEARLY']

const chance = makeChance(2)
const below = (limit: number) => Math.floor(chance() * limit)
const dateAbout = (days: number) => new Date(NOW + (below(2 * days) - days) * 86_400_000).toISOString().slice(0, 10)
const idOf = (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** Times in milliseconds, by what was asked. */
type Times = Record<'lists' | 'agendas' | 'statistics' | 'completions' | 'occurrences', number[]>

interface Measured {
  readonly tasks: number
  readonly times: Times
}

export function servicesOf() {
  let ids = 0
  const now = () => NOW
  const record = async () => {}
  const newId = () => `01910000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`
  const deps = { now, ids: newId, record }
  const writer = createTaskWriter({ now, record, useLabels: createUseLabels(deps) })
  const completions = createCompletionWriter({ now, ids: newId, writer, reserve: record })
  const tasks = createTasks({ now, ids: newId, writer, completions, missingNotes: async () => [] })
  return {
    tasks,
    actions: createCompletionActions(completions),
    lists: createTaskQueries({ now, findByText: async () => [] }),
    agendas: createAgendas({ now }),
    statistics: createTaskStatistics({ now }),
  }
}

function madeUp(n: number) {
  const repeats = n % 20 === 0
  return {
    id: idOf(n),
    title: `Task ${n} of ${['home', 'work', 'garden', 'club'][below(4)]}`,
    priority: below(5),
    labels: [`label ${below(50)}`],
    due: {
      date: dateAbout(repeats ? 15 : 365),
      time: below(3) === 0 ? '09:00' : null,
      time_zone: null,
    },
    ...(repeats
      ? { recurrence: { rrule: RULES[below(RULES.length)] ?? '' } }
      : { status: below(2) === 0 ? ('open' as const) : ('done' as const) }),
  }
}

export async function fill(db: Database, { tasks }: ReturnType<typeof servicesOf>, count: number): Promise<void> {
  for (let first = 1; first <= count; first += PER_COMMIT)
    await db.transaction(async (tx) => {
      for (let n = first; n < Math.min(count + 1, first + PER_COMMIT); n++)
        await tasks.create({ workspace: WORKSPACE, db: tx }, madeUp(n))
    })
}

async function measure(count: number, runs: number): Promise<Measured> {
  const folder = makeFolder()
  const db = openDatabase(join(folder, 'satchel.db'), 0, () => '')
  try {
    const services = servicesOf()
    await fill(db, services, count)
    return { tasks: count, times: await timesOf({ workspace: WORKSPACE, db }, services, count, runs) }
  } finally {
    await db.close()
    removeFolder(folder)
  }
}

const FILTERS = [
  '',
  'today or overdue',
  '@"label 7" & p1',
  'due < +7d & !recurring',
  '"garden" & p2',
  'undated',
  'done',
]

async function timesOf(
  session: Session,
  { lists, agendas, statistics, actions }: ReturnType<typeof servicesOf>,
  count: number,
  runs: number,
): Promise<Times> {
  const times: Times = { lists: [], agendas: [], statistics: [], completions: [], occurrences: [] }
  let run = -WARM_UP
  const timed = async (kind: keyof Times, work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    if (run >= 0) times[kind].push(performance.now() - start)
  }
  for (; run < runs; run++) {
    const filter = FILTERS[Math.abs(run) % FILTERS.length]
    const from = dateAbout(20)
    const to = new Date(Date.parse(from) + 30 * 86_400_000).toISOString().slice(0, 10)
    const repeating = idOf(20 * (1 + below(Math.floor(count / 20))))
    await timed('lists', () => lists.list(session, filter ? { filter } : {}))
    await timed('agendas', () => agendas.getAgenda(session, { from, to, time_zone: 'Europe/Berlin' }))
    await timed('statistics', () => statistics.getStats(session, { from: '2025-03-03', to: '2026-03-02' }))
    await timed('completions', () => actions.complete(session, repeating, {}))
    await timed('occurrences', () => actions.listOccurrences(session, repeating, { from: '2026-01-01' }))
  }
  return times
}

let measured: Promise<Measured> | undefined

/** A row of what one kind of request takes, at this percentile and in this many milliseconds at most. */
function row(kind: keyof Times, what: string, share: number, target: number): Row {
  const percent = `p${Math.round(share * 100)}`
  return {
    name: what,
    target: `${percent} ${target} ms`,
    async measure({ quick }: Effort) {
      measured ??= quick ? measure(200, 14) : measure(100_000, 210)
      const { tasks, times } = await measured
      const reached = percentile(times[kind], share)
      return {
        of: `among ${tasks} tasks, 1 in 20 of them repeating`,
        measured: `${percent} ${reached.toFixed(1)} ms`,
        reached: reached <= target,
      }
    },
  }
}

export const taskRows: readonly Row[] = [
  row('agendas', 'The agenda of 31 days', 0.99, 20),
  row('lists', 'A list of 50 by one of seven filters', 0.95, 30),
  row('statistics', 'The statistics of a year', 0.95, 100),
  row('completions', 'Completing a task that repeats', 0.95, 5),
  row('occurrences', 'The dates of a task', 0.95, 5),
]
