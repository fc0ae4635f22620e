import { afterAll, expect, test } from 'bun:test'
import type { Queries, Session } from '../../../src/db/database'
import { SqliteDatabase } from '../../../src/db/sqlite'
import { createTaskQueries } from '../../../src/tasks/list'
import { type ListTasks, SORT_NAMES } from '../../../src/tasks/list-schema'
import { type Step, statementsOf } from '../../support/plans'
import { NAMES } from './model'
import { openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

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

const asks = (session: Session, query: ListTasks) => (db: Queries) => lists.list({ ...session, db }, query)
const plansOf = async (session: Session, query: ListTasks) => {
  const asked = await statementsOf(session.db, asks(session, query))
  return Promise.all(asked.map(([sql, params]) => explaining.all<Step>(`EXPLAIN QUERY PLAN ${sql}`, params)))
}

test('tasks of archived projects and of other projects are passed over in the index', async () => {
  for (const query of [{}, { project_id: crowded.projects.get('Work') ?? '' }] as ListTasks[])
    for (const sort of SORT_NAMES) {
      const asked = await statementsOf(crowd.db, asks(crowd, { ...query, sort }))
      const [sql, params] = asked.find(([text]) => /size_bytes.*AS sort0.*INDEXED BY/s.test(text)) ?? ['', []]
      const steps = await explaining.all<Step>(`EXPLAIN ${sql}`, params)
      const seek = steps.find(({ opcode }) => opcode === 'DeferredSeek')
      // Whether the project is archived is asked before the first look at the row.
      const isAsked = steps.findIndex(({ opcode }) => opcode === 'NotFound' || opcode === 'Found')
      const looks = steps.findIndex(({ opcode, p1 }) => opcode === 'Column' && p1 === seek?.p3)
      expect([sort, seek !== undefined, isAsked >= 0 && isAsked < looks]).toEqual([sort, true, true])
    }
})

test('few tasks are counted in an index, and looked at one by one', async () => {
  for (const filter of ['@bills', '#work', 'overdue', 'blocked', 'completed > -7d', 'has:notes']) {
    const plans = await plansOf(me, { filter, sort: 'title' })
    expect(JSON.stringify(plans)).not.toContain('tasks_by_title')
  }
})

test('the tasks that hold a text are read by key, unless they are many', async () => {
  const walked = async (filter: string) =>
    JSON.stringify(await plansOf(crowd, { filter, sort: 'title' })).includes('tasks_by_title')
  // 2001 tasks are called so.
  for (const filter of ['"crowd"', '!"crowd"', '"crowd" | "nowhere"'])
    expect([filter, await walked(filter)]).toEqual([filter, true])
  for (const filter of ['"nowhere"', '"crow"', '"crowd" & "nowhere"', '"no" | "where"'])
    expect([filter, await walked(filter)]).toEqual([filter, false])
})
