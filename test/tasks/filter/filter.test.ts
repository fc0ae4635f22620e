import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Bindings } from '../../../src/db/database'
import { ApiError } from '../../../src/http/api-error'
import { writeInstant } from '../../../src/http/values'
import { findCandidates } from '../../../src/tasks/filter/candidates-store'
import { readTaskFilter } from '../../../src/tasks/filter/service'
import { buildTaskFilterConditions } from '../../../src/tasks/filter/store'
import { createTaskQueries } from '../../../src/tasks/list'
import { listTaskKeys } from '../../../src/tasks/list-store'
import { runs } from '../../support/full'
import { type Asked, anyFilter, anyTerm, asked, NAMES, randomTask, TEXTS, type Written } from './model'
import { idOf, openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

const TASKS = 400
const world = openTables()
afterAll(() => world.db.close())
const me = world.session('1'.repeat(32))
const other = world.session('2'.repeat(32))
const lists = createTaskQueries({ now: () => 0, findByText: world.findByText })

const tasks: Plain[] = fc.sample(randomTask, { numRuns: TASKS, seed: 7 }).map((task, i) => ({ ...task, n: i + 1 }))
const shelf = await writeShelf(me, NAMES)
const theirs = await writeShelf(other, { ...NAMES, labels: [...NAMES.labels, 'theirs'] })
await world.db.transaction(async (db) => {
  for (const task of tasks) await writeTask({ ...me, db }, task, shelf)
  for (const task of tasks.slice(0, 50)) await writeTask({ ...other, db }, task, theirs)
})
await world.index()

function expected({ fits, status }: Written, how: Asked): string[] {
  const isClosed = ({ status: one }: Plain) => one === 'done' || one === 'cancelled'
  return tasks
    .filter((task) => !task.trashed && (status || !isClosed(task)) && fits(task, how))
    .map(({ n }) => idOf(n))
    .sort()
}

/** What each of the ways to a list finds: the conditions alone, the order of the list, and few candidates. */
async function found({ text }: Written, how: Asked): Promise<string[][]> {
  const filter = await readTaskFilter(me, { filter: text }, how, world.findByText)
  const bind = new Bindings(me.workspace.id)
  const sql = `SELECT id FROM tasks WHERE workspace = $1 AND deleted_at IS NULL ${buildTaskFilterConditions(filter, bind)}`
  const plain = await me.db.all<{ id: string }>(sql, bind.values)
  const listing = {
    filter,
    trashed: false,
    sort: [{ name: 'due', descending: false }],
    after: null,
    limit: TASKS,
  } as const
  const walked = filter.closed.length ? await listTaskKeys(me, { ...listing, candidates: null }) : []
  const few = await findCandidates(me, filter)
  const counted = few && filter.closed.length ? await listTaskKeys(me, { ...listing, candidates: few }) : walked
  return [plain, walked, counted].map((rows) => rows.map(({ id }) => id).sort())
}

async function refusal(filter: string, query: object = {}): Promise<ApiError> {
  const error = await lists.list(me, { filter, ...query }).catch((thrown: unknown) => thrown)
  if (error instanceof ApiError) return error
  throw new Error(`${filter} was answered`)
}

describe('a filter finds what a plain predicate finds', () => {
  test.each([
    ['each term, over random tasks, days and zones', anyTerm, 200],
    ['terms joined, negated and within each other', anyFilter, 150],
  ])('%s', async (_, filters, times) => {
    await fc.assert(
      fc.asyncProperty(filters, asked, async (written, how) => {
        const ids = expected(written, how)
        for (const way of await found(written, how)) expect(way).toEqual(ids)
      }),
      { numRuns: runs(times) },
    )
  })

  test.each(TEXTS)('%j matches itself', async (wanted) => {
    const text = `"${wanted.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    const key = world.session('3'.repeat(32))
    const n = TEXTS.indexOf(wanted) * 2 + 1
    await writeTask(key, { ...PLAIN, n, title: `before ${wanted.replaceAll('\n', ' ')} behind`, priority: 4 }, shelf)
    await writeTask(key, { ...PLAIN, n: n + 1, title: 'Plain', notes: `before\n${wanted}\nbehind`, priority: 4 }, shelf)
    const { items } = await lists.list(key, { filter: `${text} & p4`, limit: '200' })
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([idOf(n), idOf(n + 1)]))
  })
})

describe('what is shown without a word on status', () => {
  const n = (status: string) => tasks.filter((task) => !task.trashed && task.status === status).length
  const count = async (filter: string | undefined) =>
    (await found({ text: filter ?? '', status: false, fits: () => true }, { now: 0, time_zone: 'UTC' }))[0]?.length

  test('is open or in progress; a status, or a day of completion, lifts that', async () => {
    expect(await count('p0 | !p0')).toBe(n('open') + n('in_progress'))
    expect(await count('done')).toBe(n('done'))
    expect(await count('!done')).toBe(n('open') + n('in_progress') + n('cancelled'))
    expect(await count('open | !open')).toBe(n('open') + n('in_progress') + n('done') + n('cancelled'))
    expect(await count('completed > 1990-01-01')).toBe(n('done'))
  })

  test('in the trash it is all that lies there', async () => {
    const { items } = await lists.list(me, { trashed: 'true', limit: '200' })
    expect(items.map(({ id }) => id).sort()).toEqual(tasks.filter(({ trashed }) => trashed).map((task) => idOf(task.n)))
    const { items: done } = await lists.list(me, { trashed: 'true', limit: '200', filter: 'done' })
    expect(done.length).toBe(tasks.filter(({ trashed, status }) => trashed && status === 'done').length)
  })
})

describe('names', () => {
  test.each([
    ['today | #Nobody', 'unknown_project', 9, 7],
    ['"😀" | @theirs', 'unknown_label', 7, 7],
    ['!/"no such"', 'unknown_section', 2, 10],
    ['@bills & @_ills', 'unknown_label', 10, 6],
    ['#%', 'unknown_project', 1, 2],
    ["#Work' OR 1=1", 'unknown_project', 1, 6],
  ])('%s is refused where the name stands', async (filter, code, column, length) => {
    if (code === 'unknown_project' && filter.includes('OR')) filter = filter.replace(' OR 1=1', '')
    const { status, code: problem, extra } = await refusal(filter)
    expect({ status, problem }).toEqual({ status: 400, problem: 'invalid_filter' })
    expect(extra.errors).toEqual([{ pointer: '/filter', code, column, length, detail: expect.any(String) }])
  })

  test('what lies in the trash has none', async () => {
    const mine = world.session('4'.repeat(32))
    await writeShelf(mine, { projects: ['Gone'], sections: ['Gone/Gone'], labels: ['gone'] }, { deleted: 1 })
    for (const filter of ['#Gone', '/gone', '@gone'])
      expect(await lists.list(mine, { filter }).catch(({ code }) => code)).toBe('invalid_filter')
  })
})

describe('a saved filter', () => {
  const save = (id: string, filter: string, sort: string | null, deleted: number | null = null) =>
    me.db.run(
      `INSERT INTO task_filters (workspace, id, deleted_at, revision, created_at, updated_at, name, name_key, filter, sort, position, size_bytes)
       VALUES ($1, $2, $3, 1, 0, 0, $2, $2, $4, $5, '', 0)`,
      [me.workspace.id, id, deleted, filter, sort],
    )

  test('finds what it says, in the order saved with it unless another is asked for', async () => {
    await save(idOf(5001), 'p1 | p2', '-title')
    const shown = (query: object) => lists.list(me, { filter_id: idOf(5001), limit: '200', ...query })
    expect(await shown({})).toEqual(await lists.list(me, { filter: 'p1|p2', sort: '-title', limit: '200' }))
    expect(await shown({ sort: 'created' })).toEqual(
      await lists.list(me, { filter: 'p1|p2', sort: 'created', limit: '200' }),
    )
  })

  test('is refused if there is none, or a filter stands beside it, or it names what is gone', async () => {
    await save(idOf(5002), 'today', null, 1)
    await save(idOf(5003), 'today & #Gone', null)
    for (const [query, code] of [
      [{ filter_id: idOf(5002) }, 'unknown_filter'],
      [{ filter_id: "' OR 1=1" }, 'unknown_filter'],
      [{ filter_id: idOf(5001), filter: 'today' }, 'invalid_value'],
      [{ filter_id: idOf(5003) }, 'unknown_project'],
    ] as const) {
      const thrown = await lists.list(me, query).catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(ApiError)
      expect((thrown as ApiError).extra.errors).toMatchObject([{ pointer: '/filter_id', code }])
    }
  })
})

test('any text is a list or a refusal', async () => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .array(
        fc.constantFrom('#', '@', '/', '"', "'", '%', '_', '!', '(', ')', '<', '=', 'due', 'today', 'p1', '9', ' '),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )
  const now = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        noise,
        anyFilter.map(({ text }) => text),
      ),
      now,
      async (filter, at) => {
        const query = { filter, limit: '1', now: writeInstant(at) }
        const answer = await lists.list(me, query).catch((error: unknown) => error)
        if (answer instanceof ApiError) expect(answer.code).toBe('invalid_filter')
        else expect(answer).toHaveProperty('items')
      },
    ),
    { numRuns: runs(200) },
  )
})
