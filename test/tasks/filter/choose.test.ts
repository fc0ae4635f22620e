import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { titleKey } from '../../../src/lib/text'
import { toSortKey } from '../../../src/search/fold'
import { createTaskQueries } from '../../../src/tasks/list'
import { type ListTasks, SORT_NAMES, type SortName } from '../../../src/tasks/list-schema'
import { runs } from '../../support/full'
import { NAMES, randomTask } from './model'
import { idOf, openTables, type Plain, writeShelf, writeTask } from './support'

/** Lists by parameters and by several sort keys, page by page, against a plain model. */

const NOW = Date.parse('2026-04-05T12:00:00.000Z')
const COUNT = 150
const ARCHIVED = 'Home'
const world = openTables()
afterAll(() => world.db.close())
const me = world.session('1'.repeat(32))
const other = world.session('2'.repeat(32))
const lists = createTaskQueries({ now: () => NOW, findByText: world.findByText })
const shelf = await writeShelf(me, NAMES)
const theirs = await writeShelf(other, NAMES)
await world.db.run('UPDATE task_projects SET archived_at = 1 WHERE workspace = $1 AND name = $2', [
  me.workspace.id,
  ARCHIVED,
])
// The same project is archived in one workspace only.
const tasks: Plain[] = fc
  .sample(randomTask, { numRuns: COUNT, seed: 19 })
  // Few instants, so that there are ties for the later keys and the ids to break.
  .map((task, i) => ({ ...task, n: COUNT - i, created: NOW - (i % 3) * 1000, updated: NOW - (i % 5) * 1000 }))
await world.db.transaction(async (db) => {
  for (const task of tasks) {
    await writeTask({ ...me, db }, task, shelf)
    await writeTask({ ...other, db }, { ...task, title: 'theirs' }, theirs)
  }
})
await world.index()

const projectIds = [...shelf.projects.values(), idOf(5000)]
const sectionIds = [...shelf.sections.values(), idOf(5000)]
const sortKey = fc.record({ name: fc.constantFrom(...SORT_NAMES), descending: fc.boolean() })
const sort = fc.uniqueArray(sortKey, { minLength: 1, maxLength: 3, selector: ({ name }) => name })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })
const query = fc.record({
  project_id: maybe(fc.constantFrom(...projectIds)),
  section_id: maybe(fc.constantFrom(...sectionIds)),
  parent_id: maybe(fc.constantFrom(idOf(1), idOf(2))),
  label: maybe(fc.array(fc.constantFrom(...NAMES.labels, 'BILLS', 'nobody'), { minLength: 1, maxLength: 2 })),
  status: maybe(
    fc.constantFrom('any', 'open', 'done', 'open,done', 'cancelled,in_progress', 'open,in_progress,done,cancelled'),
  ),
  ids: maybe(fc.array(fc.nat(COUNT + 20).map(idOf), { minLength: 1, maxLength: 40 }).map((ids) => ids.join(','))),
  q: maybe(fc.constantFrom('milk', 'RENT', 'milk rent', 'nowhere')),
  archived: maybe(fc.constantFrom('true' as const, 'false' as const, 'any' as const)),
  filter: maybe(fc.constantFrom('p1 | p2', 'done', 'has:due', '!#Home')),
})
type Query = Parameters<Parameters<typeof query.map>[0]>[0]

const CLOSED = ['done', 'cancelled']
const FILTERS: Readonly<Record<string, (task: Plain) => boolean>> = {
  'p1 | p2': ({ priority }) => priority === 1 || priority === 2,
  done: ({ status }) => status === 'done',
  'has:due': ({ due }) => due !== null,
  '!#Home': ({ project }) => project !== 'Home',
}

