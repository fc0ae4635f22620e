import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { day, makeTasksWorld, type Shown, stored } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, act, remove, undo, stranger, completions } = world

const LATE = { completed_at: '2026-02-20T12:00:00.000Z' }
const repeating = (mode = 'schedule') => ({
  due: { date: '2026-02-10', time: '09:00', time_zone: 'Europe/Lisbon' },
  start: day('2026-02-09'),
  recurrence: { rrule: 'FREQ=WEEKLY;COUNT=5', mode },
  reminders: [{ at: '2026-02-10T08:00:00.000Z' }, { offset_minutes: -5 }],
})

describe('undoing', () => {
  test('puts back what completing changed, and leaves what was edited since', async () => {
    for (const mode of ['schedule', 'completion']) {
      const me = stranger()
      const before = await make(me, { ...repeating(mode), status: 'in_progress' })
      const { completion } = (await act(me, before.id, 'complete', LATE)).body
      const edits = { title: 'U', notes: 'n', labels: ['l'], priority: 3, duration_minutes: 5 }
      await patch(me, before.id, edits)
      const { status, body } = await undo(me, before.id, completion.id)
      expect([status, stored(body), body.revision]).toEqual([200, { ...stored(before), ...edits }, 4])
      expect(await completions(me, before.id)).toEqual([])
    }
  })

  test('is for the newest alone, and for what there is', async () => {
    const me = stranger()
    const [task, other] = [await make(me, repeating()), await make(me)]
    const first = (await act(me, task.id, 'complete', LATE)).body.completion
    const second = (await act(me, task.id, 'skip')).body.completion
    const refusal = await undo(me, task.id, first.id)
    expect([refusal.status, refusal.body.code, refusal.body.latest_id]).toEqual([409, 'not_latest', second.id])
    expect((await undo(me, task.id, first.id, '?force=true')).body.code).toBe('not_latest')
    expect((await undo(me, other.id, first.id)).status).toBe(404)
    expect((await undo(stranger(), task.id, first.id)).status).toBe(404)
    for (const { id } of [second, first]) expect((await undo(me, task.id, id)).status).toBe(200)
    expect(stored(await read(me, task.id))).toEqual(stored(task))
    expect((await undo(me, task.id, first.id)).status).toBe(404)
  })

  const edits: [member: string, edit: object][] = [
    ['due', { due: { date: '2026-02-28' } }],
    ['due', { due: { time: '10:00' } }],
    ['start', { start: null }],
    ['recurrence', { recurrence: { exdates: ['2026-03-03'] } }],
    ['recurrence', { recurrence: null }],
    ['reminders', { reminders: [] }],
    ['status', { status: 'cancelled' }],
    ['status', { status: 'in_progress' }],
  ]
  test.each(edits)('where %s was edited since (%j) is refused, and forced puts back all', async (member, edit) => {
    const me = stranger()
    const before = await make(me, { ...repeating('completion'), status: 'in_progress' })
    const { completion } = (await act(me, before.id, 'complete', LATE)).body
    await patch(me, before.id, edit)
    const present = await read(me, before.id)
    const refusal = await undo(me, before.id, completion.id)
    expect([refusal.status, refusal.body.code, refusal.body.members]).toEqual([409, 'changed_since', [member]])
    expect(await read(me, before.id)).toEqual(present)
    const forced = await undo(me, before.id, completion.id, '?force=true')
    expect([forced.status, stored(forced.body)]).toEqual([200, stored(before)])
  })

  test('where a start was set since, which would lie behind the due date, is refused as well', async () => {
    const me = stranger()
    const before = await make(me, { due: day('2026-02-10'), recurrence: { rrule: 'FREQ=WEEKLY' } })
    const { completion } = (await act(me, before.id, 'complete', LATE)).body
    await patch(me, before.id, { start: day('2026-02-20') })
    expect((await undo(me, before.id, completion.id)).body.members).toEqual(['start'])
    expect(stored((await undo(me, before.id, completion.id, '?force=true')).body)).toEqual(stored(before))
  })

  test('where a part was done since is refused, and one that is gone for good is no reason', async () => {
    const me = stranger()
    const whole = await make(me, repeating())
    const parts: Shown[] = []
    for (let i = 0; i < 3; i++) parts.push(await make(me, { parent_id: whole.id, status: 'done' }))
    const { completion } = (await act(me, whole.id, 'complete', LATE)).body
    await remove(me, parts[2].id, '?permanent=true')
    // Whoever comes next must not be taken for the one that is gone.
    const next = await make(me, { parent_id: whole.id })
    await act(me, parts[0].id, 'complete', { completed_at: '2026-02-21T00:00:00.000Z' })
    const refusal = await undo(me, whole.id, completion.id)
    expect([refusal.status, refusal.body.members]).toEqual([409, ['subtasks']])
    expect((await undo(me, whole.id, completion.id, '?force=true')).body.subtasks).toEqual({ total: 3, done: 2 })
    expect(stored(await read(me, parts[1].id))).toEqual(stored(parts[1]))
    expect(await read(me, next.id)).toEqual(next)
  })

  test('waits until the task is back from the trash', async () => {
    const me = stranger()
    const before = await make(me, repeating())
    const { completion } = (await act(me, before.id, 'complete', LATE)).body
    await remove(me, before.id)
    expect((await undo(me, before.id, completion.id)).body.code).toBe('conflict')
    await act(me, before.id, 'restore')
    expect(stored((await undo(me, before.id, completion.id)).body)).toEqual(stored(before))
  })
})

