import { afterAll, expect } from 'bun:test'
import { join } from 'node:path'
import type { Queries, Session, Value, WorkspaceId } from '../../../src/db/database'
import { createAgendas } from '../../../src/tasks/agenda/agenda'
import { createReminders } from '../../../src/tasks/reminders'
import { createTaskStatistics } from '../../../src/tasks/stats'
import { openMigrated } from '../../support/database'
import { makeFolder } from '../../support/folder'
import { onSqlite } from '../../support/full'

/**
 * How SQLite goes about what an agenda and its like ask for. Where all that is asked for stands in the index, it puts off
 * the look at the row, and so never takes it.
 */

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const db = await openMigrated(join(makeFolder(), 'satchel.db'), NOW, () => 'x')
const now = () => NOW
afterAll(() => db.close())

/** Each statement that `work` runs, with its parameters. */
async function askedBy(work: (session: Session) => Promise<unknown>): Promise<[string, readonly Value[]][]> {
  const asked: [string, readonly Value[]][] = []
  const note = (sql: string, params: readonly Value[] = []) => void asked.push([sql, params])
  const recorded: Queries = {
    all: (sql, params) => {
      note(sql, params)
      return db.all(sql, params)
    },
    get: (sql, params) => {
      note(sql, params)
      return db.get(sql, params)
    },
    run: (sql, params) => db.run(sql, params),
    transaction: (run) => db.transaction(run),
    afterCommit: (name, tell) => db.afterCommit(name, tell),
  }
  await work({ db: recorded, workspace: { id: 'f'.repeat(32) as WorkspaceId, kind: 'key' } })
  return asked
}

/** The plan of each statement that `work` runs. */
async function plansOf(work: (session: Session) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  for (const [sql, params] of await askedBy(work)) {
    const steps = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    plans.push(steps.map(({ detail }) => detail).join('\n'))
  }
  return plans
}

onSqlite('an agenda finds dates, rules and titles each by an index, in order', async () => {
  const plans = await plansOf((session) => createAgendas({ now }).getAgenda(session, { time_zone: 'UTC' }))
  const indexes = plans.map((plan) => /SEARCH tasks USING (INDEX|INTEGER PRIMARY KEY) ?(\w*)/.exec(plan)?.[0])
  expect([...new Set(indexes)]).toEqual([
    'SEARCH tasks USING INDEX tasks_repeating',
    'SEARCH tasks USING INDEX tasks_by_due',
    'SEARCH tasks USING INDEX tasks_by_start',
  ])
  for (const plan of plans) expect(plan).not.toMatch(/SCAN (tasks|task_)|TEMP B-TREE/)
})

/** Whether a statement that walks an index reads the rows as well: a column of the table, not of the index. */
async function readsRows(sql: string, params: readonly Value[]): Promise<boolean> {
  const steps = await db.all<{ opcode: string; p1: number; p3: number }>(`EXPLAIN ${sql}`, params)
  const table = steps.find(({ opcode }) => opcode === 'DeferredSeek')?.p3
  return steps.some(({ opcode, p1 }) => opcode === 'Column' && p1 === table)
}

onSqlite('an agenda reads the rows of what is overdue, which is shown whole, and no other', async () => {
  const asked = await askedBy((session) => createAgendas({ now }).getAgenda(session, { time_zone: 'UTC' }))
  const read = await Promise.all(asked.map(([sql, params]) => readsRows(sql, params)))
  expect(asked.filter((_, i) => read[i]).map(([sql]) => /due_date < /.test(sql))).toEqual([true])
})

onSqlite('statistics count by indexes, and what was done in one that holds all of it', async () => {
  const plans = await plansOf((session) => createTaskStatistics({ now }).getStats(session, {}))
  const indexes = plans.map((plan) => /SEARCH \w+ USING (COVERING )?INDEX (\w+)/.exec(plan)?.[0])
  expect([...new Set(indexes)].toSorted()).toEqual([
    'SEARCH task_completions USING COVERING INDEX task_completions_by_time',
    'SEARCH tasks USING INDEX tasks_by_created',
    'SEARCH tasks USING INDEX tasks_by_due',
  ])
})

onSqlite('what reminds is found by its own index', async () => {
  const [plan] = await plansOf((session) => createReminders({ now }).list(session, { time_zone: 'UTC' }))
  expect(plan).toMatch(/^SEARCH tasks USING INDEX tasks_reminding \(workspace=\? AND key>\?\)\n/)
  expect(plan).not.toMatch(/SCAN (tasks|task_)|TEMP B-TREE FOR ORDER/)
})
