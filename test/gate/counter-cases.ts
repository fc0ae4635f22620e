import { expect, test } from 'bun:test'
import type { OpenCounter } from '../../src/gate/tiers'
import { createCharge } from '../../src/gate/tiers'
import { HOUR_MS, NOW, SETTINGS } from './world'

export const HOUR = Math.floor(NOW / HOUR_MS)
const DAY = Math.floor(HOUR / 24)
/** A subject, by its number. */
export const subject = (i: number): string => i.toString(16).padStart(32, '0')
/** The charge of a request without a key, 20 in an hour. */
export const free = (i: number) => createCharge('free', subject(i), SETTINGS)
/** The charge of a new key, 20 in 24 hours. */
export const day = (i: number) => createCharge('new-keys-day', subject(i), SETTINGS)

/** What opens the counters that cases are tried on; they are closed after the test. */
export interface Counters {
  /** Opens one without counts. */
  open(): Promise<OpenCounter>
  /** Opens what a counter has counted anew, as a later process does. */
  reopen(before: OpenCounter): Promise<OpenCounter>
}

/** What every counter does. */
export function describeCounter({ open, reopen }: Counters): void {
  const newcomer = (key: string, charges = [day(1)], hour = HOUR) => {
    return { key, since: Math.floor(hour / 24) - 90, charges }
  }

  test('takes all charges or none', async () => {
    const m = await open()
    const narrow = { ...free(2), limit: 1 }
    expect(await m.take([free(1), narrow], HOUR)).toEqual({ granted: true, left: [19, 0], isNew: false })
    expect(await m.take([free(1), narrow], HOUR)).toEqual({ granted: false, left: [19, 0], isNew: false })
    expect(await m.peek([free(1)], HOUR)).toEqual([19])
  })

  test('takes twice from a counter that is named twice', async () => {
    const m = await open()
    expect((await m.take([free(1), free(1)], HOUR)).left).toEqual([19, 19])
    expect(await m.peek([free(1)], HOUR)).toEqual([18])
  })

  test('tells policies and subjects apart, and what is above the limit has nothing left', async () => {
    const m = await open()
    for (let i = 0; i < 3; i++) await m.take([free(1)], HOUR)
    const lower = { ...free(1), limit: 2 }
    expect(await m.peek([free(1), lower, free(2), day(1)], HOUR)).toEqual([17, 0, 20, 20])
    expect(await m.peek([], HOUR)).toEqual([])
  })

  test('a 24 hour window is the newest 24 hours, also for a later process', async () => {
    const m = await open()
    for (let h = 0; h < 30; h += 3) await m.take([day(1)], HOUR + h)
    expect(await m.peek([day(1)], HOUR + 29)).toEqual([12])
    expect(await (await reopen(m)).peek([day(1)], HOUR + 29)).toEqual([12])
  })

  test('history has a place for every hour, and is a copy', async () => {
    const m = await open()
    await m.take([free(1)], HOUR)
    await m.take([free(1)], HOUR + 1)
    const first = await m.history(free(1), 48, HOUR + 1)
    await m.take([free(1)], HOUR + 1)
    await m.refuse(free(1), HOUR + 1)
    expect(first.used.slice(-3)).toEqual([0, 1, 1])
    const { hour, used, refused } = await m.history(free(1), 48, HOUR + 1)
    expect([hour, used.length, used.slice(-3), refused.at(-1)]).toEqual([HOUR + 1, 48, [0, 1, 2], 1])
    expect((await m.history(free(2), 3, HOUR + 1)).used).toEqual([0, 0, 0])
  })

  test('history goes back 48 hours, whatever was counted since', async () => {
    const m = await open()
    for (let h = 0; h < 60; h++) {
      for (let i = 0; i <= h % 3; i++) await m.take([free(1)], HOUR + h)
      await m.refuse(free(1), HOUR + h)
    }
    const { used, refused } = await m.history(free(1), 48, HOUR + 59)
    expect(used).toEqual(Array.from({ length: 48 }, (_, i) => ((i + 12) % 3) + 1))
    expect(refused).toEqual(new Array(48).fill(1))
  })

  test('an hour continues while the clock is behind it by up to two, for a later process, too', async () => {
    const m = await open()
    await m.take([free(1)], HOUR)
    for (const behind of [1, 2]) expect(await m.peek([free(1)], HOUR - behind)).toEqual([19])
    const later = await reopen(m)
    expect(later.hour).toBe(HOUR)
    expect((await later.take([free(1)], HOUR - 2)).left).toEqual([18])
    expect((await later.history(free(1), 2, HOUR - 2)).hour).toBe(HOUR)
    expect(await later.peek([free(1)], HOUR - 3)).toEqual([20])
    expect(later.hour).toBe(HOUR - 3)
    expect(await later.peek([free(1)], HOUR)).toEqual([18])
  })

  test('a newcomer pays once for its admission, and is then known', async () => {
    const m = await open()
    const key = subject(9)
    expect(await m.lastSeen(key)).toBeNull()
    expect(await m.take([free(1)], HOUR, newcomer(key))).toEqual({ granted: true, left: [19, 19], isNew: true })
    expect(await m.lastSeen(key)).toBe(DAY)
    expect(await m.take([free(1)], HOUR, newcomer(key))).toEqual({ granted: true, left: [18], isNew: false })
    expect(await m.peek([day(1)], HOUR)).toEqual([19])
    expect(await (await reopen(m)).lastSeen(key)).toBe(DAY)
  })

  test('a newcomer that is refused is not known, and nothing is charged', async () => {
    const m = await open()
    const key = subject(9)
    const full = { ...day(1), limit: 1 }
    await m.take([full], HOUR)
    expect(await m.take([free(1)], HOUR, newcomer(key, [full]))).toEqual({ granted: false, left: [20, 0], isNew: true })
    expect([await m.lastSeen(key), ...(await m.peek([free(1)], HOUR))]).toEqual([null, 20])
    expect(await m.take([], HOUR, newcomer(key, []))).toEqual({ granted: true, left: [], isNew: true })
    expect(await m.lastSeen(key)).toBe(DAY)
  })

  test('a key that was unused since the day named is new again, on that day it is not', async () => {
    const m = await open()
    await m.markKeyUsed(subject(1), HOUR)
    await m.markKeyUsed(subject(2), HOUR + 24)
    const later = HOUR + 91 * 24
    expect((await m.take([], later, newcomer(subject(1), [], later))).isNew).toBe(true)
    expect((await m.take([], later, newcomer(subject(2), [], later))).isNew).toBe(false)
    expect(await m.lastSeen(subject(2))).toBe(DAY + 91)
  })

  test('of many at once, exactly as many are granted as the limit says, and one key pays once', async () => {
    const m = await open()
    const takes = await Promise.all(Array.from({ length: 100 }, () => m.take([free(1), day(2)], HOUR)))
    expect(takes.filter(({ granted }) => granted)).toHaveLength(20)
    const keys = await Promise.all(Array.from({ length: 50 }, () => m.take([free(3)], HOUR, newcomer(subject(9)))))
    expect(keys.filter(({ isNew, granted }) => isNew && granted)).toHaveLength(1)
    expect(await m.peek([free(3), day(1)], HOUR)).toEqual([0, 19])
  })

  test('gives back what was charged in the same hour, never more than was charged, and only to the same caller', async () => {
    const m = await open()
    await m.take([free(1), free(2)], HOUR)
    await m.take([free(1)], HOUR)
    expect(await m.giveBack([free(1), free(2)], HOUR)).toEqual([19, 20])
    expect(await m.giveBack([free(2), free(3)], HOUR)).toEqual([20, 20])
    const later = await reopen(m)
    expect((await later.history(free(1), 1, HOUR)).used).toEqual([1])
    expect(await later.giveBack([free(1), free(1)], HOUR)).toEqual([20, 20])
  })

  test('gives nothing back in another hour', async () => {
    const m = await open()
    await m.take([free(1), day(1)], HOUR)
    await m.take([free(1)], HOUR + 1)
    expect(await m.giveBack([free(1), day(1)], HOUR)).toEqual([19, 19])
    expect((await m.history(free(1), 2, HOUR + 1)).used).toEqual([1, 1])
  })

  test('counts what is given back and taken in one turn once', async () => {
    const m = await open()
    const results = [m.take([free(1)], HOUR), m.giveBack([free(1)], HOUR), m.take([free(1)], HOUR)]
    await Promise.all(results)
    await Promise.all([m.giveBack([free(1)], HOUR), m.take([free(1)], HOUR), m.take([free(1)], HOUR)])
    expect(await m.peek([free(1)], HOUR)).toEqual([18])
    expect(await (await reopen(m)).peek([free(1)], HOUR)).toEqual([18])
  })

  test('is ready, and counts what it writes', async () => {
    const m = await open()
    await m.checkReady()
    expect(m.state).toMatchObject({ commits: 0, failing: false })
    await m.take([free(1)], HOUR)
    await new Promise((resolve) => setImmediate(resolve))
    expect(m.state.commits).toBe(1)
  })

  test('once closed it is not ready and takes nothing, by an error that the gate knows', async () => {
    const m = await open()
    await m.take([free(1)], HOUR)
    m.close()
    m.close()
    const works = [async () => m.checkReady(), async () => m.take([free(1)], HOUR, newcomer(subject(9)))]
    for (const work of works) expect(await work().catch(String)).toStartWith('MeterUnavailable: ')
  })
}
