import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { spent } from '../support/cost'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import { begin } from './archive-fill'
import { broughtTogether, sameElsewhere } from './archive-properties'
import { type Lines, makeTaskArchiveWorld } from './archive-support'
import type { Shown } from './support'

/** Tasks and all that belongs to them leave a workspace whole and come into another the same. */

const world = recounted(await makeTaskArchiveWorld())
const { asked, call, lines, make, merge, newcomer, read } = world

describe('what any callers have made of a workspace', () => {
  test('is the same in another, line by line, with what is computed; a repeat, there and here, changes nothing', async () => {
    await fc.assert(sameElsewhere(world), { numRuns: 3 })
  })

  test('comes up to what was made of it since, and what was made of it on either side is kept in order', async () => {
    await fc.assert(broughtTogether(world), { numRuns: 2 })
  })
})

test('notes are among what a task comes with; one that is not there is left out and told', async () => {
  const [mine, other] = [await newcomer(), await newcomer()]
  const [one, two] = [
    await call(mine.as, 'POST', '/api/notes', { title: 'A' }),
    await call(mine.as, 'POST', '/api/notes', { title: 'B' }),
  ]
  const { id } = await make(mine.as, { note_ids: [one.body.id, two.body.id] })
  const all = await lines(mine.session)
  const report = await merge(other.session, all)
  expect(report.told).toEqual(['task /note_ids/0'])
  expect((await read(other.as, id)).note_ids).toEqual([])
  expect(await lines((await newcomer()).session)).toEqual(Object.fromEntries(world.types.map((type) => [type, []])))
})

const NONE = '01890000-0000-7000-8000-00000000000f'

/** A workspace with what archive-fill begins with, its lines, and another that has the same from them. */
async function twins() {
  const [mine, other] = [await newcomer(), await newcomer()]
  await begin(world, mine.as)
  const all = await lines(mine.session)
  await merge(other.session, all)
  return { mine, other, all }
}

const titled = (all: Lines, title: string): Shown => all.task?.find((task) => task.title === title)

describe('what was done', () => {
  test('can be undone there as here: the task, its parts, what it waits for', async () => {
    const { mine, other, all } = await twins()
    for (const title of ['Feed', 'Buy', 'Twice']) {
      const { id } = titled(all, title)
      for (;;) {
        const [last] = await world.completions(mine.as, id)
        expect(await world.completions(other.as, id)).toEqual(await world.completions(mine.as, id))
        if (!last) break
        const [here, there] = [await world.undo(mine.as, id, last.id), await world.undo(other.as, id, last.id)]
        expect([here.status, there.status]).toEqual([200, 200])
        expect(there.body).toEqual(here.body)
      }
    }
    expect(await lines(other.session)).toEqual(await lines(mine.session))
    for (const { id } of all.task ?? []) expect(await read(other.as, id)).toEqual(await read(mine.as, id))
  })

  test('is reopened there as here', async () => {
    const { mine, other, all } = await twins()
    const { id } = titled(all, 'Twice')
    for (const { as } of [mine, other]) await world.act(as, id, 'reopen')
    expect((await read(other.as, id)).subtasks).toEqual({ total: 1, done: 0 })
    expect(await lines(other.session)).toEqual(await lines(mine.session))
  })

  test('is not there for a task that is not', async () => {
    const { all } = await twins()
    const { session } = await newcomer()
    const report = await merge(session, { task_completion: all.task_completion ?? [] })
    expect(report.told).toEqual((all.task_completion ?? []).map(() => 'task_completion /task_id'))
    expect(await lines(session)).toMatchObject({ task_completion: [] })
  })
})

