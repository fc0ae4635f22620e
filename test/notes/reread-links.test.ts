import { afterAll, describe, expect, test } from 'bun:test'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'

/** Notes of older versions, whose Markdown links and links to files were not kept, have them after a job. */

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)

let keys = 0
const job = world.jobs.find(({ name }) => name === 'read the links of older notes again')
const run = (signal = new AbortController().signal) => job?.run(signal)

const left = async () => (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM notes_to_reread', []))?.n
const stored = () =>
  Promise.all([
    world.db.all('SELECT * FROM note_links ORDER BY source, target_key', []),
    world.db.all('SELECT key, revision, links_out, links_unresolved, links_in FROM notes ORDER BY key', []),
  ])

/** Leaves of the links what an older version had stored, as the migration does. */
async function forget(): Promise<void> {
  await world.db.transaction(async (tx) => {
    await tx.run("DELETE FROM note_links WHERE target <> 'Old'", [])
    await tx.run(
      `UPDATE notes SET links_out = (SELECT count(*) FROM note_links WHERE source = key),
       links_unresolved = (SELECT count(*) FROM note_links WHERE source = key AND resolved IS NULL),
       links_in = (SELECT count(DISTINCT source) FROM note_links WHERE resolved = key)`,
      [],
    )
    await tx.run('INSERT INTO notes_to_reread SELECT key, workspace FROM notes WHERE deleted_at IS NULL', [])
  })
}

function someone() {
  const me = { key: makeKey(++keys) }
  const call = (method: string, path: string, body?: unknown) => world.call(me, method, `/api/notes${path}`, body)
  const note = async (title: string, body = ''): Promise<string> =>
    (await call('POST', '', { title, body, folder: 'Work' })).body.id
  return { call, note }
}

async function makeNotes() {
  const me = someone()
  const old = await me.note('Old')
  const plan = await me.note('Plan')
  const linking = await me.note('Linking', '[[Old]] [x](Plan.md) ![](x.png) [y](../Away/None.md)')
  for (let n = 0; n < 5; n++) await me.note(`Plain ${n}`, 'No links, but (brackets) and [x](https://example.org/).')
  await me.note('Also', '[x](Plan.md)')
  const trashed = await me.note('Trashed', '[x](Plan.md)')
  await me.call('DELETE', `/${trashed}`)
  return { ...me, old, plan, linking }
}

describe('the job', () => {
  test('gives older notes the links that they have when they are saved, under another ETag', async () => {
    const me = await makeNotes()
    const wanted = await stored()
    await forget()
    const before = await me.call('GET', `/${me.linking}`)
    expect(before.body.links).toEqual({ out: 1, unresolved: 0, in: 0 })
    await run()
    expect(await stored()).toEqual(wanted)
    expect(await left()).toBe(0)
    const after = await me.call('GET', `/${me.linking}`)
    expect(after.body.links).toEqual({ out: 4, unresolved: 2, in: 0 })
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    expect((await me.call('GET', `/${me.plan}/backlinks`)).body.items).toHaveLength(2)
    expect((await me.call('GET', `/${me.plan}`)).body.links.in).toBe(2)
  })

  test('leaves the ETag of notes alone whose links are stored', async () => {
    const me = await makeNotes()
    await forget()
    await run()
    const etags = () =>
      Promise.all([me.old, me.linking].map(async (id) => (await me.call('GET', `/${id}`)).headers.get('ETag')))
    const before = await etags()
    await world.db.run('INSERT INTO notes_to_reread SELECT key, workspace FROM notes', [])
    await run()
    expect([await etags(), await left()]).toEqual([before, 0])
  })

  test('goes on where it was stopped, and keeps what was saved in the meantime', async () => {
    const me = await makeNotes()
    const wanted = await stored()
    await forget()
    let runs = 0
    for (; (await left()) !== 0; runs++) {
      expect(runs).toBeLessThan(100)
      const stop = new AbortController()
      // Stops after the first note: the signal is asked once by the run and once before each note.
      let asked = 0
      const signal = Object.create(stop.signal, { aborted: { get: () => ++asked > 2 } }) as AbortSignal
      await run(signal)
    }
    expect(runs).toBeGreaterThan(5)
    expect(await stored()).toEqual(wanted)

    await forget()
    await me.call('PATCH', `/${me.linking}`, { body: '[x](Plan.md)' })
    await run()
    expect((await me.call('GET', `/${me.linking}`)).body.links).toEqual({ out: 1, unresolved: 0, in: 0 })
  })
})

describe('a file that came or went', () => {
  const ofMany = async (me: ReturnType<typeof someone>, count: number) => {
    const data = { body: '![[map.png]] [[None]]' }
    for (let at = 0; at < count; at += 100)
      await me.call('POST', '/batch', {
        ops: Array.from({ length: Math.min(100, count - at) }, () => ({ op: 'create', data })),
      })
  }
  const unresolved = async (me: ReturnType<typeof someone>) => {
    const counts: number[] = []
    for (let cursor = ''; ; ) {
      const { body } = await me.call('GET', `?limit=200${cursor}`)
      for (const { links } of body.items) counts.push(links.unresolved)
      if (body.next_cursor === null) return [...new Set(counts)]
      cursor = `&cursor=${body.next_cursor}`
    }
  }
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
})