describe('reopening', () => {
  test('puts back what the completion changed, parts and all', async () => {
    const me = stranger()
    const whole = await make(me, { status: 'in_progress' })
    const part = await make(me, { parent_id: whole.id, status: 'in_progress' })
    await act(me, whole.id, 'complete', { subtasks: 'complete', ...LATE })
    await patch(me, whole.id, { title: 'U' })
    const { body } = await act(me, whole.id, 'reopen')
    expect(stored(body)).toEqual({ ...stored(whole), title: 'U' })
    expect(stored(await read(me, part.id))).toEqual(stored(part))
    expect(await completions(me, whole.id)).toEqual([])
    expect((await act(me, whole.id, 'reopen')).body).toEqual(body)
  })

  test('leaves a part as it is that was changed since', async () => {
    const me = stranger()
    const whole = await make(me)
    const [part, other] = [await make(me, { parent_id: whole.id }), await make(me, { parent_id: whole.id })]
    await act(me, whole.id, 'complete', { subtasks: 'complete' })
    await patch(me, part.id, { status: 'open' })
    await patch(me, part.id, { status: 'cancelled' })
    const { body } = await act(me, whole.id, 'reopen')
    expect([body.status, body.subtasks]).toEqual(['open', { total: 2, done: 1 }])
    expect((await read(me, part.id)).status).toBe('cancelled')
    expect((await read(me, other.id)).status).toBe('open')
  })

  test('a part that its whole has made done leaves the completion of an occurrence before', async () => {
    const me = stranger()
    const whole = await make(me, { due: day('2026-02-10'), recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } })
    const part = await make(me, { parent_id: whole.id })
    await act(me, part.id, 'complete', { completed_at: '2026-02-10T10:00:00.000Z' })
    await act(me, whole.id, 'skip')
    expect((await read(me, part.id)).status).toBe('open')
    await act(me, whole.id, 'complete', { subtasks: 'complete', ...LATE })
    expect((await act(me, part.id, 'complete')).body).toMatchObject({ task: { status: 'done' }, completion: null })
    expect((await act(me, part.id, 'reopen')).body).toMatchObject({ status: 'open', completed_at: null })
    expect(await completions(me, part.id)).toHaveLength(1)
  })
})

/** A tree of up to seven tasks, edges between them and a stranger, and what happens before the undo. */
const household = fc.record({
  parents: fc.array(fc.nat(5), { minLength: 3, maxLength: 6 }),
  statuses: fc.array(fc.constantFrom('open', 'in_progress', 'done', 'cancelled'), { minLength: 7, maxLength: 7 }),
  edges: fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 8 }),
  repeats: fc.constantFrom(null, 'FREQ=DAILY', 'FREQ=MONTHLY;COUNT=2', 'FREQ=WEEKLY;UNTIL=20260212'),
  mode: fc.constantFrom('schedule', 'completion'),
  action: fc.constantFrom('complete', 'complete', 'skip'),
  subtasks: fc.constantFrom('keep', 'complete'),
  edited: fc.array(fc.nat(7), { maxLength: 3 }),
})

