import { expect } from 'bun:test'
import { fromDay, toDay } from '../../src/lib/civil/day'
import { day, type TasksWorld } from './support'

/** Tasks that repeat each day until a certain one, and what they wait for: as the page says it, the slow way. */
interface Model {
  due: number
  status: 'open' | 'done'
  readonly until: number
  /** By blocker: how many completions there had been of all when the edge began to count. */
  readonly edges: Map<number, number>
  readonly history: Step[]
}

interface Step {
  readonly id: string
  readonly done: boolean
  /** Which of all completions it was. */
  readonly nth: number
  readonly due: number
  readonly edges: ReadonlyMap<number, number>
}

const COUNT = 5
const FIRST = toDay('2026-02-01')

/** Takes so many random steps with five tasks, and holds every answer to the model. */
export async function expectModelOfCompletions(world: TasksWorld, seed: number, steps: number): Promise<void> {
  const { act, make, read, undo } = world
  const me = world.stranger()
  const random = numbers(seed)
  const ids: string[] = []
  const models: Model[] = []
  for (let i = 0; i < COUNT; i++) {
    const until = FIRST + 6 + random(20)
    const rrule = `FREQ=DAILY;UNTIL=${fromDay(until).replaceAll('-', '')}`
    const blockers = ids.map((_, n) => n).filter(() => random(2) === 0)
    const blocked_by = blockers.map((n) => ids[n])
    ids.push((await make(me, { due: day(fromDay(FIRST)), recurrence: { rrule }, blocked_by })).id)
    const edges = new Map(blockers.map((n) => [n, 0]))
    models.push({ due: FIRST, status: 'open', until, edges, history: [] })
  }
  let clock = 0
  for (let n = 0; n < steps; n++) {
    const i = random(COUNT)
    const [id = '', model] = [ids[i], models[i]]
    if (!model) throw new Error('no such task')
    const what = random(10)
    if (what < 5) await take(id, model, what > 0)
    else await back(id, model, what === 5)
    const [shown, some] = [await read(me, id), random(COUNT)]
    expect([n, shown.status, shown.due.date]).toEqual([n, model.status, fromDay(model.due)])
    expect([n, (await read(me, ids[some] ?? '')).blocked]).toEqual([n, isBlocked(some)])
  }
  for (const [i, id] of ids.entries()) {
    const shown = (await world.completions(me, id)).slice(0, 200).map((completion) => completion.id)
    expect(shown).toEqual(
      (models[i]?.history ?? [])
        .map((step) => step.id)
        .toReversed()
        .slice(0, 200),
    )
    expect((await read(me, id)).blocked).toBe(isBlocked(i))
  }

  /** Completes on some day near the due date, or skips. */
  async function take(id: string, model: Model, done: boolean): Promise<void> {
    const on = Math.max(FIRST, Math.min(model.due + random(5) - 2, toDay('2026-03-01')))
    const body = done ? { completed_at: `${fromDay(on)}T12:00:00.000Z` } : {}
    const answer = await act(me, id, done ? 'complete' : 'skip', body)
    expect(answer.status).toBe(model.status === 'done' && !done ? 409 : 200)
    if (model.status === 'done') return
    const next = done ? Math.max(model.due + 1, on) : model.due + 1
    model.history.push({
      id: answer.body.completion.id,
      done,
      nth: ++clock,
      due: model.due,
      edges: new Map(model.edges),
    })
    if (next > model.until) model.status = 'done'
    else {
      model.due = next
      for (const blocker of model.edges.keys()) model.edges.set(blocker, clock)
    }
  }

  /** Undoes the newest step, as an undo or, where that is the same, by reopening. */
  async function back(id: string, model: Model, reopens: boolean): Promise<void> {
    const step = model.history.at(-1)
    const answer = reopens ? await act(me, id, 'reopen') : await undo(me, id, step?.id ?? id)
    expect(answer.status).toBe(reopens || step ? 200 : 404)
    if (!step || (reopens && model.status === 'open')) return
    model.history.pop()
    model.due = step.due
    model.status = 'open'
    for (const [blocker, since] of step.edges) model.edges.set(blocker, since)
  }

  function isBlocked(i: number): boolean {
    return [...(models[i]?.edges ?? [])].some(([blocker, since]) => {
      const { status, history } = models[blocker] ?? { status: 'done', history: [] }
      return status === 'open' && !history.some(({ done, nth }) => done && nth > since)
    })
  }
}

/** Numbers below a limit that look random and are the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}
