import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { filterDependents, setBlockers } from '../../src/tasks/relation-store'
import { readBlockers } from '../../src/tasks/service'
import { getTask, taskTable } from '../../src/tasks/store'
import { createTaskDraft } from '../../src/tasks/task'
import { cost } from '../support/cost'
import { runs, slow } from '../support/full'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, sessionOf } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, act, remove, stranger } = world

const SERIES = { due: day('2026-03-01'), recurrence: { rrule: 'FREQ=WEEKLY' } }

test('a task waits for others: each once, and never for itself', async () => {
  const me = stranger()
  const [a, b] = [await make(me), await make(me)]
  const { body } = await patch(me, a.id, { blocked_by: [b.id, b.id] })
  expect(body).toMatchObject({ blocked_by: [b.id], blocked: true, blocking: false })
  expect(await read(me, b.id)).toMatchObject({ blocked: false, blocking: true, revision: 1 })
  const self = await patch(me, b.id, { blocked_by: [b.id] })
  expect([self.status, self.body.code, self.body.path]).toEqual([409, 'dependency_cycle', [b.id, b.id]])
})

describe('no sequence of writes', () => {
  const step = fc.record({ task: fc.nat(7), blockers: fc.uniqueArray(fc.nat(7), { maxLength: 3 }) })

  test('makes a circle: each is answered as a model says, with a path that is one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const me = stranger()
        const ids: string[] = []
        for (let i = 0; i < 8; i++) ids.push((await make(me)).id)
        const waits = new Map<string, string[]>()
        for (const { task, blockers } of steps) {
          const [id = '', asked] = [ids[task], blockers.map((n) => ids[n] ?? '')]
          const { status, body } = await patch(me, id, { blocked_by: asked })
          expect(status).toBe(asked.some((blocker) => leadsTo(waits, blocker, id)) ? 409 : 200)
          if (status === 200) waits.set(id, asked)
          else expectPath(body.path, id, new Map([...waits, [id, asked]]))
        }
      }),
      { numRuns: runs(8) },
    )
  })

  function leadsTo(waits: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
    return from === to || (waits.get(from) ?? []).some((next) => leadsTo(waits, next, to))
  }
})

function expectPath(path: readonly string[], id: string, waits: ReadonlyMap<string, readonly string[]>): void {
  expect([path[0], path.at(-1)]).toEqual([id, id])
  for (const [i, from] of path.slice(0, -1).entries()) expect(waits.get(from)).toContain(path[i + 1] ?? 'nothing')
}