describe('of two states of a resource', () => {
  test('the one with the higher revision stays, whichever it is', async () => {
    const { mine, other, all } = await twins()
    const { id } = titled(all, 'Feed')
    await world.patch(mine.as, id, { title: 'Newer' })
    await world.patch(other.as, id, { title: 'Older' })
    await world.patch(mine.as, id, { priority: 1 })
    expect((await merge(other.session, await lines(mine.session))).counts).toMatchObject({ created: 0, updated: 1 })
    expect(await lines(other.session)).toEqual(await lines(mine.session))
    await world.patch(mine.as, id, { title: 'Mine' })
    expect((await merge(mine.session, await lines(other.session))).counts).toMatchObject({ created: 0, updated: 0 })
    expect((await read(mine.as, id)).title).toBe('Mine')
  })

  test('of the same revision the one here stays, with its relations', async () => {
    const { mine, other, all } = await twins()
    const [{ id }, blocker] = [titled(all, 'Feed'), titled(all, 'Left')]
    await world.patch(mine.as, id, { blocked_by: [blocker.id] })
    world.clock.now += 1000
    await world.patch(other.as, id, { blocked_by: [] })
    const before = await lines(other.session)
    expect((await merge(other.session, await lines(mine.session))).counts).toMatchObject({ created: 0, updated: 0 })
    expect(await lines(other.session)).toEqual(before)
  })

  test('edges that came without the completions that they count from are set right when these come', async () => {
    const { mine, all } = await twins()
    const { session } = await newcomer()
    await merge(session, { ...all, task_completion: [] })
    expect(await lines(session)).not.toMatchObject({ task: all.task })
    expect((await merge(session, all)).told).toEqual([])
    expect(await lines(session)).toEqual(await lines(mine.session))
  })

  test('what is in the trash here comes back if it did there, and the other way round', async () => {
    const { mine, other, all } = await twins()
    const [project] = all.task_project ?? []
    expect(project).toMatchObject({ name: 'Gone' })
    await asked(mine.as, 'POST', `/api/tasks/projects/${project.id}/restore`)
    await world.remove(mine.as, titled(all, 'Feed').id)
    await merge(other.session, await lines(mine.session))
    expect(await lines(other.session)).toEqual(await lines(mine.session))
  })

  test('a label with another name has it on the tasks that only are here, and on those that came', async () => {
    const { mine, other, all } = await twins()
    const cat = all.task_label?.find(({ name }) => name === 'Cat')
    const own = await make(other.as, { labels: ['cat', 'own'] })
    await call(mine.as, 'PATCH', `/api/tasks/labels/${cat.id}`, { name: 'Tom' })
    const feed = titled(all, 'Feed').id
    await world.patch(mine.as, feed, { labels: [] })
    await merge(other.session, await lines(mine.session))
    expect(await read(other.as, own.id)).toMatchObject({ labels: ['Tom', 'own'], revision: 2 })
    expect(await read(other.as, feed)).toEqual(await read(mine.as, feed))
    expect((await call(other.as, 'GET', '/api/tasks?filter=@Tom')).body.items.map(({ id }: Shown) => id)).toEqual([
      own.id,
    ])
  })
})