test('complete, then undo: every stored member of the task, its parts and its edges is as it was', async () => {
  await fc.assert(
    fc.asyncProperty(household, async (home) => {
      const me = stranger()
      const ids = await build(me, home)
      const before = await everyOne(me, ids)
      const body = home.action === 'complete' ? { subtasks: home.subtasks, ...LATE } : {}
      const taken = await act(me, ids[0] ?? '', home.action, body)
      if (taken.status !== 200) return
      const edited = new Set(home.edited.flatMap((n) => ids[n] ?? []))
      for (const id of edited) await patch(me, id, { title: 'edited', priority: 4 })
      const { status } = await undo(me, ids[0] ?? '', taken.body.completion.id)
      expect(status).toBe(200)
      const expected = before.map((task) => (edited.has(task.id) ? { ...task, title: 'edited', priority: 4 } : task))
      expect(await everyOne(me, ids)).toEqual(expected)
    }),
    { numRuns: runs(25) },
  )
})

const stepOf = fc.record({
  which: fc.nat(7),
  action: fc.constantFrom('complete', 'complete', 'skip'),
  subtasks: fc.constantFrom('keep', 'complete'),
})

test('any completes and skips, undone from the last to the first, go through the same states', async () => {
  await fc.assert(
    fc.asyncProperty(household, fc.array(stepOf, { minLength: 3, maxLength: 10 }), async (home, steps) => {
      const me = stranger()
      const ids = await build(me, home)
      const taken: { id: string; completion: string; before: Shown[] }[] = []
      for (const { which, action, subtasks } of steps) {
        const id = ids[which % ids.length] ?? ''
        const before = await everyOne(me, ids)
        const { status, body } = await act(me, id, action, action === 'complete' ? { subtasks } : {})
        const isNew = status === 200 && taken.every(({ completion }) => completion !== body.completion?.id)
        if (isNew && body.completion) taken.push({ id, completion: body.completion.id, before })
      }
      for (const { id, completion, before } of taken.toReversed()) {
        expect((await undo(me, id, completion)).status).toBe(200)
        expect(await everyOne(me, ids)).toEqual(before)
      }
    }),
    { numRuns: runs(10) },
  )
})

type Household = typeof household extends fc.Arbitrary<infer Value> ? Value : never

async function build(me: As, { parents, statuses, edges, repeats, mode }: Household): Promise<string[]> {
  const recurrence = repeats === null ? null : { rrule: repeats, mode }
  const ids = [(await make(me, { due: day('2026-02-10'), start: day('2026-02-01'), recurrence })).id]
  for (const [i, parent] of parents.entries())
    ids.push((await make(me, { parent_id: ids[parent % ids.length], status: statuses[i] })).id)
  ids.push((await make(me, { due: day('2026-02-10'), recurrence: { rrule: 'FREQ=DAILY' } })).id)
  for (const [from, to] of edges) {
    const [one = '', other = ''] = [ids[from % ids.length], ids[to % ids.length]]
    const { blocked_by } = await read(me, one)
    await patch(me, one, { blocked_by: [...blocked_by, other] })
  }
  // Some of the edges were satisfied before.
  await act(me, ids.at(-1) ?? '', 'complete', LATE)
  return ids
}

async function everyOne(me: As, ids: readonly string[]): Promise<Shown[]> {
  return Promise.all(
    ids.map(async (id) => {
      const task = await read(me, id)
      const edges = await world.db.all(
        'SELECT blocker, since FROM task_edges JOIN tasks ON key = dependent WHERE id = $1 ORDER BY blocker',
        [id],
      )
      return { ...stored(task), edges, computed: [task.blocked, task.blocking, task.subtasks] }
    }),
  )
}
