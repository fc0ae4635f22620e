/** What the tests of the gate share: worlds that are closed after each test, and asking many times. */
import { expect } from 'bun:test'
import { checkLimitHeaders } from './structured-fields'
import { type Ask, makeWorld, type Options, type World } from './world'

let open: World[] = []
/** For `afterEach` of every file: a hook of this one would run for the first file only that imports it. */
export async function closeWorlds(): Promise<void> {
  for (const world of open) await world.close()
  open = []
}
/** A world that is closed after the test. */
export function world(options: Options = {}): World {
  const made = makeWorld(options)
  open.push(made)
  return made
}

/** How cases make their worlds, so that they can be tried on each counter. */
export interface Worlds {
  /** A world without counts, closed after the test. */
  world(options?: Options): Promise<World>
  /** The counts of a world under a new process. */
  restarted(before: World, options?: Options): Promise<World>
}

/** Worlds on meter.db. */
export const ON_METER: Worlds = {
  world: async (options) => world(options),
  restarted: async ({ meter, folder }, options) => {
    meter.close()
    return world({ folder, ...options })
  },
}

/** Asks `times` times, one after the other; the statuses and the last answer. */
export async function ask(w: World, times: number, path: string, how: Ask = {}) {
  const statuses: number[] = []
  let last = new Response()
  for (let i = 0; i < times; i++) {
    last = await w.call(path, how)
    checkLimitHeaders(last)
    statuses.push(last.status)
  }
  return { statuses: new Set(statuses), last }
}
export const left = (response: Response): string | null => response.headers.get('X-RateLimit-Remaining')
/** A key of another make. */
export const foreign = (i: number): string => `foreign-key-${i}`

/** A refusal whose times agree, and how long it says to wait. */
export async function waitOf(w: World): Promise<number> {
  const refused = await w.call('/api/ok')
  checkLimitHeaders(refused)
  expect(refused.status).toBe(429)
  return Number(refused.headers.get('Retry-After'))
}
