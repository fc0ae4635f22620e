import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { contradictions } from '../support/recount'
import type { As } from '../support/world'
import { day, makeTasksWorld, type TasksWorld } from './support'

const TASKS = 8
const one = fc.nat(TASKS - 1)
const some = fc.uniqueArray(one, { maxLength: 3 })
const maybe = fc.option(one, { freq: 4 })
const status = fc.constantFrom('open', 'in_progress', 'done', 'cancelled')
const labels = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'))
const home = fc.constantFrom('inbox', 'project', 'section')

/** What may be asked of a task; others are meant by their number. */
const step = fc.oneof(
  fc.record({ task: one, status }),
  fc.record({ task: one, labels }),
  fc.record({ task: one, blocked_by: some }),
  fc.record({ task: one, parent: maybe }),
  fc.record({ task: one, home }),
  fc.record({ task: one, action: fc.constantFrom('complete', 'skip', 'undo', 'reopen', 'restore') }),
  fc.record({ task: one, gone: fc.constantFrom('', '', '', '?permanent=true') }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

test('after any history, what tasks, projects and labels tell of others equals a recount', async () => {
  await using world = await makeTasksWorld()
  let projects = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const me = world.stranger()
      const ids: string[] = []
      for (let i = 0; i < TASKS; i++)
        ids.push(
          (await world.make(me, i % 2 ? { due: day('2026-02-01'), recurrence: { rrule: 'FREQ=DAILY;COUNT=4' } } : {}))
            .id,
        )
      const places = await world.addProject(ids[0] ?? '', ++projects)
      for (const asked of steps) expect(await take(world, me, ids, places, asked)).toBeLessThan(500)
      expect(await contradictions(world.folder)).toEqual([])
    }),
    { numRuns: runs(8) },
  )
})

async function take(
  { patch, act, remove, undo, completions }: TasksWorld,
  me: As,
  ids: readonly string[],
  { project, section }: { project: string; section: string },
  asked: Step,
): Promise<number> {
  const id = ids[asked.task] ?? ''
  const of = (n: number) => ids[n] ?? ''
  if ('status' in asked) return (await patch(me, id, { status: asked.status })).status
  if ('labels' in asked) return (await patch(me, id, { labels: asked.labels })).status
  if ('blocked_by' in asked) return (await patch(me, id, { blocked_by: asked.blocked_by.map(of) })).status
  if ('parent' in asked)
    return (await act(me, id, 'move', { parent_id: asked.parent === null ? null : of(asked.parent) })).status
  if ('gone' in asked) return (await remove(me, id, asked.gone)).status
  if ('home' in asked) {
    const places = { inbox: { project_id: null }, project: { project_id: project }, section: { section_id: section } }
    return (await patch(me, id, { parent_id: null, ...places[asked.home] })).status
  }
  if (asked.action !== 'undo')
    return (await act(me, id, asked.action, asked.action === 'complete' ? { subtasks: 'complete' } : undefined)).status
  const [latest] = (await completions(me, id)) ?? []
  return (await undo(me, id, latest?.id ?? id, '?force=true')).status
}
