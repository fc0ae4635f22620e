import { afterAll, describe, expect, test } from 'bun:test'
import { spent } from '../support/cost'
import { slowOnSqlite } from '../support/full'
import { makeNotesWorld, readerOf } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

/** A caller with a workspace of their own, and a way to make notes in it. */
function space() {
  const me = readerOf(world, world.stranger())
  const make = async (note: object): Promise<string> => (await me.call('POST', '', note)).body.id
  return { call: me.call, make, bodyOf: me.body, leadsTo: me.targets }
}

describe('renaming a folder', () => {
  test('rewrites the paths that lead into it, each linking note once, and leaves titles alone', async () => {
    const { call, make, bodyOf, leadsTo } = space()
    const trip = await make({ title: 'Trip', folder: 'Work' })
    const plan = await make({ title: 'Plan', folder: 'Work/Plans', body: '[[Work/Trip|back]] [[trip]]' })
    const from = await make({ body: '[[work/trip#Costs]] ![[Work/Plans/Plan]] [[Trip]] `[[Work/Trip]]`' })
    const aside = await make({ title: 'Aside', body: '[[Trip]]' })
    const moved = await call('POST', '/folders/rename', { from: 'Work', to: 'Old/Job' }, { 'Idempotency-Key': 'a' })
    expect([moved.status, moved.body, moved.headers.get('x-links-updated')]).toEqual([
      200,
      { notes_changed: 2, merged: false },
      '2',
    ])
    expect(await bodyOf(from)).toBe('[[Old/Job/Trip#Costs]] ![[Old/Job/Plans/Plan]] [[Trip]] `[[Work/Trip]]`')
    expect(await bodyOf(plan)).toBe('[[Old/Job/Trip|back]] [[trip]]')
    expect(await leadsTo(from)).toEqual([trip, plan, trip])
    expect(await leadsTo(plan)).toEqual([trip, trip])
    const revisions = await Promise.all([trip, plan, from, aside].map(async (id) => (await call('GET', `/${id}`)).body))
    expect(revisions.map(({ revision, folder }) => [revision, folder])).toEqual([
      [2, 'Old/Job'],
      [2, 'Old/Job/Plans'],
      [2, null],
      [1, null],
    ])
  })

  test('into its parent moves each note once, and spells links among them by the paths that they get', async () => {
    const { call, make, bodyOf } = space()
    const ids = [
      await make({ title: 'One', folder: 'A/B', body: '[[A/B/B/C/Three]] [[A/B/B/Two]]' }),
      await make({ title: 'Two', folder: 'A/B/B', body: '[[A/B/One]]' }),
      await make({ title: 'Three', folder: 'A/B/B/C', body: '[[A/B/B/Two]]' }),
    ]
    const moved = await call('POST', '/folders/rename', { from: 'A/B', to: 'A' })
    expect([moved.body.notes_changed, moved.headers.get('x-links-updated')]).toEqual([3, '3'])
    const notes = await Promise.all(ids.map(async (id) => (await call('GET', `/${id}`)).body))
    expect(notes.map(({ folder, revision }) => [folder, revision])).toEqual([
      ['A', 2],
      ['A/B', 2],
      ['A/B/C', 2],
    ])
    expect(await Promise.all(ids.map(bodyOf))).toEqual(['[[A/B/C/Three]] [[A/B/Two]]', '[[A/One]]', '[[A/B/Two]]'])
  })

  test('that merges with another keeps a link at its note, where its spelling would lead to the other', async () => {
    const { call, make, bodyOf, leadsTo } = space()
    await make({ title: 'Trip', folder: 'B' })
    const trip = await make({ title: 'Trip', folder: 'A' })
    const from = await make({ folder: 'A', body: '[[Trip]]' })
    await call('POST', '/folders/rename', { from: 'A', to: 'B' })
    expect(await bodyOf(from)).toBe(`[[note:${trip}|Trip]]`)
    expect(await leadsTo(from)).toEqual([trip])
  })

  // The time is that of SQLite: PostgreSQL is asked over a socket for each statement.
  slowOnSqlite(
    'of 2,000 notes that link to each other by path takes seconds, not minutes, of work, and every link leads where it led',
    async () => {
      const { call, leadsTo, make, bodyOf } = space()
      const ops = Array.from({ length: 2000 }, (_, i) => ({
        op: 'create',
        data: { title: `N${i}`, folder: 'A', body: `[[A/N${(i + 1) % 2000}]] [[N${i >> 1}]]` },
      }))
      for (let i = 0; i < ops.length; i += 100) await call('POST', '/batch', { ops: ops.slice(i, i + 100) })
      const index = await make({ body: ops.map((_, i) => `[[A/N${i}]]`).join('\n') })
      const before = await leadsTo(index)
      const { ms, value: moved } = await spent(() => call('POST', '/folders/rename', { from: 'A', to: 'B' }))
      expect([moved.body, moved.headers.get('x-links-updated')]).toEqual([
        { notes_changed: 2000, merged: false },
        '2001',
      ])
      expect(ms).toBeLessThan(6000)
      expect(await bodyOf(index)).toBe(ops.map((_, i) => `[[B/N${i}]]`).join('\n'))
      expect(await leadsTo(index)).toEqual(before)
      const [last] = (await call('GET', '?limit=1&include=body&sort=-created')).body.items
      expect(last).toMatchObject({ links: { out: 2000, unresolved: 0 }, revision: 2 })
    },
  )
})