test('a label that many tasks carry is renamed in all of them at once, and their revisions follow some at a time', async () => {
  const { as, session } = await newcomer()
  const labels = ['a "b\\c', 'own']
  const ids: string[] = []
  for (let i = 0; i < 30; i++) ids.push((await make(as, { labels: i % 2 ? labels : labels.slice(0, 1) })).id)
  const [label] = (await lines(session)).task_label ?? []
  const archivedType = world.archivedTypes.find(({ type }) => type === 'task_label')
  const within = <T>(work: (within: typeof session) => Promise<T> | undefined) =>
    session.db.transaction(async (db) => work({ ...session, db }))
  const revisions = async () => (await Promise.all(ids.map((id) => read(as, id)))).map(({ revision }) => revision)
  const all = (labels: (i: number) => string[]) => ids.map((_, i) => labels(i))
  const carried = async () => (await Promise.all(ids.map((id) => read(as, id)))).map(({ labels }) => labels)
  for (const [name, deleted_at] of [
    ['é "d', null],
    ['é "d', '2026-03-02T12:00:00.000Z'],
  ] as const) {
    const [before, held] = [await revisions(), await world.state(session)]
    const line = { ...label, name, deleted_at, revision: ++label.revision }
    const merged = await within((session) => archivedType?.merge(session, line, null))
    const left = typeof merged === 'object' ? merged.pending : null
    expect(await carried()).toEqual(all((i) => [...(deleted_at ? [] : [name]), ...(i % 2 ? ['own'] : [])]))
    expect(await revisions()).toEqual(before)
    const more = (await world.state(session))?.size_bytes ?? 0
    expect(more - (held?.size_bytes ?? 0)).toBe(deleted_at ? -30 * 8 - 15 : -30 * 2 - 1)
    expect(await contradictions(world.folder)).toEqual([])
    const told = await within((session) => archivedType?.relate?.(session, line, left))
    expect((await revisions()).filter((revision, i) => revision > (before[i] ?? 0))).toHaveLength(25)
    const rest = told && 'pending' in told ? told.pending : null
    for (const _ of 'two') expect(await within((session) => archivedType?.relate?.(session, line, rest))).toEqual([])
    expect(await revisions()).toEqual(before.map((revision) => revision + 1))
  }
  const { items } = (await call(as, 'GET', '/api/tasks/labels')).body
  expect(items.map(({ name, count }: Shown) => [name, count])).toEqual([['own', 15]])
})

test('what only is here is not lost when a project, a whole or a section goes', async () => {
  const { mine, other, all } = await twins()
  const [, project] = all.task_project ?? []
  const section = all.task_section?.find(({ deleted_at }) => deleted_at === null)
  const inBoth = titled(all, 'Buy').id
  const task = await make(other.as, { project_id: project.id, section_id: section.id })
  const part = await make(other.as, { parent_id: titled(all, 'Feed').id, labels: ['Cat'] })
  const added = (await call(other.as, 'POST', '/api/tasks/sections', { project_id: project.id, name: 'Own' })).body
  await call(mine.as, 'DELETE', `/api/tasks/projects/${project.id}?tasks=trash`)
  await world.remove(mine.as, titled(all, 'Feed').id)
  expect((await merge(other.session, await lines(mine.session))).told).toEqual([])
  expect(await read(other.as, task.id)).toMatchObject({ deleted_at: null, project_id: null, section_id: null })
  expect(await read(other.as, part.id)).toMatchObject({ deleted_at: null, parent_id: null })
  expect(await read(other.as, inBoth)).toEqual(await read(mine.as, inBoth))
  await call(other.as, 'POST', `/api/tasks/projects/${project.id}/restore`)
  expect((await call(other.as, 'GET', `/api/tasks/sections/${added.id}`)).body.deleted_at).toBeNull()
})

