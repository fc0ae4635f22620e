import { expect, test } from 'bun:test'
import { makeKey } from '../support/keys'
import { ask, foreign, left, type Worlds, waitOf } from './asking'
import { DAY_MS, HOUR_MS, KEY, NOW, REST, type World } from './world'

/** A clock that is set, goes wrong, and is put right: nobody is frozen for longer than is told, nobody gets more. */
export function describeClock({ world, restarted }: Worlds): void {
  for (const restart of [false, true]) {
    const set = async (w: World, now: number): Promise<World> => {
      const again = restart ? await restarted(w) : w
      again.time.now = now
      return again
    }
    const how = restart ? 'over a restart' : 'while it runs'

    test.each([
      [-1, REST + 3600, ['clock_behind']],
      [-2, REST + 7200, ['clock_behind']],
    ])(
      `a clock set back by %i hours gives nobody a fresh hour, and the wait is true, ${how}`,
      async (hours, wait, warnings) => {
        const w = await world()
        await ask(w, 20, '/api/ok')
        const back = await set(w, NOW + hours * HOUR_MS)
        expect(await waitOf(back)).toBe(wait)
        expect<string[]>([...back.door.warnings]).toEqual(warnings)
        back.time.now += wait * 1000 - 1
        expect(await waitOf(back)).toBe(1)
        back.time.now += 1
        expect(left(await back.call('/api/ok'))).toBe('19')
      },
    )

    test.each([3, 24, 25, 24 * 365, 24 * 365 * 50])(
      `a clock that was ahead by %i hours freezes nobody and refills nobody, ${how}`,
      async (hours) => {
        const w = await world()
        await ask(w, 15, '/api/ok')
        const ahead = await set(w, NOW + hours * HOUR_MS)
        await ask(ahead, 20, '/api/ok')
        expect(await waitOf(ahead)).toBe(REST)
        const back = await set(ahead, NOW)
        expect(left(await back.call('/api/ok'))).toBe('4')
        await ask(back, 4, '/api/ok')
        expect(await waitOf(back)).toBe(REST)
        expect<string[]>([...back.door.warnings]).toEqual(['clock_was_ahead'])
        back.time.now += REST * 1000
        expect(left(await back.call('/api/ok'))).toBe('19')
      },
    )

    test(`what was counted in hours to come waits for them, and holds no hour until then, ${how}`, async () => {
      const w = await world()
      const ahead = await set(w, NOW + 5 * HOUR_MS)
      await ask(ahead, 20, '/api/ok')
      let back = await set(ahead, NOW)
      for (let hour = 0; hour < 5; hour++) {
        back = await set(back, NOW + hour * HOUR_MS)
        expect([hour, left(await back.call('/api/ok'))]).toEqual([hour, '19'])
      }
      back = await set(back, NOW + 5 * HOUR_MS)
      expect(await waitOf(back)).toBe(REST)
    })

    test(`new keys in 24 hours: those of days to come do not count, those of today still do, ${how}`, async () => {
      const w = await world()
      for (let i = 0; i < 12; i++) await ask(w, 1, '/api/ok', { key: foreign(i) })
      const ahead = await set(w, NOW + 30 * DAY_MS)
      for (let i = 20; i < 40; i++) await ask(ahead, 1, '/api/ok', { key: foreign(i) })
      const back = await set(ahead, NOW)
      for (let i = 40; i < 48; i++) {
        expect((await back.call('/api/ok', { key: foreign(i) })).status).toBe(200)
      }
      expect((await back.call('/api/ok', { key: foreign(99) })).status).toBe(429)
      // A key that came while the clock was ahead is known, and so are those of before.
      for (const i of [0, 11, 20, 39, 47]) {
        expect([i, (await back.call('/api/ok', { key: foreign(i) })).status]).toEqual([i, 200])
      }
    })

    test(`a clock that begins in 1970 refuses nothing and forgets nothing, ${how}`, async () => {
      const w = await world()
      await ask(w, 1, '/api/ok', { key: KEY })
      await ask(w, 20, '/api/ok')
      const early = await set(w, 5000)
      expect(left(await early.call('/api/ok'))).toBe('19')
      expect((await early.call('/api/ok', { key: KEY })).status).toBe(200)
      const right = await set(early, NOW)
      expect(await waitOf(right)).toBe(REST)
      // It is still one of the twenty new keys of the day.
      for (const key of [KEY, ...Array.from({ length: 19 }, (_, i) => makeKey(i))])
        expect((await right.call('/api/ok', { key })).status).toBe(200)
      expect((await right.call('/api/ok', { key: makeKey(19) })).status).toBe(429)
    })
  }
}
