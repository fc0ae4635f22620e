import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../support/full'
import { contradictions } from '../../support/recount'
import { importInGroups } from './passes'
import { type Caller, calendar, makeCalendarWorld, type Shown, todo } from './support'

const world = await makeCalendarWorld()
afterAll(world.close)

const SIZES = [1, 7, 1000]
const UIDS = Array.from({ length: 9 }, (_, i) => `u${i}`)

const uid = fc.constantFrom(...UIDS)
const relation = fc
  .tuple(
    fc.constantFrom('', ';RELTYPE=CHILD', ';RELTYPE=DEPENDS-ON', ';RELTYPE=DEPENDS-ON'),
    fc.constantFrom(...UIDS, 'gone'),
  )
  .map(([kind, other]) => `RELATED-TO${kind}:${other}`)
const detail = fc.constantFrom('PRIORITY:1', 'X-OTHER:kept', 'STATUS:COMPLETED', 'RRULE:FREQ=DAILY', 'CATEGORIES:a,b')
const date = fc.constantFrom('RECURRENCE-ID;VALUE=DATE:20260303', 'RECURRENCE-ID;VALUE=DATE:20260304')

const whole = fc
  .tuple(uid, fc.array(relation, { maxLength: 3 }), fc.uniqueArray(detail, { maxLength: 2 }))
  .map(([name, ...lines]) => [`UID:${name}`, `SUMMARY:${name}`, 'DUE;VALUE=DATE:20260301', ...lines.flat()])
const occurrence = fc
  .tuple(uid, date)
  .map(([name, at]) => [`UID:${name}`, `SUMMARY:${name}`, at, 'STATUS:COMPLETED', 'COMPLETED:20260302T100000Z'])
const file = fc
  .array(fc.oneof({ weight: 6, arbitrary: whole }, { weight: 1, arbitrary: occurrence }), {
    minLength: 1,
    maxLength: 14,
  })
  .map((todos) => calendar(...todos))

/** What the owner does between two imports. */
const deed = fc.tuple(fc.constantFrom('rename', 'trash', 'root', 'part', 'wait'), fc.nat(), fc.nat())

async function act(me: Caller, [what, one, other]: [string, number, number]): Promise<void> {
  const tasks = await me.tasks()
  const [task, second] = [tasks[one % tasks.length], tasks[other % tasks.length]]
  if (!task) return
  if (what === 'trash') return void (await me.call('DELETE', `/api/tasks/${task.id}`))
  const change = {
    rename: { title: 'Mine' },
    root: { parent_id: null },
    part: { parent_id: second.id },
    wait: { blocked_by: [second.id] },
  }[what]
  await me.call('PATCH', `/api/tasks/${task.id}`, change)
}

/** All that can be seen of a workspace, without ids, which each has of its own. */
async function seen(me: Caller, items: readonly Shown[] = []) {
  const tasks: Shown[] = (await me.tasks()).toSorted((a, b) => (a.position < b.position ? -1 : 1))
  const names = new Map(tasks.map(({ id, title, source }) => [id, `${title} ${source?.id}`]))
  const named = (id: string) => names.get(id) ?? 'no task'
  const shown = tasks.map(({ id, position: _, revision: __, ...task }) => ({
    ...task,
    parent_id: task.parent_id && named(task.parent_id),
    blocked_by: task.blocked_by.map(named),
  }))
  const { resources, size_bytes } = await me.usage()
  const report = items.map(({ id, ...item }) => ({ ...item, id: id && named(id) }))
  return {
    report,
    shown: shown.toSorted((a, b) => `${a.parent_id}`.localeCompare(`${b.parent_id}`)),
    resources,
    size_bytes,
  }
}

test('the size of the groups changes neither the report nor what is stored', async () => {
  const inGroups = fc.asyncProperty(
    fc.array(file, { minLength: 1, maxLength: 3 }),
    fc.array(deed, { maxLength: 3 }),
    fc.constantFrom('skip', 'overwrite', 'copy') as fc.Arbitrary<'skip' | 'overwrite' | 'copy'>,
    async (files, deeds, on_conflict) => {
      const all: Shown[] = []
      for (const size of SIZES) {
        const me = world.stranger()
        const states: Shown[] = []
        for (const one of files) {
          const { items } = await importInGroups(world, me, one, size, { on_conflict })
          states.push(await seen(me, items))
          for (const done of deeds) await act(me, done)
        }
        all.push(states)
      }
      expect(all[1]).toEqual(all[0])
      expect(all[2]).toEqual(all[0])
      expect(await contradictions(world.folder)).toEqual([])
    },
  )
  await fc.assert(inGroups, { numRuns: runs(8) })
})

test('what an import left when it was cut off between its passes, its repeat finishes', async () => {
  const cutOff = fc.asyncProperty(file, fc.integer({ min: 1, max: 2 }), async (whole, passes) => {
    const [once, twice] = [world.stranger(), world.stranger()]
    await importInGroups(world, once, whole, 7)
    await importInGroups(world, twice, whole, 7, {}, passes)
    await importInGroups(world, twice, whole, 7)
    const undisturbed = await seen(once)
    expect(await seen(twice)).toEqual(undisturbed)
    await importInGroups(world, twice, whole, 7)
    expect(await seen(twice)).toEqual(undisturbed)
    expect(await contradictions(world.folder)).toEqual([])
  })
  await fc.assert(cutOff, { numRuns: runs(8) })
})

test('what is below a task that the file moves follows it into its project, some of it at a time', async () => {
  const me = world.stranger()
  const project = (await me.call('POST', '/api/tasks/projects', { name: 'P' })).body
  await importInGroups(world, me, calendar(todo('host')), 7, { project_id: project.id })
  const parts = Array.from({ length: 45 }, (_, i) => todo(`part ${i}`, `RELATED-TO:${i < 30 ? 'whole' : 'part 7'}`))
  await importInGroups(world, me, calendar(todo('whole'), ...parts), 7)
  expect((await me.tasks()).filter(({ project_id }) => project_id === null)).toHaveLength(46)
  const moved = calendar(todo('whole', 'RELATED-TO:host'), ...parts)
  expect((await importInGroups(world, me, moved, 7, {}, 2)).behind).toBe(0)
  const { behind, items } = await importInGroups(world, me, moved, 7)
  // 30 parts, then the 15 of one of them, then nothing.
  expect([behind, items.filter(({ action }) => action === 'updated').length]).toEqual([4, 1])
  expect((await me.tasks()).filter(({ project_id }) => project_id !== project.id)).toEqual([])
  expect((await importInGroups(world, me, moved, 7)).behind).toBe(1)
  expect(await contradictions(world.folder)).toEqual([])
})