describe('a line is refused, and the others are not,', () => {
  test('where its name or its source is that of another here; a project that is new gets a number', async () => {
    const { all } = await twins()
    const { as, session } = await newcomer()
    const project = await call(as, 'POST', '/api/tasks/projects', { name: 'kept' })
    await make(as, { labels: ['CAT'], source: { system: 'x', id: '1' } })
    const sourced = { ...titled(all, 'Once'), source: { system: 'x', id: '1' } }
    const rest = all.task?.filter(({ title }) => title !== 'Once') ?? []
    const { told } = await merge(session, { ...all, task: [...rest, sourced] })
    expect(told).toEqual(['task_label conflict', 'task conflict'])
    expect((await call(as, 'GET', `/api/tasks/projects/${project.body.id}`)).body).toEqual(project.body)
    expect((await read(as, titled(all, 'Feed').id)).labels).toEqual(['CAT'])
    const { project_id, section_id } = await read(as, titled(all, 'Buy').id)
    expect((await call(as, 'GET', `/api/tasks/projects/${project_id}`)).body.name).toBe('Kept (2)')
    expect(section_id).toBe(titled(all, 'Buy').section_id)
  })

  test('where tasks would wait for each other or be parts of each other: the task comes without', async () => {
    const { session, as } = await newcomer()
    const base = titled((await twins()).all, 'Once')
    const line = (n: number, members: object) => ({
      ...base,
      deleted_at: null,
      id: NONE.slice(0, -1) + n,
      title: `${n}`,
      ...members,
    })
    const ids = [1, 2, 3].map((n) => line(n, {}).id)
    const on = (n: number) => [{ task_id: ids[n], since: null }]
    const tasks = [
      line(1, { parent_id: ids[1], blocked_by: on(1), position: 'a1' }),
      line(2, { parent_id: ids[0], blocked_by: [...on(0), { task_id: NONE, since: null }], position: 'a1' }),
      line(3, { parent_id: NONE, blocked_by: on(2), position: 'a1', note_ids: [NONE] }),
    ]
    const { told, counts } = await merge(session, { task: tasks })
    expect(counts.created).toBe(3)
    expect(told.sort()).toEqual([
      ...['task /blocked_by/1', 'task /note_ids/0', 'task /parent_id'],
      ...['task dependency_cycle', 'task dependency_cycle', 'task parent_cycle'],
    ])
    expect(await read(as, ids[2] ?? '')).toMatchObject({ parent_id: null, blocked_by: [], note_ids: [] })
  })
})

describe('what waits for what comes later in the archive', () => {
  const id = (n: number) => `${NONE.slice(0, -2)}${n.toString(16).padStart(2, '0')}`
  const waiting = (n: number, on: readonly number[], base: Shown) => ({
    ...base,
    deleted_at: null,
    trashed_with: null,
    id: id(n),
    title: `${n}`,
    position: 'a1',
    blocked_by: on.map((other) => ({ task_id: id(other), since: null })),
  })
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)

  test('takes all of it at once: about as long as if that came first', async () => {
    const base = titled((await twins()).all, 'Once')
    const merged = async (order: readonly number[]) => {
      const { session } = await newcomer()
      const task = order.map((n) => waiting(n, upTo(n).slice(-50), base))
      const { ms, value } = await spent(() => merge(session, { task }))
      expect(value).toEqual({ counts: { created: 60, updated: 0, unchanged: 0 }, told: [], refused: [] })
      return { ms, edges: (await lines(session)).task?.map(({ blocked_by }) => blocked_by) }
    }
    const [first, last] = [await merged(upTo(60)), await merged(upTo(60).toReversed())]
    expect(last.edges).toEqual(first.edges)
    expect(last.ms).toBeLessThan(8 * first.ms)
  })

  test('may wait for what waited for it, once that waits no more', async () => {
    const { session, as } = await newcomer()
    const base = titled((await twins()).all, 'Once')
    await merge(session, { task: [waiting(1, [], base), waiting(2, [1], base)] })
    const newer = { ...base, revision: base.revision + 1 }
    const { told } = await merge(session, { task: [waiting(1, [2, 3], newer), waiting(2, [], newer)] })
    expect(told).toEqual(['task /blocked_by/1'])
    expect([await read(as, id(1)), await read(as, id(2))]).toMatchObject([
      { blocked_by: [id(2)], blocked: true },
      { blocked_by: [], blocked: false },
    ])
  })
})

const IDS = [1, 2, 3, 4].map((n) => `${NONE.slice(0, -1)}${n}`)
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, 1e13, [], {}, '2026-02-30', 'a0', 'A'.repeat(300), '\u0000', true),
  fc.constantFrom<unknown>('p:x', `p:${NONE}`, 'done', 'FREQ=HOURLY', { date: '2026-01-01', time: null, tz: 'x' }),
  fc.constantFrom(...IDS),
  fc.jsonValue(),
)

/** A line with another value at some member of it, perhaps under another id, perhaps newer. */
const spoilt = fc.record({
  n: fc.nat(),
  path: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
  odd,
  id: fc.nat(8),
  up: fc.nat(2),
})
type Spoilt = typeof spoilt extends fc.Arbitrary<infer T> ? T : never

