/** The order in which writes wait, and what becomes of several to one resource. */
import { expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { createCopy } from '../../app/data/copy'
import type { Store } from '../../app/data/database'
import { createWriteQueue } from '../../app/data/write-queue'
import type { Write } from '../../app/data/writes'

/** A queue in memory, with these writes one after the other. */
async function queueOf(...writes: readonly Write[]) {
  const kept = { fault: signal(null), use: async () => null } as unknown as Store
  const copy = createCopy(
    kept,
    () => {},
    () => 0,
  )
  const queue = createWriteQueue({ kept, copy, now: () => 0, onTakenUp: () => {} })
  for (const write of writes) await queue.add([write], { isHeld: false })
  return queue
}

const notes = (text: string, before: string, if_revision: number): Write => ({
  type: 'task',
  op: { op: 'update', id: 'a', if_revision, data: { notes: text } },
  base: { notes: before },
})
const line = (id: string, date: string): Write => ({ type: 'day', op: { op: 'append', id, date, content: id } })
const makeNote = (id: string): Write => ({ type: 'note', op: { op: 'create', id, data: { body: id } } })

test('what is typed on a text that waits is one write with it, of the revision and the text that were seen first', async () => {
  // Meanwhile another device has made the second revision: only the first one says that.
  const queue = await queueOf(notes('Milk', '', 1), notes('Milk, eggs', 'Milk', 2))
  const op = { op: 'update', id: 'a', if_revision: 1, data: { notes: 'Milk, eggs' } }
  expect(queue.nextBatch()).toMatchObject([{ op, base: { notes: '' } }])
  expect(queue.waiting.peek()).toBe(1)
})

test('a text that was not made of the one that waits stays a write of its own', async () => {
  const queue = await queueOf(notes('Milk', '', 1), notes('Eggs', 'Tea', 2))
  expect(queue.nextBatch().map(({ op }) => 'if_revision' in op && op.if_revision)).toEqual([1, 2])
})

test('writes are sent in their order, one type, day and card after the other, and lines of days behind all texts', async () => {
  const day = '2026-03-02'
  const queue = await queueOf(
    line('l1', day),
    makeNote('n1'),
    notes('x', '', 1),
    makeNote('n2'),
    line('l2', '2026-03-03'),
    ...(['c1', 'c1', 'c2'] as const).map((id): Write => ({ type: 'card', op: { id, flag: 1 } })),
  )
  const batches: string[][] = []
  for (let batch = queue.nextBatch(); batch.length > 0; batch = queue.nextBatch()) {
    batches.push(batch.map(({ op }) => op.id))
    await queue.remove(batch)
  }
  expect(batches).toEqual([['n1'], ['a'], ['n2'], ['c1', 'c1'], ['c2'], ['l1'], ['l2']])
})
