import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Meter, MeterOptions } from '../../src/gate/counter'
import { MeterUnavailable } from '../../src/gate/counter-port'
import { charge } from '../../src/gate/tiers'
import { counted, HOUR_MS, makeFolder, makeLog, makeMeter, NOW, removeFolder, SETTINGS } from './world'

const HOUR = Math.floor(NOW / HOUR_MS)
const subject = (i: number): string => i.toString(16).padStart(32, '0')
const free = (i: number) => charge('free', subject(i), SETTINGS)
const day = (i: number) => charge('new-keys-day', subject(i), SETTINGS)
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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
  test('takes all charges or none', () => {
    const m = meter()
    const narrow = { ...free(2), limit: 1 }
    expect(m.take([free(1), narrow], HOUR)).toEqual({ granted: true, left: [19, 0], isNew: false })
    expect(m.take([free(1), narrow], HOUR)).toEqual({ granted: false, left: [19, 0], isNew: false })
    expect(m.peek([free(1)], HOUR)).toEqual({ left: [19], refused: [0] })
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
    expect(m.peek([free(1)], HOUR).refused).toEqual([5000])
    m.close()
    expect(counted(folder, 'SELECT used, refused FROM request_counts')).toEqual([[0, 5000]])
  })

  test('a tally that no commit takes along is written in time', async () => {
    const m = meter({ tallyMs: 1 })
    m.refuse(free(1), HOUR)
    await until(() => m.state.commits === 1)
  })

  test('a 24 hour window is the newest 24 hour buckets, from memory and from the file', () => {
    const m = meter()
    for (let h = 0; h < 30; h += 3) m.take([day(1)], HOUR + h)
    expect(m.peek([day(1)], HOUR + 29).left).toEqual([2])
    m.close()
    expect(meter({ now: NOW + 29 * HOUR_MS }).peek([day(1)], HOUR + 29).left).toEqual([2])
  })

  test('history has a place for every hour, and is a copy', () => {
    const m = meter()
    m.take([free(1)], HOUR)
    m.take([free(1)], HOUR + 1)
    const first = m.history(free(1), 48, HOUR + 1)
    m.take([free(1)], HOUR + 1)
    m.refuse(free(1), HOUR + 1)
    expect(first.used.slice(-3)).toEqual([0, 1, 1])
    const { hour, used, refused } = m.history(free(1), 48, HOUR + 1)
    expect([hour, used.length, used.slice(-3), refused.at(-1)]).toEqual([HOUR + 1, 48, [0, 1, 2], 1])
    expect(m.history(free(2), 3, HOUR + 1).used).toEqual([0, 0, 0])
  })

  test('takes meter.db for itself: a second start is told so in one sentence', () => {
    meter()
    expect(() => meter()).toThrow('only one Satchel can run on a data folder')
  })

  test('a store over 24 hours ahead of the clock refuses to start; one less ahead holds its hour', () => {
    const m = meter()
    m.take([free(1)], HOUR)
    m.close()
    expect(meter({ now: NOW - 24 * HOUR_MS }).hour).toBe(HOUR)
    for (const each of meters) each.close()
    expect(() => meter({ now: NOW - 25 * HOUR_MS })).toThrow('ahead of the clock')
    meter()
  })

  test('durability is what it claims: WAL, and nobody reads a shared index', () => {
    const m = meter()
    m.take([free(1)], HOUR)
    m.flush()
    expect(statSync(join(folder, 'meter.db-wal')).size).toBeGreaterThan(0)
    expect(() => statSync(join(folder, 'meter.db-shm'))).toThrow()
    expect(() => new Database(join(folder, 'meter.db')).query('SELECT * FROM api_keys').all()).toThrow('locked')
  })
})

describe('housekeeping', () => {
  test('after 48 hours counts become sums, in batches, and sums last 90 days', async () => {
    const m = meter()
    for (let i = 0; i < 5000; i++) m.take([free(i)], HOUR)
    for (let i = 0; i < 10; i++) m.refuse(free(i), HOUR)
    m.take([free(1)], HOUR + 1)
    m.take([free(1)], HOUR + 48)
    await until(() => m.state.tidied)
    m.close()
    const rows = 'SELECT hour, used FROM request_counts'
    const sums = 'SELECT hour, tier, used, refused, subjects FROM tier_totals'
    expect(counted(folder, rows)).toEqual([
      [HOUR + 1, 1],
      [HOUR + 48, 1],
    ])
    expect(counted(folder, sums)).toEqual([[HOUR, 'free', 5000, 10, 5000]])
    const later = meter({ now: NOW + 90 * 24 * HOUR_MS })
    await until(() => later.state.tidied)
    later.close()
    expect(counted(folder, `${sums} ORDER BY hour`)).toEqual([
      [HOUR + 1, 'free', 1, 0, 1],
      [HOUR + 48, 'free', 1, 0, 1],
    ])
  })

  test('keys unused for 90 days leave the table, however many; others stay', async () => {
    const m = meter()
    for (let i = 0; i < 5000; i++) m.sawKey(subject(i), NOW, HOUR)
    const later = HOUR + 91 * 24
    m.sawKey(subject(2500), NOW, HOUR + 40 * 24)
    m.take([free(1)], later)
    await until(() => m.state.tidied)
    m.close()
    const keys = 'SELECT hex(key_id), first_seen_at FROM api_keys'
    expect(counted(folder, keys)).toEqual([[subject(2500).toUpperCase(), NOW]])
  })

  test('a key costs one write a day', async () => {
    const m = meter()
    expect(m.lastSeen(subject(1))).toBeNull()
    m.sawKey(subject(1), NOW, HOUR)
    m.close()
    const again = meter()
    expect(again.lastSeen(subject(1))).toBe(Math.floor(HOUR / 24))
  })
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
  async function through(faultSql: string, healSql: string | null): Promise<void> {
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
    expect(() => m.flush()).toThrow(MeterUnavailable)
    expect(m.peek([free(1)], HOUR).left).toEqual([19])
    expect(m.peek([free(100)], HOUR).left).toEqual([19])
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
    await through('PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000')
  })

  test('read-only: it is opened anew and resumes', async () => {
    await through('PRAGMA query_only = 1', null)
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

  test('damaged: 503 until the file is whole again, or removed', async () => {
    const path = join(folder, 'meter.db')
    const seed = meter()
    for (let i = 0; i < 3000; i++) seed.take([free(i)], HOUR)
    seed.close()
    const whole = readFileSync(path)
    const m = meter({ retryMs: 3 })
    writeOver(path, Buffer.alloc(whole.length, 'x'))
    expect(() => m.take([free(1500)], HOUR)).toThrow(MeterUnavailable)
    expect(() => m.take([free(1500)], HOUR)).toThrow(MeterUnavailable)
    writeOver(path, whole)
    await until(() => !m.state.failing)
    expect(m.take([free(1500)], HOUR).left).toEqual([18])
    m.close()
    writeFileSync(path, 'x'.repeat(9000))
    expect(() => meter()).toThrow('meter.db is damaged')
    rmSync(path)
    expect(meter().take([free(1)], HOUR).left).toEqual([19])
  })

  test('a closed meter takes nothing', () => {
    const m = meter()
    m.close()
    m.close()
    expect(() => m.take([free(1)], HOUR)).toThrow(MeterUnavailable)
  })
})

function writeOver(path: string, bytes: Uint8Array): void {
  const handle = openSync(path, 'r+')
  writeSync(handle, bytes)
  closeSync(handle)
}