function spoil(all: Lines, type: string, { n, path, odd, id, up }: Spoilt): unknown {
  const items = all[type] ?? []
  const line = structuredClone(items[n % items.length])
  if ('revision' in line) line.revision += up
  if (IDS[id]) line.id = IDS[id]
  let at = line
  for (const [depth, step] of path.entries()) {
    const names = Object.keys(at)
    const name = names[step % names.length] ?? 'x'
    const next = at[name]
    if (depth < path.length - 1 && typeof next === 'object' && next !== null) at = next
    else {
      at[name] = odd
      break
    }
  }
  return line
}

test('whatever is sent is merged or refused, contradicts nothing, and nobody else sees it', async () => {
  const { mine, other, all } = await twins()
  const line = fc.tuple(fc.constantFrom(...world.types), fc.option(spoilt), fc.jsonValue())
  let merged = 0
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 10, maxLength: 40, size: 'max' }), async (items) => {
      const sent: Record<string, Shown[]> = {}
      for (const [type, how, any] of items) {
        const line = how ? spoil(all, type, how) : any
        sent[type] = [...(sent[type] ?? []), line]
      }
      const { counts } = await merge(other.session, sent)
      merged += counts.created + counts.updated
      expect(await contradictions(world.folder)).toEqual([])
    }),
    { numRuns: 25 },
  )
  expect(merged).toBeGreaterThan(20)
  expect(await lines(mine.session)).toEqual(all)
  const paths = [
    '/api/tasks',
    '/api/tasks?trashed=true',
    '/api/tasks/export?format=ics',
    '/api/tasks/stats?from=2026-01-01&to=2026-12-31',
  ]
    .concat(
      '/api/tasks/agenda?from=2026-03-01&to=2026-04-01',
      '/api/tasks/reminders?from=2026-03-01T00:00:00Z&to=2026-03-20T00:00:00Z',
    )
    .concat(
      '/api/tasks/completed',
      '/api/tasks/projects',
      '/api/tasks/sections',
      '/api/tasks/labels',
      '/api/tasks/filters',
    )
  for (const path of paths) expect([path, (await call(other.as, 'GET', path)).status]).toEqual([path, 200])
  for (const { id } of (await lines(other.session)).task ?? [])
    for (const action of ['restore', 'complete', 'skip', 'reopen'])
      await asked(other.as, 'POST', `/api/tasks/${id}/${action}`, {})
  // What was let in can leave again, whole.
  const { session } = await newcomer()
  const left = await lines(other.session)
  expect((await merge(session, left)).told).toEqual([])
})

test.each([
  ['as it came', false, 1],
  ['changed here meanwhile', true, 0],
])('a task that is %s is joined to what comes behind it, or left alone', async (_, isChanged, edges) => {
  const [mine, other] = [await newcomer(), await newcomer()]
  const [first, second] = [await make(mine.as), await make(mine.as)]
  await call(mine.as, 'PATCH', `/api/tasks/${first.id}`, { blocked_by: [second.id] })
  const { task: told = [] } = await lines(mine.session)
  const archivedType = world.archivedTypes.find(({ type }) => type === 'task')
  const inTurn = [...told].sort((a) => (a.id === first.id ? -1 : 1))
  const left = []
  const within = <T>(work: (session: typeof other.session) => Promise<T> | undefined) =>
    other.session.db.transaction(async (db) => work({ ...other.session, db }))
  for (const item of inTurn) left.push(await within((session) => archivedType?.merge(session, item, null)))
  expect(left).toEqual([{ action: 'created', pending: true }, 'created'])
  if (isChanged) await call(other.as, 'PATCH', `/api/tasks/${first.id}`, { title: 'mine' })
  expect(await within((session) => archivedType?.relate?.(session, inTurn[0], true))).toEqual([])
  expect((await read(other.as, first.id)).blocked_by).toHaveLength(edges)
})
