import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Meter } from '../../src/gate/counter'
import type { MeterOptions } from '../../src/gate/counter.sqlite'
import { MeterUnavailable } from '../../src/gate/tiers'
import { Cache, yieldTurn as turn } from '../../src/lib/steps'
import { describeCounter, free, HOUR, subject } from './counter-cases'
import { counted, makeFolder, makeLog, makeMeter, removeFolder } from './world'

let folder = ''
let meters: Meter[] = []
beforeEach(() => {
  folder = makeFolder()
})
afterEach(() => {
  for (const meter of meters) meter.close()
  meters = []
  removeFolder(folder)
})
function meter(options: Partial<MeterOptions> = {}): Meter {
  const made = makeMeter(folder, options)
  meters.push(made)
  return made
}
/** Waits until the meter has tidied, or has resumed. */
async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('the meter', () => {
  describeCounter({
    open: async () => meter(),
    reopen: async (before) => {
      before.close()
      return meter()
    },
  })

  test('commits once per turn of the event loop, upserts that add', async () => {
    const m = meter()
    for (let i = 0; i < 100; i++) m.take([free(i % 10)], HOUR)
    expect(m.state.commits).toBe(0)
    await turn()
    expect(m.state.commits).toBe(1)
    m.take([free(1)], HOUR)
    m.close()
    expect(counted(folder, 'SELECT count(*), sum(used), max(used) FROM request_counts')).toEqual([[10, 101, 11]])
  })

  test('a cache of 10 resets none of 1000 addresses', async () => {
    const m = meter({ cacheEntries: 10 })
    for (let round = 0; round < 21; round++) {
      for (let i = 0; i < 1000; i++) expect(m.take([free(i)], HOUR).granted).toBe(round < 20)
      await turn()
    }
    expect(m.state.entries).toBeLessThanOrEqual(11)
  })

  test('looking alone does not fill memory either', async () => {
    const m = meter({ cacheEntries: 10 })
    for (let i = 0; i < 1000; i++) m.peek([free(i)], HOUR)
    expect(m.state.entries).toBeLessThanOrEqual(11)
  })

  test('a flood of refusals makes no write each, and is tallied all the same', async () => {
    const m = meter()
    for (let i = 0; i < 5000; i++) {
      m.refuse(free(1), HOUR)
      if (i % 100 === 0) await turn()
    }
    expect(m.state.commits).toBe(0)
    expect(m.history(free(1), 1, HOUR).refused).toEqual([5000])
    m.close()
    expect(counted(folder, 'SELECT used, refused FROM request_counts')).toEqual([[0, 5000]])
  })

  test('a tally that no commit takes along is written in time', async () => {
    const m = meter({ refusalDelayMs: 1 })
    m.refuse(free(1), HOUR)
    await until(() => m.state.commits === 1)
  })

  test('takes meter.db for itself: a second start is told so in one sentence', () => {
    meter()
    expect(() => meter()).toThrow('only one Satchel can run on a data folder')
  })

  test('durability is what it claims: WAL, and nobody reads a shared index', async () => {
    const m = meter()
    m.take([free(1)], HOUR)
    await turn()
    expect(statSync(join(folder, 'meter.db-wal')).size).toBeGreaterThan(0)
    expect(() => statSync(join(folder, 'meter.db-shm'))).toThrow()
    expect(() => new Database(join(folder, 'meter.db')).query('SELECT * FROM api_keys').all()).toThrow('locked')
  })
})

describe('housekeeping', () => {
  test('counts are kept for 48 hours, and then deleted in batches', async () => {
    const m = meter()
    for (let i = 0; i < 5000; i++) m.take([free(i)], HOUR)
    for (const later of [1, 48, 49, 50]) {
      m.take([free(1)], HOUR + later)
      await until(() => m.state.tidied)
    }
    m.close()
    expect(counted(folder, 'SELECT hour, used FROM request_counts')).toEqual([
      [HOUR + 1, 1],
      [HOUR + 48, 1],
      [HOUR + 49, 1],
      [HOUR + 50, 1],
    ])
  })

  test('keys unused for 90 days leave the table, however many; others stay', async () => {
    const m = meter()
    for (let i = 0; i < 5000; i++) m.markKeyUsed(subject(i), HOUR)
    const later = HOUR + 91 * 24
    m.markKeyUsed(subject(2500), HOUR + 40 * 24)
    for (const hours of [0, 1, 2]) {
      m.take([free(1)], later + hours)
      await until(() => m.state.tidied)
    }
    m.close()
    expect(counted(folder, 'SELECT hex(key_id) FROM api_keys')).toEqual([[subject(2500).toUpperCase()]])
  })

  test('a key costs one write a day', async () => {
    const m = meter()
    expect(m.lastSeen(subject(1))).toBeNull()
    m.markKeyUsed(subject(1), HOUR)
    m.close()
    const again = meter()
    expect(again.lastSeen(subject(1))).toBe(Math.floor(HOUR / 24))
  })
})

test('a full cache is emptied before another entry comes in', () => {
  const cache = new Cache<string, number>(2)
  const sizes = ['a', 'b', 'a', 'c'].map((key, i) => [cache.keep(key, i), cache.size])
  expect([sizes, cache.get('a'), cache.get('c')]).toEqual([
    [
      [0, 1],
      [1, 2],
      [2, 2],
      [3, 1],
    ],
    undefined,
    3,
  ])
})