test('a daily note that gets another title or folder takes its links along, and says how many', async () => {
  const { call, make, bodyOf } = space()
  const { body: day } = await call('PUT', '/daily/2026-03-01', { body: '' })
  const from = await make({ body: '[[2026-03-01|then]]' })
  const renamed = await call('PUT', '/daily/2026-03-01', { body: '', title: 'First of March' })
  expect([renamed.status, renamed.headers.get('x-links-updated')]).toEqual([200, '1'])
  expect(await bodyOf(from)).toBe('[[First of March|then]]')
  const moved = await call('PUT', '/daily/2026-03-01', { body: '', folder: 'Days' })
  expect([moved.headers.get('x-links-updated'), moved.body.links.in]).toEqual(['0', 1])
  expect(moved.body.id).toBe(day.id)
})

test('a batch rewrites links as PATCH does, and says how many notes in all', async () => {
  const { call, make, bodyOf } = space()
  const [a, b] = [await make({ title: 'A' }), await make({ title: 'B' })]
  const from = await make({ body: '[[A]] [[B]]' })
  const done = await call('POST', '/batch', {
    ops: [
      { op: 'update', id: a, data: { title: 'One' } },
      { op: 'update', id: b, data: { title: 'Two' } },
    ],
  })
  expect([done.status, done.headers.get('x-links-updated')]).toEqual([200, '2'])
  expect(await bodyOf(from)).toBe('[[One]] [[Two]]')
})

test('a restored revision takes the links to the note along, and is the content it was', async () => {
  const { call, make, bodyOf, leadsTo } = space()
  const body = 'I am [[Trip]], not [[Journey]]'
  const id = await make({ title: 'Trip', folder: 'A', body })
  const from = await make({ body: '[[A/Trip]] [[trip|it]]' })
  await call('PATCH', `/${id}?update_links=false`, { title: 'Journey', folder: 'B' })
  await call('PATCH', `/${from}`, { body: '[[B/Journey]] [[journey|it]]' })
  const restored = await call('POST', `/${id}/revisions/1/restore`)
  expect([restored.status, restored.headers.get('x-links-updated')]).toEqual([200, '1'])
  expect(restored.body).toMatchObject({ title: 'Trip', folder: 'A', body })
  expect(await bodyOf(from)).toBe('[[A/Trip]] [[Trip|it]]')
  expect(await leadsTo(from)).toEqual([id, id])
  expect((await call('GET', `/${id}`)).body.body).toBe(body)
})
