import { expect } from 'bun:test'
import { contradictions } from './recount'
import { type Answer, type As, MANY_CALLERS, makeWorld, type WorldOptions } from './world'

/** What is asked for in one request and takes many transactions. */

const SETTINGS = { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '1000000' }
const LATER = { Prefer: 'respond-async' }

/** Reads a run until it has ended. */
export async function untilEnded(read: () => Promise<Answer>): Promise<Answer['body']> {
  for (;;) {
    const { body } = await read()
    if (['done', 'failed', 'cancelled'].includes(body.state)) return body
  }
}

/** An app, and ways to see long changes through. */
export async function makeLongWorld(options: WorldOptions = {}) {
  const world = await makeWorld({ settings: SETTINGS, ...options })

  async function ok(as: As, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    const answer = await world.call(as, method, path, body, headers)
    expect([method, path, answer.status < 300]).toEqual([method, path, true])
    return answer
  }

  /** The run of an answer once it has ended. */
  const ended = (as: As, { headers }: Answer) => untilEnded(() => ok(as, 'GET', headers.get('Location') ?? ''))

  return {
    ...world,
    ok,
    ended,
    /** Sends a request that nobody waits for. */
    later: (as: As, method: string, path: string, body?: unknown) => ok(as, method, path, body, LATER),
    /** Sends a request and stops its run as soon as can be; answers the run. */
    async cancelled(as: As, method: string, path: string, body?: unknown) {
      const answer = await ok(as, method, path, body, LATER)
      expect([path, answer.status]).toEqual([path, 202])
      const { body: run } = await ok(as, 'DELETE', answer.headers.get('Location') ?? '')
      expect(run.state).toBe('cancelled')
      expect(await contradictions(world.folder)).toEqual([])
      return run
    },
    /** All that the feed tells of, by type: how many live, and how many do not. */
    async told(as: As): Promise<Record<string, number>> {
      const counts: Record<string, number> = {}
      for (let since = '0'; ; ) {
        const { items, next_cursor } = (await ok(as, 'GET', `/api/changes?limit=200&since=${since}`)).body
        for (const { type, op } of items) counts[`${type} ${op}`] = (counts[`${type} ${op}`] ?? 0) + 1
        if (next_cursor === null) return counts
        since = next_cursor
      }
    },
  }
}

export type LongWorld = Awaited<ReturnType<typeof makeLongWorld>>

/** Sends a request whose server stops at once, and starts another, which goes on with it. Answers that, the run, and what of the data contradicted itself between. */
export async function brokenOff(world: LongWorld, as: As, method: string, path: string, body?: unknown) {
  const answer = await world.later(as, method, path, body)
  expect([path, answer.status]).toEqual([path, 202])
  await world.close()
  const between = await contradictions(world.folder)
  const next = await makeLongWorld({ folder: world.folder })
  const begun = (await next.ok(as, 'GET', answer.headers.get('Location') ?? '')).body
  for (const { name, run } of next.jobs) if (name === 'tidy up imports') await run(new AbortController().signal)
  return { next, between, begun, run: await next.ended(as, answer) }
}