function fits(task: Plain, asked: Query): boolean {
  const { project_id, section_id, parent_id, label, status, ids, q, filter } = asked
  const archived = asked.archived ?? (ids === undefined ? 'false' : 'any')
  const isArchived = task.project === ARCHIVED
  const own = `${task.title}\n${task.notes}`.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const any = status === 'any' || ids !== undefined || filter === 'done'
  return (
    !task.trashed &&
    (archived === 'any' || isArchived === (archived === 'true')) &&
    (project_id === undefined || shelf.projects.get(task.project ?? '') === project_id) &&
    (section_id === undefined || shelf.sections.get(`${task.project}/${task.section}`) === section_id) &&
    (parent_id === undefined || (task.parent && parent_id === idOf(1))) &&
    (label ?? []).every((name) => task.labels.some((own) => titleKey(own) === titleKey(name))) &&
    (status === undefined || status === 'any' ? any || !CLOSED.includes(task.status) : true) &&
    (status === undefined || status === 'any' || status.split(',').includes(task.status)) &&
    (ids === undefined || ids.split(',').includes(idOf(task.n))) &&
    (q === undefined ||
      q
        .toLowerCase()
        .split(' ')
        .every((word) => own.includes(word))) &&
    (filter === undefined || (FILTERS[filter]?.(task) ?? false))
  )
}

/** What a task is sorted by: civil order, no date last, no priority last. */
function keyOf(task: Plain, name: SortName): string | number {
  if (name === 'due' || name === 'start') {
    const when = task[name]
    return when === null ? '~' : when.date + (when.time === null ? '' : `T${when.time}`)
  }
  if (name === 'title') return toSortKey(task.title)
  if (name === 'priority') return task.priority || 5
  return name === 'position' ? `a${task.n % 97}` : task[name]
}

type Sort = readonly { readonly name: SortName; readonly descending: boolean }[]

function model(asked: Query, sorted: Sort): string[] {
  const turn = (order: number, descending: boolean | undefined) => (descending ? -order : order)
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
  return tasks
    .filter((task) => fits(task, asked))
    .sort((a, b) => {
      for (const { name, descending } of sorted) {
        const order = compare(keyOf(a, name), keyOf(b, name))
        if (order !== 0) return turn(order, descending)
      }
      return turn(compare(idOf(a.n), idOf(b.n)), sorted.at(-1)?.descending)
    })
    .map(({ n }) => idOf(n))
}

async function pages(asked: Query, sorted: Sort, limit: number): Promise<string[]> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  const text = sorted.map(({ name, descending }) => (descending ? `-${name}` : name)).join(',')
  const whole = { ...Object.fromEntries(given), sort: text, limit: String(limit) } as ListTasks
  const found: string[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await lists.list(me, cursor === null ? whole : { ...whole, cursor })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    found.push(...page.items.map(({ id }) => id))
    cursor = page.next_cursor
    if (cursor === null) return found
    // A page that promises another one is full.
    expect(page.items).toHaveLength(limit)
  }
}

test('pages by any parameters and sort keys are, one after the other, what a plain model lists', async () => {
  await fc.assert(
    fc.asyncProperty(query, sort, fc.integer({ min: 1, max: 60 }), async (asked, sorted, limit) => {
      expect(await pages(asked, sorted, limit)).toEqual(model(asked, sorted))
    }),
    { numRuns: runs(250) },
  )
})

test('pages of everything by any sort keys are the whole list', async () => {
  const everything = { status: 'any', archived: 'any' } as Query
  await fc.assert(
    fc.asyncProperty(sort, fc.integer({ min: 7, max: 90 }), async (sorted, limit) => {
      expect(await pages(everything, sorted, limit)).toEqual(model(everything, sorted))
    }),
    { numRuns: runs(60) },
  )
})

test('a project that is archived in another workspace hides nothing here, though it has the same id', async () => {
  const { items } = await lists.list(other, { status: 'any', limit: '200' })
  const living = tasks.filter(({ trashed }) => !trashed)
  expect(items).toHaveLength(living.length)
  expect(living.some(({ project }) => project === ARCHIVED)).toBe(true)
  expect((await lists.list(other, { archived: 'true', status: 'any' })).items).toEqual([])
  const ids = [...theirs.projects].filter(([name]) => name === ARCHIVED).map(([, id]) => id)
  expect(ids).toEqual([shelf.projects.get(ARCHIVED) ?? ''])
})
