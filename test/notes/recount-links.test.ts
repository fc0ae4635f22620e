import { afterAll, describe, expect, test } from 'bun:test'
import { paged } from '../support/paged'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** The unresolved links of notes are counted again when a file that they link to comes or goes. */

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)

const job = world.jobs.find(({ name }) => name === 'count the unresolved links of notes again')
const run = (signal = new AbortController().signal) => job?.run(signal)

const left = async () => (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM notes_to_recount', []))?.n
function someone() {
  const me = stranger()
  const call = (method: string, path: string, body?: unknown) => world.call(me, method, `/api/notes${path}`, body)
  const note = async (title: string, body = ''): Promise<string> =>
    (await call('POST', '', { title, body, folder: 'Work' })).body.id
  return { call, note }
}

describe('a file that came or went', () => {
  const ofMany = async (me: ReturnType<typeof someone>, count: number) => {
    const data = { body: '![[map.png]] [[None]]' }
    for (let at = 0; at < count; at += 100)
      await me.call('POST', '/batch', {
        ops: Array.from({ length: Math.min(100, count - at) }, () => ({ op: 'create', data })),
      })
  }
  const unresolved = async (me: ReturnType<typeof someone>) => [
    ...new Set((await paged((to) => me.call('GET', to), '?limit=200')).map(({ links }) => links.unresolved)),
  ]
  const add = (me: ReturnType<typeof someone>) => me.call('POST', '/attachments?name=map.png', 'the map')

  test.each([1, 1000])('is counted at once in %d notes', async (count) => {
    const me = someone()
    await ofMany(me, count)
    const { body: file } = await add(me)
    expect([await unresolved(me), await left()]).toEqual([[1], 0])
    await me.call('DELETE', `/attachments/${file.id}`)
    expect([await unresolved(me), await left()]).toEqual([[2], 0])
  })

  test('is counted by the job in 1001 notes, whatever happens before', async () => {
    const me = someone()
    await ofMany(me, 1001)
    const { body: file } = await add(me)
    expect(await left()).toBe(1001)
    await run()
    expect([await unresolved(me), await left()]).toEqual([[1], 0])
    await me.call('DELETE', `/attachments/${file.id}`)
    await me.note('map.png')
    await me.note('None')
    // The counts are too low by now, but none is negative.
    expect(await unresolved(me)).toEqual([0])
    await run()
    expect([await unresolved(me), await left()]).toEqual([[0], 0])
  })

  test('is counted where the job was stopped before, and in what comes back from the trash', async () => {
    const me = someone()
    await ofMany(me, 1001)
    const gone = await me.call('GET', '?limit=1')
    await add(me)
    await me.call('DELETE', `/${gone.body.items[0].id}`)
    const stop = new AbortController()
    stop.abort()
    await run(stop.signal)
    expect(await left()).toBe(1001)
    await run()
    expect([await unresolved(me), await left()]).toEqual([[1], 0])
    await me.call('POST', `/${gone.body.items[0].id}/restore`)
    expect(await unresolved(me)).toEqual([1])
  })
})
