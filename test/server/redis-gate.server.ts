import { afterAll, afterEach, beforeAll, describe } from 'bun:test'
import { openRedisCounter } from '../../src/gate/counter-redis'
import { describeAdmission } from '../gate/admission-cases'
import { closeWorlds, type Worlds, world } from '../gate/asking'
import { describeClock } from '../gate/clock-cases'
import { describeGuesses } from '../gate/guess-cases'
import { describeLimits } from '../gate/limits-cases'
import { makeLog, type Options, type World } from '../gate/world'
import { type Engine, startRedis } from '../support/engines'

/** The gate on counts in Redis. */

let redis: Engine
let lastDatabase = 0
/** The database of each world. */
const databases = new WeakMap<World, number>()
const closing: (() => void)[] = []

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())
afterEach(async () => {
  await closeWorlds()
  for (const close of closing.splice(0)) close()
})

async function worldOn(database: number, options: Options = {}): Promise<World> {
  const meter = await openRedisCounter({ url: `${redis.url}/${database}`, fingerprint: 'test', log: makeLog() })
  closing.push(() => meter.close())
  const made = world({ ...options, deps: { ...options.deps, meter } })
  databases.set(made, database)
  return made
}

const ON_REDIS: Worlds = {
  world: (options) => worldOn(++lastDatabase, options),
  restarted: (before, options) => worldOn(databases.get(before) ?? -1, options),
}

describe('on Redis', () => {
  describeLimits(ON_REDIS)
  describeAdmission(ON_REDIS)
  describeGuesses(ON_REDIS)
  describeClock(ON_REDIS)
})