/** A real database, and a hand on its present connection: SQLite itself fails. */
function faulty() {
  let current: Database | null = null
  return {
    connect(path: string): Database {
      current = new Database(path, { create: true, strict: true })
      return current
    },
    run(sql: string): void {
      current?.run(sql)
    },
  }
}

describe('while the file fails', () => {
  /** Fails the commit of one take, checks what holds meanwhile, heals, and counts what is stored. */
  async function expectRecovery(faultSql: string, healSql: string | null): Promise<void> {
    const door = faulty()
    const log = makeLog()
    const m = meter({ connect: door.connect, log, retryMs: 3 })
    m.take([free(1)], HOUR)
    await turn()
    door.run(faultSql)
    for (let i = 100; i < 400; i++) m.take([free(i)], HOUR)
    await turn()
    expect(m.state.failing).toBe(true)
    expect(() => m.take([free(1)], HOUR)).toThrow(MeterUnavailable)
    expect(() => m.checkReady()).toThrow(MeterUnavailable)
    expect(m.peek([free(1)], HOUR)).toEqual([19])
    expect(m.peek([free(100)], HOUR)).toEqual([19])
    if (healSql) door.run(healSql)
    await until(() => !m.state.failing)
    expect(m.take([free(100)], HOUR).left).toEqual([18])
    expect(log.lines.map((line) => line.split(' {')[0])).toEqual([
      'meter.db fails: requests get 503 until it works',
      'meter.db works again',
    ])
    m.close()
    expect(counted(folder, 'SELECT sum(used) FROM request_counts')).toEqual([[302]])
  }

  test('full: nothing is taken, nothing is lost, and it resumes when there is room', async () => {
    await expectRecovery('PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000')
  })

  test('read-only: it is opened anew and resumes', async () => {
    await expectRecovery('PRAGMA query_only = 1', null)
  })

  test('locked by another when it is opened anew: it waits for the lock', async () => {
    const path = join(folder, 'meter.db')
    let other: Database | null = null
    let opened = 0
    const door = faulty()
    const m = meter({
      retryMs: 3,
      connect(file) {
        opened++
        if (other) {
          const reader = other
          other = null
          reader.run('PRAGMA locking_mode = EXCLUSIVE')
          reader.run('BEGIN EXCLUSIVE')
          setTimeout(() => reader.close(), 10)
        }
        return door.connect(file)
      },
    })
    m.take([free(1)], HOUR)
    await turn()
    other = new Database(path)
    door.run('PRAGMA query_only = 1')
    m.take([free(1)], HOUR)
    await turn()
    await until(() => !m.state.failing)
    expect(opened).toBeGreaterThan(2)
    expect(m.take([free(1)], HOUR).left).toEqual([17])
  })

  /** A meter whose file is damaged, and the bytes it had. */
  async function damaged() {
    const path = join(folder, 'meter.db')
    const seed = meter()
    for (let i = 0; i < 3000; i++) seed.take([free(i)], HOUR)
    seed.close()
    const whole = readFileSync(path)
    const door = faulty()
    const log = makeLog()
    const m = meter({ connect: door.connect, log, retryMs: 3 })
    const damage = (bytes: Uint8Array): void => {
      // Pages in memory and in the log are sound: they are let go.
      door.run('PRAGMA wal_checkpoint(TRUNCATE)')
      door.run('PRAGMA shrink_memory')
      writeOver(path, bytes)
    }
    damage(Buffer.alloc(whole.length, 'x'))
    expect(() => m.take([free(1500)], HOUR)).toThrow(MeterUnavailable)
    expect(() => m.take([free(1500)], HOUR)).toThrow(MeterUnavailable)
    return { path, whole, m, log, damage }
  }

  test('damaged: 503 until the file is whole again', async () => {
    const { path, whole, m, log } = await damaged()
    writeOver(path, whole)
    await until(() => !m.state.failing)
    expect(m.take([free(1500)], HOUR).left).toEqual([18])
    expect([readdirSync(folder).length, log.lines.length]).toEqual([2, 2])
  })

  test('damaged for good: it is set aside once, so that no disk fills up with such files', async () => {
    const { path, whole, m, log, damage } = await damaged()
    await until(() => !m.state.failing)
    expect(m.take([free(1500)], HOUR).left).toEqual([19])
    expect(log.lines.map((line) => line.split(' {')[0])).toEqual([
      'meter.db fails: requests get 503 until it works',
      'meter.db is damaged: it is set aside for a new one',
      'meter.db works again',
    ])
    await turn()
    damage(Buffer.alloc(whole.length, 'x'))
    expect(() => m.take([free(1501)], HOUR)).toThrow(MeterUnavailable)
    for (let tries = 0; tries < 5; tries++) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(m.state.failing).toBe(true)
    expect(readdirSync(folder).filter((name) => name.startsWith('meter.db.damaged-'))).toHaveLength(1)
    rmSync(path)
    await until(() => !m.state.failing)
    expect(m.take([free(1501)], HOUR).left).toEqual([19])
  })
})

function writeOver(path: string, bytes: Uint8Array): void {
  const handle = openSync(path, 'r+')
  writeSync(handle, bytes)
  closeSync(handle)
}