test('of two requests that together would make a circle, one is refused', async () => {
  const me = stranger()
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await make(me), await make(me)]
    const answers = await Promise.all([
      patch(me, a.id, { blocked_by: [b.id] }),
      patch(me, b.id, { blocked_by: [a.id] }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  }
})

/** So many tasks, each of which waits for the one before. */
async function makeChain(lone: typeof world, length: number) {
  const spare = await lone.make(lone.stranger())
  const session = await sessionOf(lone, spare.id)
  const idOf = (i: number) => `01890000-0000-7000-8000-${String(i).padStart(12, '0')}`
  const keys: number[] = []
  await session.db.transaction(async (db) => {
    for (let i = 0; i < length; i++) {
      const draft = createTaskDraft({ id: idOf(i), at: 0, input: { title: 'T' } })
      const blocked_by = i === 0 ? '[]' : JSON.stringify([idOf(i - 1)])
      const row = await taskTable.insert({ ...session, db }, { ...draft, blocked_by, position: `b${i}` })
      if (row && i > 0) await setBlockers({ ...session, db }, row.key, keys.slice(-1))
      if (row) keys.push(row.key)
    }
  })
  const first = await getTask(session, idOf(0))
  const own = await getTask(session, spare.id)
  if (!first || !own) throw new Error('the chain is not there')
  const attach = () => readBlockers(session, own, [idOf(length - 1)])
  const circle = () => readBlockers(session, first, [idOf(length - 1)]).catch(({ extra }) => extra.path)
  return { attach, circle, dependents: () => filterDependents(session, first.key, [own.key, ...keys.slice(-1)]), keys }
}

test.each([64, 65, 600])('the last of %i tasks waits for the first', async (length) => {
  await using lone = await makeTasksWorld()
  const { dependents, keys } = await makeChain(lone, length)
  expect(await dependents()).toEqual(keys.slice(-1))
})

slow('in a chain of ten thousand tasks the check takes less than 50 ms, also where it finds a circle', async () => {
  await using lone = await makeTasksWorld()
  const { attach, circle } = await makeChain(lone, 10_000)
  expect(await cost(50, attach)).toBeLessThan(50)
  expect(await circle()).toHaveLength(10_001)
  expect(await cost(50, circle)).toBeLessThan(50)
})

describe('an edge', () => {
  test('is satisfied while its blocker is done, cancelled or in the trash', async () => {
    const me = stranger()
    const blocker = await make(me)
    const { id } = await make(me, { blocked_by: [blocker.id] })
    const blocked = async () => (await read(me, id)).blocked
    for (const [how, back] of [
      ['done', 'open'],
      ['cancelled', 'in_progress'],
    ] as const) {
      await patch(me, blocker.id, { status: how })
      expect(await blocked()).toBe(false)
      await patch(me, blocker.id, { status: back })
      expect(await blocked()).toBe(true)
    }
    await remove(me, blocker.id)
    expect(await blocked()).toBe(false)
    await act(me, blocker.id, 'restore')
    expect(await blocked()).toBe(true)
    // Blocking is information: it forbids nothing.
    expect((await act(me, id, 'complete')).body.task).toMatchObject({ status: 'done', blocked: true })
    expect((await read(me, blocker.id)).blocking).toBe(false)
  })

  test('between tasks that repeat waits anew each time its dependent goes on', async () => {
    const me = stranger()
    const buy = await make(me, { title: 'buy food', ...SERIES })
    const feed = await make(me, { title: 'feed the cat', ...SERIES, blocked_by: [buy.id] })
    const blocked = async () => (await read(me, feed.id)).blocked
    const history: boolean[] = [await blocked()]
    for (const [id, action] of [
      [buy.id, 'skip'],
      [buy.id, 'complete'],
      [feed.id, 'complete'],
      [buy.id, 'complete'],
      [feed.id, 'skip'],
    ] as const) {
      await act(me, id, action)
      history.push(await blocked())
    }
    expect(history).toEqual([true, true, false, true, false, true])
  })

  test('looks at what was done since it was made', async () => {
    const me = stranger()
    const buy = await make(me, SERIES)
    await act(me, buy.id, 'complete')
    const { id } = await make(me, { blocked_by: [buy.id] })
    expect((await read(me, id)).blocked).toBe(true)
    await act(me, buy.id, 'complete')
    expect((await read(me, id)).blocked).toBe(false)
    await patch(me, id, { blocked_by: [] })
    expect((await patch(me, id, { blocked_by: [buy.id] })).body.blocked).toBe(true)
  })

  test('that was undone on both sides is as it was, in whichever order', async () => {
    for (const order of ['blocker first', 'dependent first']) {
      const me = stranger()
      const buy = await make(me, SERIES)
      const feed = await make(me, { ...SERIES, blocked_by: [buy.id] })
      const bought = (await act(me, buy.id, 'complete')).body.completion
      const fed = (await act(me, feed.id, 'complete')).body.completion
      const steps: [string, string][] = [
        [buy.id, bought.id],
        [feed.id, fed.id],
      ]
      for (const [id, completion] of order === 'blocker first' ? steps : steps.toReversed())
        expect((await world.undo(me, id, completion)).status).toBe(200)
      expect([order, (await read(me, feed.id)).blocked]).toEqual([order, true])
    }
  })
})
