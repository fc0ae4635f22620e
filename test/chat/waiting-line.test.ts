import { describe, expect, test } from 'bun:test'
import { createWaitingLine, MAX_WAIT_MS, MAX_WAITING_EACH, MAX_WAITING_TOGETHER } from '../../src/chat/waiting-line'
import { createLocalPlaces } from '../../src/db/places'

/** The line before the model: whose turn it is, who waits, and who is sent away. Time passes when a test says so. */

const CONNECTED = new AbortController().signal

function makeLine(concurrency = 1) {
  const timers: { readonly ms: number; readonly signal: AbortSignal; expire(): void }[] = []
  const line = createWaitingLine({
    name: 'chat',
    places: createLocalPlaces(),
    concurrency,
    pause: (ms, signal) =>
      new Promise((resolve, reject) => {
        timers.push({ ms, signal, expire: resolve })
        signal.addEventListener('abort', () => reject(signal.reason))
        if (signal.aborted) reject(signal.reason)
      }),
  })
  const turns: string[] = []
  const leaves = new Map<string, () => void>()
  /** Lets a request of a payer in, which is called `name` in `turns`. */
  const enter = (name: string, signal = CONNECTED) =>
    line.enter(name.charAt(0), signal).then((leave) => {
      turns.push(name)
      leaves.set(name, leave)
    })
  const leave = async (name: string) => {
    leaves.get(name)?.()
    await settled()
  }
  return { line, timers, turns, enter, leave }
}

/** All that can happen without time passing has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a turn', () => {
  test('begins at once while there is room, and each payer has two', async () => {
    const { enter, turns, timers } = makeLine(3)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) void enter(name)
    await settled()
    expect([turns, timers.length]).toEqual([['a1', 'a2', 'b1'], 2])
  })

  test('is taken by payers in the order in which they came, however many requests one has', async () => {
    const { enter, leave, turns } = makeLine()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void enter(name)
    await settled()
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
      expect(turns.at(-1)).toBe(name)
      await leave(name)
    }
    expect(turns).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  test('is taken past a payer whose two requests still run', async () => {
    const { enter, leave, turns } = makeLine(3)
    for (const name of ['a1', 'a2', 'b1', 'a3', 'c1']) void enter(name)
    await settled()
    await leave('b1')
    expect(turns).toEqual(['a1', 'a2', 'b1', 'c1'])
    await leave('a1')
    expect(turns.at(-1)).toBe('a3')
  })

  test('ends once, however often it is ended', async () => {
    const { enter, leave, turns } = makeLine()
    for (const name of ['a1', 'a2', 'b1']) void enter(name)
    await settled()
    await leave('a1')
    await leave('a1')
    expect(turns).toEqual(['a1', 'a2'])
  })

  test('that began in time is not taken away when the time is over', async () => {
    const { enter, leave, turns, timers } = makeLine()
    void enter('a1')
    const second = enter('a2')
    await settled()
    await leave('a1')
    timers[0]?.expire()
    await second
    expect([turns, timers[0]?.signal.aborted]).toEqual([['a1', 'a2'], true])
  })
})

describe('a request that waits', () => {
  const busy = (detail: string) => ({
    code: 'unavailable',
    detail: expect.stringContaining(detail),
    headers: { 'Retry-After': '5' },
  })

  test('is sent away when the time is over, and those behind it move up', async () => {
    const { enter, leave, turns, timers } = makeLine()
    void enter('a1')
    const late = enter('b1')
    void enter('c1')
    await settled()
    expect(timers[0]?.ms).toBe(MAX_WAIT_MS)
    timers[0]?.expire()
    await expect(late).rejects.toMatchObject(busy('within 60 seconds'))
    await leave('a1')
    expect(turns).toEqual(['a1', 'c1'])
  })

  test('leaves the line when its caller disconnects, and its timer ends', async () => {
    const { enter, leave, turns, timers } = makeLine()
    const caller = new AbortController()
    void enter('a1')
    const left = enter('b1', caller.signal)
    void enter('b2')
    await settled()
    caller.abort()
    await expect(left).rejects.toMatchObject({ code: 'unavailable', detail: 'The caller disconnected.' })
    expect(timers.map(({ signal }) => signal.aborted)).toEqual([true, false])
    await leave('a1')
    expect(turns).toEqual(['a1', 'b2'])
  })

  test('whose caller disconnects in the moment of its turn leaves it to the next', async () => {
    const { enter, leave, turns } = makeLine()
    const caller = new AbortController()
    void enter('a1')
    const left = enter('b1', caller.signal)
    void enter('c1')
    await settled()
    const ending = leave('a1')
    caller.abort()
    await expect(left).rejects.toMatchObject({ code: 'unavailable' })
    await ending
    expect(turns).toEqual(['a1', 'c1'])
  })

  test('has a limited number of others of its payer before it, and none is refused for those of others', async () => {
    const { enter, turns, timers } = makeLine()
    for (let i = 0; i <= MAX_WAITING_EACH; i++) void enter(`a${i}`)
    await expect(enter('a9')).rejects.toMatchObject(busy('8 of your requests'))
    void enter('b1')
    await settled()
    expect([turns, timers.length]).toEqual([['a0'], MAX_WAITING_EACH + 1])
  })

  test('stands in a line of a limited length, which has room again when one leaves', async () => {
    const { line, timers } = makeLine()
    const leave = await line.enter('first', CONNECTED)
    const all = Array.from({ length: MAX_WAITING_TOGETHER }, (_, i) => line.enter(`payer ${i}`, CONNECTED))
    await expect(line.enter('one more', CONNECTED)).rejects.toMatchObject(busy('Too many requests'))
    leave()
    await all[0]
    void line.enter('one more', CONNECTED)
    await settled()
    expect(timers).toHaveLength(MAX_WAITING_TOGETHER + 1)
  })
})
