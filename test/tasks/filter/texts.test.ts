import { afterAll, expect, test } from 'bun:test'
import { makeFinders } from '../../search/finders'

/** Texts of filters and `q` of lists of tasks: the words of the one search. */

const { world, stranger, task } = await makeFinders()
afterAll(world.close)

const me = stranger()
await task(me, { title: 'Pay the plumber', notes: 'Invoice 4711 is in the drawer.', labels: ['house'] })
await task(me, { title: 'Call Jiří', notes: 'about the invoices' })
await task(me, { title: 'Water plants', notes: '' })

async function titles(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await world.call(me, 'GET', `/api/tasks?${new URLSearchParams({ sort: 'title', ...query })}`)
  expect([query, status, body.detail]).toEqual([query, 200, undefined])
  return body.items.map(({ title }: { title: string }) => title)
}

test.each([
  ['invoice', ['Call Jiří', 'Pay the plumber']],
  ['INVOICE plumber', ['Pay the plumber']],
  ['plumber house', ['Pay the plumber']],
  ['jiri', ['Call Jiří']],
  ['plum', []],
  ['plum*', ['Pay the plumber']],
  ['plumber plants', []],
])('%s finds the tasks with all of its words', async (words, expected) => {
  expect(await titles({ q: words })).toEqual(expected)
  expect(await titles({ filter: `"${words}"` })).toEqual(expected)
  const others = ['Call Jiří', 'Pay the plumber', 'Water plants'].filter((title) => !expected.includes(title))
  expect(await titles({ filter: `!"${words}"` })).toEqual(others)
})

test('q takes the operators of the search', async () => {
  expect(await titles({ q: 'invoice -plumber' })).toEqual(['Call Jiří'])
  expect(await titles({ q: '"the plumber" OR plants' })).toEqual(['Pay the plumber', 'Water plants'])
  expect(await titles({ q: 'tag:house' })).toEqual(['Pay the plumber'])
})

test('a task is found as soon as it is written, and by its new text after a change', async () => {
  const { id } = await task(me, { title: 'Zebra' })
  expect(await titles({ q: 'zebra' })).toEqual(['Zebra'])
  await world.call(me, 'PATCH', `/api/tasks/${id}`, { title: 'Quagga' })
  expect([await titles({ q: 'zebra' }), await titles({ q: 'quagga' })]).toEqual([[], ['Quagga']])
  await world.call(me, 'DELETE', `/api/tasks/${id}`)
  expect(await titles({ q: 'quagga' })).toEqual([])
})

test.each([
  [{ q: 'quagga' }, '/q'],
  [{ filter: '"quagga"' }, '/filter'],
])('no text is searched in the trash: %j is refused', async (query, pointer) => {
  const path = `/api/tasks?${new URLSearchParams({ trashed: 'true', ...query })}`
  const { status, body } = await world.call(me, 'GET', path)
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
})
