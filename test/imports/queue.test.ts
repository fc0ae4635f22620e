import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createLocalPlaces } from '../../src/db/places'
import { createImportQueue } from '../../src/imports/queue'
import { makeTimers } from './timers'

function open(places = 2) {
  const timers = makeTimers()
  const line = createImportQueue({
    name: 'imports',
    places: createLocalPlaces(),
    slots: places,
    timer: timers.timer,
    reason: 'Other imports are running',
  })
  const told: string[] = []
  const enter = (name: string, payer = name, patience: number | null = 30_000, signal?: AbortSignal) => {
    const place = line.enter([payer], patience, signal)
    place.then(
      () => told.push(name),
      ({ code, detail }) => told.push(`${name}: ${code} ${/place (\d+)/.exec(detail)?.[1] ?? ''}`),
    )
    return place
  }
  return { ...timers, enter, told }
}

describe('a line', () => {
  test('lets in as many as there are places, in the order in which they came', async () => {
    const { enter, told } = open()
    const [a] = ['a', 'b', 'c', 'd'].map((name) => enter(name))
    await setImmediate()
    expect(told).toEqual(['a', 'b'])
    ;(await a)?.()
    await setImmediate()
    expect(told).toEqual(['a', 'b', 'c'])
  })

  test('lets in one of a payer at a time, and passes over those who have to wait for it', async () => {
    const { enter, told } = open()
    const first = enter('a1', 'a')
    enter('a2', 'a')
    enter('b')
    await setImmediate()
    expect(told).toEqual(['a1', 'b'])
    const leave = await first
    leave()
    leave()
    await setImmediate()
    expect(told).toEqual(['a1', 'b', 'a2'])
  })

  test('refuses after so long, with the place; the others move up', async () => {
    const { enter, told, pass, waiting } = open(1)
    const a = enter('a')
    enter('b', 'b', 1000)
    enter('c', 'c', 1000)
    enter('d', 'd', 2000)
    await setImmediate()
    pass(999)
    await setImmediate()
    expect(told).toEqual(['a'])
    pass(1)
    await setImmediate()
    expect(told.slice(1)).toEqual(['b: unavailable 1', 'c: unavailable 1'])
    ;(await a)()
    await setImmediate()
    expect(told.at(-1)).toBe('d')
    // Nobody is left for whom a timer runs.
    expect(waiting()).toBe(0)
  })

  test('does not refuse who waits as long as it takes, and lets go of who hangs up', async () => {
    const { enter, told, pass } = open(1)
    const a = enter('a')
    const gone = new AbortController()
    enter('b', 'b', null, gone.signal)
    enter('c', 'c', null)
    await setImmediate()
    pass(1e9)
    gone.abort(Object.assign(new Error(), { code: 'gone', detail: '' }))
    ;(await a)()
    await setImmediate()
    expect(told).toEqual(['a', 'b: gone ', 'c'])
  })

  test('refuses the 21st of a payer at once, and nobody else for it', async () => {
    const { enter, told } = open(1)
    for (let i = 0; i < 22; i++) enter(`a${i}`, 'a')
    enter('b')
    await setImmediate()
    expect(told).toEqual(['a0', 'a21: unavailable 21'])
  })
})
