import { afterAll, describe, expect, test } from 'bun:test'
import type { Queries, Session, Value } from '../../../src/db/database'
import { createTaskQueries } from '../../../src/tasks/list'
import { type ListTasks, SORT_NAMES } from '../../../src/tasks/list-schema'
import { NAMES } from './model'
import { idOf, openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

/** A Monday. */
const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const [FEW, MANY] = [300, 2400]
/** One key, and several in any direction. */
const SORTS = [
  ...SORT_NAMES.flatMap((name) => [name, `-${name}`]),
  ...['priority,due', '-priority,title', 'due,-created', 'start,-title', '-updated,priority,-due'],
]
const LABELS = [...NAMES.labels, 'nobody', 'odd']
const world = openTables()
afterAll(() => world.db.close())
const lists = createTaskQueries({ now: () => NOW, findByText: world.findByText })

function madeUp(n: number): Plain {
  return {
    ...PLAIN,
    n,
    title: `Task ${n} of the ${n % 3 === 0 ? 'garden' : 'house'}`,
    status: n % 5 === 0 ? 'done' : 'open',
    completed: n % 5 === 0 ? NOW : null,
    priority: n % 4,
    due: n % 7 === 0 ? null : { date: `2026-0${1 + (n % 6)}-1${n % 10}`, time: null, time_zone: null },
    created: NOW - n * 60_000,
    updated: NOW - (n % 50) * 60_000,
    labels: n % 2 === 0 ? ['bills', 'Straße'] : ['bills', 'odd'],
    trashed: n % 11 === 0,
  }
}

async function filled(id: string, count: number): Promise<Session> {
  const session = world.session(id.repeat(32))
  const shelf = await writeShelf(session, { ...NAMES, labels: LABELS }, { from: 10_000 })
  await world.db.transaction(async (db) => {
    for (let n = 1; n <= count; n++) await writeTask({ ...session, db }, madeUp(n), shelf)
  })
  return session
}

const few = await filled('1', FEW)
const many = await filled('2', MANY)
await world.index()

interface Asked {
  readonly sql: string
  readonly rows: number
  /** The most elements of a list among its parameters. */
  readonly listed: number
  /** The turn of the event loop. */
  readonly turn: number
}

/** The statements of a list. */
async function recorded(session: Session, query: ListTasks): Promise<{ asked: Asked[]; ids: string[] }> {
  const asked: Asked[] = []
  let turn = 0
  let done = false
  const count = () => {
    turn++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  const note = (sql: string, params: readonly Value[], rows: number) => {
    const lists = params.filter((one) => typeof one === 'string' && one.startsWith('['))
    asked.push({ sql, rows, listed: Math.max(0, ...lists.map((one) => JSON.parse(String(one)).length)), turn })
  }
  const { db } = session
  const queries: Queries = {
    ...{ run: db.run.bind(db), transaction: db.transaction.bind(db), afterCommit: db.afterCommit.bind(db) },
    async all<Row>(sql: string, params: readonly Value[] = []) {
      const rows = await db.all<Row>(sql, params)
      note(sql, params, rows.length)
      return rows
    },
    async get<Row>(sql: string, params: readonly Value[] = []) {
      const row = await db.get<Row>(sql, params)
      note(sql, params, row ? 1 : 0)
      return row
    },
  }
  const { items } = await lists.list({ ...session, db: queries }, query)
  done = true
  return { asked, ids: items.map(({ id }) => id) }
}

describe('a filter that matches nothing costs as much among many tasks as among few', () => {
  test.each([
    ...['@nobody', '@nobody & p1', 'due < 1980-01-01', 'due = 2150-01-01', 'due < 2026-03-01 & due > 2026-05-01'],
    ...['start < today', 'created > tomorrow', 'completed < 1980-01-01', 'blocked', 'subtask', 'cancelled', 'p4'],
    ...['priority > 3', 'p0 & p1', '!(p0 | p1 | p2 | p3)', '!inbox', '!done & !open', 'has:note', 'has:start'],
    ...['has:reminder', 'has:duration', 'p4 & !has:label', 'today & p4', 'recurring | blocked', '@bills & p4'],
    ...['"zzq"', '"zz" | "q"', '"garden zzq"', '"zzq" & open', 'has:notes & "zzq"', 'subtask | "zzq"'],
  ])('%s', async (filter) => {
    const [small, large] = [await recorded(few, { filter }), await recorded(many, { filter })]
    expect(large.ids).toEqual([])
    const visited = ({ asked }: typeof small) =>
      asked.filter(({ sql }) => / tasks\b/.test(sql)).map(({ sql, rows }) => [sql, rows])
    expect(visited(large).length).toBeLessThanOrEqual(visited(small).length)
    // Of a term with many tasks so many are counted as tell that they are many.
    const rows = visited(large).reduce((sum, [, count]) => sum + Number(count), 0)
    expect(rows).toBeLessThanOrEqual(4 * 65)
    expect(large.asked.map(({ sql }) => sql).join('\n')).not.toContain('OFFSET')
  })
})

describe('a list of many tasks', () => {
  const UNINDEXED = ['!has:label', '!"garden" & !"house"', '!@bills & !@odd', '!@bills & (p1 | !"garden")']

  test.each(UNINDEXED)('is read in steps with turns between: %s', async (filter) => {
    const hasTexts = filter.includes('"')
    for (const trashed of hasTexts ? [false] : [false, true]) {
      const { asked, ids } = await recorded(many, { filter, ...(trashed && { trashed: 'true' }) } as ListTasks)
      expect(ids).toEqual([])
      const steps = asked.filter(({ sql }) => sql.includes('OFFSET'))
      const count = trashed ? MANY / 11 : (MANY * 10) / 11
      if (!trashed) expect(steps.length).toBeGreaterThan((count * 0.6) / 512)
      expect(new Set(steps.map(({ turn }) => turn)).size).toBe(steps.length)
      for (const { rows, listed } of asked.filter(({ sql }) => / tasks\b/.test(sql))) {
        expect(rows).toBeLessThanOrEqual(512)
        // The tasks that hold a text are named in each step.
        expect(listed).toBeLessThanOrEqual(hasTexts ? MANY : 512)
      }
    }
  })

  test.each(SORTS)('by %s has each of its tasks once and in order, on whatever page', async (sort) => {
    for (const [filter, fits] of [
      ['@odd & !"garden"', (task: Plain) => task.labels.includes('odd') && !task.title.includes('garden')],
      [
        'due >= 2026-02-01 & due < 2026-04-15 & !@odd',
        ({ due, labels }: Plain) => isWithin(due) && !labels.includes('odd'),
      ],
      ['(done | open) & !@odd & p3', () => false],
      ['(done | open) & !@odd & p2', ({ labels, priority }: Plain) => !labels.includes('odd') && priority === 2],
    ] as const) {
      const found: string[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await lists.list(many, { filter, sort, limit: '150', ...(cursor && { cursor }) } as ListTasks)
        found.push(...page.items.map(({ id }) => id))
        if (page.next_cursor === null) break
        cursor = page.next_cursor
      }
      const tasks = Array.from({ length: MANY }, (_, i) => madeUp(i + 1)).filter(
        (task) => !task.trashed && (filter.includes('done') || task.status === 'open') && fits(task),
      )
      expect([filter, [...found].sort()]).toEqual([filter, tasks.map(({ n }) => idOf(n))])
      const { items } = await lists.list(many, { sort, limit: '200' } as ListTasks)
      expect(items.length).toBe(200)
      const tasksFound = found.map((id) => madeUp(Number.parseInt(id.slice(-8), 16)))
      expect(found).toEqual(tasksFound.toSorted((a, b) => compare(a, b, sort)).map(({ n }) => idOf(n)))
    }
  })
})

function isWithin(due: Plain['due']): boolean {
  return due !== null && due.date >= '2026-02-01' && due.date < '2026-04-15'
}

/** Ties are sorted by id, in the direction of the last key. */
function compare(a: Plain, b: Plain, sort: string): number {
  const keys = sort.split(',')
  for (const key of [...keys, keys.at(-1)?.startsWith('-') ? '-id' : 'id']) {
    const [left, right] = [keyOf(a, key), keyOf(b, key)]
    if (left !== right) return left < right === key.startsWith('-') ? 1 : -1
  }
  return 0
}

function keyOf(task: Plain, key: string): string {
  const pad = (n: number) => String(n).padStart(20, '0')
  const keys: Record<string, string> = {
    due: task.due?.date ?? '~',
    start: '~',
    priority: pad(task.priority === 0 ? 5 : task.priority),
    position: `a${task.n % 97}`,
    created: pad(task.created),
    updated: pad(task.updated),
    title: task.title.toLowerCase().replace(/\d+/g, (digits) => pad(Number(digits))),
    id: idOf(task.n),
  }
  return keys[key.replace('-', '')] ?? ''
}
