import { describe, expect, test } from 'bun:test'
import { createScheduler, type Job } from '../../src/jobs/scheduler'

function scheduled(jobs: readonly Job[]) {
  const clock = { now: 0 }
  const logged: object[] = []
  const log = { error: (fields: object) => void logged.push(fields) }
  return { clock, logged, ...createScheduler({ now: () => clock.now, log, jobs }) }
}

describe('the scheduler', () => {
  test('runs a job at the first turn, and again when its time has passed', async () => {
    const runs: number[] = []
    const { clock, tick } = scheduled([{ name: 'a', every_ms: 100, run: async () => runs.push(clock.now) }])
    for (clock.now of [5, 104, 105, 106, 205, 1000, 1001]) await tick()
    expect(runs).toEqual([5, 105, 205, 1000])
  })

  test.each([
    ['ahead by years', 1e12, [5, 1e12, 6, 106]],
    ['ahead by little more than the time of the job', 110, [5, 110, 6, 106]],
    ['behind', -1000, [5, -1000, 6, 106]],
  ])('a clock that was %s freezes no job', async (_, wrong, expected) => {
    const runs: number[] = []
    const { clock, tick } = scheduled([{ name: 'a', every_ms: 100, run: async () => runs.push(clock.now) }])
    for (clock.now of [5, wrong, 6, 7, 106]) await tick()
    expect(runs).toEqual(expected)
  })

  test('logs a job that fails and tries it again at the next turn, and the others run all the same', async () => {
    const runs: string[] = []
    const failure = new Error('no')
    const { clock, logged, tick } = scheduled([
      {
        name: 'broken',
        every_ms: 100,
        run: async () => {
          if (runs.push('broken') === 1) throw failure
        },
      },
      { name: 'sound', every_ms: 100, run: async () => runs.push('sound') },
    ])
    for (clock.now of [0, 1, 2]) await tick()
    expect(runs).toEqual(['broken', 'sound', 'broken'])
    expect(logged).toEqual([{ job: 'broken', err: failure }])
  })

  test('runs one job at a time, and a turn within a turn is the same turn', async () => {
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    const { tick } = scheduled([
      {
        name: 'slow',
        every_ms: 100,
        run: async () => {
          events.push('slow begins')
          await gate.promise
          events.push('slow ends')
        },
      },
      { name: 'other', every_ms: 100, run: async () => events.push('other') },
    ])
    const turns = [tick(), tick()]
    expect(events).toEqual(['slow begins'])
    gate.resolve()
    await Promise.all(turns)
    expect(events).toEqual(['slow begins', 'slow ends', 'other'])
  })

  test('when stopped tells the job under way, waits for it, and begins no other', async () => {
    const events: string[] = []
    const waiting = (signal: AbortSignal) =>
      new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => {
          events.push('told')
          resolve()
        }),
      )
    const { tick, stop } = scheduled([
      { name: 'long', every_ms: 100, run: waiting },
      { name: 'other', every_ms: 100, run: async () => events.push('other') },
    ])
    const turn = tick()
    await stop()
    events.push('stopped')
    await turn
    await tick()
    expect(events).toEqual(['told', 'stopped'])
  })

  test('keeps no process alive', async () => {
    const program = `
      import { createScheduler } from './src/jobs/scheduler'
      createScheduler({ now: () => 0, log: { error() {} }, jobs: [] }).start()`
    const { exitCode } = Bun.spawnSync([process.execPath, '-e', program], {
      cwd: `${import.meta.dir}/../..`,
      timeout: 60_000,
    })
    expect(exitCode).toBe(0)
  })
})
