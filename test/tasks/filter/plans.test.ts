import { afterAll, expect, test } from 'bun:test'
import type { Queries, Session, Value } from '../../../src/db/database'
import { SqliteDatabase } from '../../../src/db/sqlite'
import { createTaskQueries } from '../../../src/tasks/list'
import { type ListTasks, SORT_NAMES } from '../../../src/tasks/list-schema'
import { NAMES } from './model'
import { idOf, openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

const world = openTables()
// A connection of its own: in Bun, one that has explained a statement sees no later writes.
const explaining = new SqliteDatabase(world.path)
afterAll(() => explaining.close())
afterAll(() => world.db.close())
const me = world.session('1'.repeat(32))
const lists = createTaskQueries({ now: () => Date.parse('2026-04-05T12:00:00.000Z'), findByText: world.findByText })
const shelf = await writeShelf(me, NAMES)
await writeTask(me, { ...PLAIN, n: 1 }, shelf)
// More than are few: what is asked of a crowd is found in the order of the list.
const crowd = world.session('2'.repeat(32))
const crowded = await writeShelf(crowd, NAMES, { from: 9000 })
await world.db.transaction(async (db) => {
  const task: Plain = { ...PLAIN, n: 0, labels: ['bills'], project: 'Work', blocked: true, title: 'Crowd' }
  for (let n = 1; n <= 2001; n++) await writeTask({ ...crowd, db }, { ...task, n }, crowded)
})

/** The statements of a list with their parameters. */
async function statementsOf(session: Session, query: ListTasks): Promise<[string, readonly Value[]][]> {
  const asked: [string, readonly Value[]][] = []
  const all = <Row>(sql: string, params: readonly Value[] = []) => {
    asked.push([sql, params])
    return session.db.all<Row>(sql, params)
  }
  const { db } = session
  const recorded: Queries = {
    all,
    get: (sql, params) => db.get(sql, params),
    run: (sql, params) => db.run(sql, params),
    transaction: (work) => db.transaction(work),
    afterCommit: (name, tell) => db.afterCommit(name, tell),
  }
  await lists.list({ ...session, db: recorded }, query)
  return asked
}

/** How SQLite goes about each statement of a list. */
async function plansOf(session: Session, query: ListTasks): Promise<string[]> {
  const plans: string[] = []
  for (const [sql, params] of await statementsOf(session, query)) {
    const rows = await explaining.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    plans.push(rows.map(({ detail }) => detail).join('\n'))
  }
  return plans
}

const FILTERS = [
  ...['today', 'tomorrow', 'overdue', 'undated', 'recurring', 'blocked', 'blocking', 'subtask', 'in_progress', 'done'],
  ...['cancelled', 'p1', '#work', '/next', '@bills', 'has:note', '"crowd"', 'due<+7d', 'start=today', 'created>-1d'],
  ...['updated=today', 'completed>=-7d', 'duration>30', '(today | overdue) & #work', '@bills | blocked', 'done | open'],
]

test.each([undefined, ...FILTERS])('%s reads no table from end to end', async (filter) => {
  for (const session of [me, crowd])
    for (const sort of ['due', '-updated'] as const) {
      const plans = await plansOf(session, { ...(filter && { filter }), sort, time_zone: 'Europe/Berlin' } as ListTasks)
      for (const plan of plans) {
        expect(plan).not.toMatch(/SCAN (tasks|task_)|AUTOMATIC/)
      }
    }
})

test.each(SORT_NAMES.flatMap((name) => [name, `-${name}`]))(
  'by %s, a list is read in the order of an index of its own',
  async (sort) => {
    const column = { priority: 'urgency' }[sort.replace('-', '')] ?? sort.replace('-', '')
    for (const filter of [undefined, '@bills', 'blocked & "crowd"', 'open | done']) {
      const [plan = ''] = (await plansOf(crowd, { ...(filter && { filter }), sort } as ListTasks)).filter((one) =>
        one.includes(`tasks_by_${column} (workspace=? AND closed=?`),
      )
      expect(plan).not.toBe('')
      // Only what the branches bring together is sorted.
      const branches = plan.split('tasks_by_').length - 1
      expect(plan.split('USE TEMP B-TREE FOR ORDER BY').length - 1).toBe(branches > 1 ? branches : 0)
    }
  },
)

const CHOSEN: readonly ListTasks[] = [
  { ids: [idOf(1), idOf(2)].join() },
  { parent_id: idOf(1) },
  { project_id: crowded.projects.get('Work') ?? '' },
  { section_id: crowded.sections.get('Work/Next') ?? '' },
  { label: ['bills', 'nobody'] },
  { status: 'done' },
  { status: 'any' },
  { q: 'crowd' },
  { archived: 'true' },
  { archived: 'any' },
  { include: 'subtasks' },
]

test.each(CHOSEN)('%j reads no table from end to end, by one sort key or three', async (query) => {
  for (const session of [me, crowd])
    for (const sort of ['due', '-priority,due,title', 'start,-updated'])
      for (const plan of await plansOf(session, { ...query, sort }))
        expect(plan).not.toMatch(/SCAN (tasks|task_)|AUTOMATIC/)
})

test('tasks of archived projects and of other projects are passed over in the index', async () => {
  for (const query of [{}, { project_id: crowded.projects.get('Work') ?? '' }] as ListTasks[])
    for (const sort of SORT_NAMES) {
      const asked = (await statementsOf(crowd, { ...query, sort })).filter(([sql]) => sql.includes('INDEXED BY'))
      const [sql = '', params = []] = asked.find(([text]) => text.includes(`AS sort0`)) ?? []
      const steps = await explaining.all<{ opcode: string; p1: number; p2: number; p3: number; addr: number }>(
        `EXPLAIN ${sql}`,
        params,
      )
      const seek = steps.find(({ opcode }) => opcode === 'DeferredSeek')
      // Whether the project is archived is asked before the first look at the row.
      const isAsked = steps.findIndex(({ opcode }) => opcode === 'NotFound' || opcode === 'Found')
      const looks = steps.findIndex(({ opcode, p1 }) => opcode === 'Column' && p1 === seek?.p3)
      expect([sort, seek !== undefined, isAsked >= 0 && isAsked < looks]).toEqual([sort, true, true])
    }
})

test('few tasks are counted in an index, and looked at one by one', async () => {
  for (const filter of ['@bills', '#work', 'overdue', 'blocked', 'completed > -7d']) {
    const plans = await plansOf(me, { filter, sort: 'title' })
    expect(plans.join('\n')).not.toContain('tasks_by_title')
  }
})

test('the tasks that hold a text are read by key, unless they are many', async () => {
  const walked = async (filter: string) =>
    (await plansOf(crowd, { filter, sort: 'title' })).join('\n').includes('tasks_by_title')
  // 2001 tasks are called so.
  for (const filter of ['"crowd"', '!"crowd"', '"crowd" | "nowhere"'])
    expect([filter, await walked(filter)]).toEqual([filter, true])
  for (const filter of ['"nowhere"', '"crow"', '"crowd" & "nowhere"', '"no" | "where"'])
    expect([filter, await walked(filter)]).toEqual([filter, false])
})
