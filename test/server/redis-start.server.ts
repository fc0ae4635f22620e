import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { RedisClient } from 'bun'
import { openRedisCounter, type RedisCounterOptions } from '../../src/gate/counter-redis'
import { makeLog } from '../gate/world'
import { type Engine, startRedis } from '../support/engines'

const PASSWORD = 'correct-horse'
let redis: Engine
const closing: { close(): void }[] = []

beforeAll(async () => {
  redis = await startRedis()
  const client = new RedisClient(redis.url)
  await client.send('CONFIG', ['SET', 'requirepass', PASSWORD])
  client.close()
})
afterAll(() => redis.stop())
afterEach(() => {
  for (const open of closing.splice(0)) open.close()
})

const urlAs = (user: string, database = 0) => `${redis.url}/${database}`.replace('//', `//${user}@`)
/** Starts a counter, and returns what it logged. */
async function start(url: string, options: Partial<RedisCounterOptions> = {}): Promise<string[]> {
  const log = makeLog()
  closing.push(await openRedisCounter({ url, fingerprint: 'test', log, timeoutMs: 500, ...options }))
  return log.lines.map((line) => line.split(' {')[0] as string)
}
async function operate(command: string, ...args: string[]): Promise<void> {
  const client = new RedisClient(urlAs(`:${PASSWORD}`))
  await client.send(command, args)
  client.close()
}

describe('a start', () => {
  test.each<[string, () => string, RegExp]>([
    ['without the password', () => redis.url, /^Redis at 127\.0\.0\.1:\d+ does not accept the user and password/],
    ['with a wrong one', () => urlAs(':wrong-horse'), /^Redis at 127\.0\.0\.1:\d+ does not accept the user and/],
    ['with a wrong user', () => urlAs(`nobody:${PASSWORD}`), /^Redis at 127\.0\.0\.1:\d+ does not accept the user and/],
    ['on a port where nothing is', () => 'redis://:secret@127.0.0.1:1', /^Redis at 127\.0\.0\.1:1 cannot be reached: /],
    [
      'on a host that is none',
      () => 'redis://:secret@nowhere.invalid',
      /^Redis at nowhere\.invalid cannot be reached: /,
    ],
    [
      'with a database that is none',
      () => urlAs(`:${PASSWORD}`, 5000),
      /^Redis at .* refuses a command: .*out of range/,
    ],
  ])('%s is refused in one sentence without the password', async (_, url, sentence) => {
    const failure = await start(url()).then(String, (error: Error) => error.message)
    expect(failure).toMatch(sentence)
    expect(failure).not.toMatch(/horse|secret/)
    expect(failure.split('\n')).toHaveLength(1)
  })

  test('while Redis hangs is refused in time', async () => {
    redis.pause()
    const failure = await start(urlAs(`:${PASSWORD}`), { timeoutMs: 50 }).then(String, (error: Error) => error.message)
    redis.resume()
    expect(failure).toMatch(/^Redis at 127\.0\.0\.1:\d+ cannot be reached: /)
  })

  test.each([1, 2, 3])('with the password of the user finds its database: %i', async (database) => {
    await operate('ACL', 'SETUSER', 'satchel', 'on', '>user-pass', '~satchel:*', '+@all')
    expect(await start(urlAs('satchel:user-pass', database))).toEqual([])
    expect(await start(urlAs(`:${PASSWORD}`, database))).toEqual([])
  })

  test('with another secret is refused, on another database it is not', async () => {
    await start(urlAs(`:${PASSWORD}`, 10))
    const other = start(urlAs(`:${PASSWORD}`, 10), { fingerprint: 'other' })
    await expect(other).rejects.toThrow(
      'What Redis has counted belongs to another secret: start with the SATCHEL_SECRET',
    )
    expect(await start(urlAs(`:${PASSWORD}`, 11), { fingerprint: 'other' })).toEqual([])
    expect(await start(urlAs(`:${PASSWORD}`, 10))).toEqual([])
  })
})

describe('a Redis that deletes counts when its memory is full', () => {
  const WARNING = 'Redis deletes counts when its memory is full: set its maxmemory-policy to noeviction'
  afterEach(() => operate('CONFIG', 'SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction'))

  test.each([
    ['volatile-lru', '100mb', [WARNING]],
    ['allkeys-lru', '100mb', [WARNING]],
    ['volatile-ttl', '1gb', [WARNING]],
    ['noeviction', '100mb', []],
    ['noeviction', '0', []],
    ['allkeys-lru', '0', []],
  ])('is warned of: %s in %s', async (policy, memory, warnings) => {
    await operate('CONFIG', 'SET', 'maxmemory', memory, 'maxmemory-policy', policy)
    expect(await start(urlAs(`:${PASSWORD}`))).toEqual(warnings)
  })

  test('may not say so: then that is said', async () => {
    await operate('ACL', 'SETUSER', 'quiet', 'on', '>pass', '~*', '+@all', '-info')
    expect(await start(urlAs('quiet:pass'))).toEqual([
      'Redis does not say whether it deletes counts: its maxmemory-policy must be noeviction',
    ])
  })
})
