import { afterAll, expect, test } from 'bun:test'
import { type Caller, makeFinders } from './finders'

const { world, stranger, ask, titles, note, task } = await makeFinders()
afterAll(world.close)

const QUESTION = 'harbour lantern meadow pigeon quarry saddle'
const FILLERS = 60

/** The two best finds are about turbines; of two that are equal by words alone, one is too, and the other is newer. */
async function workspace(write: (me: Caller, title: string, text: string) => Promise<unknown> = noteOf) {
  const me = stranger()
  for (let i = 0; i < FILLERS; i++) await write(me, `filler ${i}`, 'empty page')
  await write(me, 'first', 'harbour lantern meadow quarry turbine')
  await write(me, 'second', 'harbour lantern meadow turbine')
  await write(me, 'like', 'saddle turbine')
  await write(me, 'unlike', 'saddle marble')
  return me
}

const noteOf = (me: Caller, title: string, body: string) => note(me, { title, body })

for (const [what, question] of [
  ['a question', QUESTION],
  ['one with words that ask', `what is the ${QUESTION} of it?`],
  ['one with a word too many that occurs nowhere', `${QUESTION} zzyzx`],
] as const)
  test(`what is like the best finds stands before what is not: ${what}`, async () => {
    expect(await titles(await workspace(), question)).toEqual(['first', 'second', 'like', 'unlike'])
  })

test('what is like the best finds stands before what is not among tasks', async () => {
  const me = await workspace((me, title, notes) => task(me, { title, notes }))
  expect(await titles(me, QUESTION)).toEqual(['first', 'second', 'like', 'unlike'])
})

test('four words, words with others that only ask, and a word that is being typed are not judged by what is like them', async () => {
  const me = await workspace()
  const short = 'harbour lantern meadow saddle'
  const last = async (question: string, more = {}) => (await titles(me, question, more)).slice(-2)
  expect(await last(short)).toEqual(['unlike', 'like'])
  expect(await last(`how do I use the ${short}?`)).toEqual(['unlike', 'like'])
  expect(await last(QUESTION, { prefix: 'last' })).toEqual(['unlike', 'like'])
})

test('a question whose words all stand in the finds is ranked by them alone', async () => {
  const me = await workspace()
  for (const title of ['all, like', 'all, alike']) await noteOf(me, title, `${QUESTION} turbine`)
  await noteOf(me, 'all, unlike', `${QUESTION} marble`)
  expect(await titles(me, QUESTION, { strict: 'true' })).toEqual(['all, unlike', 'all, alike', 'all, like'])
})

test('nothing is learned of one find, or of two characters of a script without spaces', async () => {
  const alone = await workspace()
  const [{ id = '' } = {}] = (await ask(alone, 'title:second')).body.items
  await world.call(alone, 'PATCH', `/api/notes/${id}`, { body: 'harbour lantern meadow windmill' })
  for (let i = 0; i < 6; i++) await noteOf(alone, `other ${i}`, `harbour lantern meadow paper${i}`)
  expect((await titles(alone, QUESTION)).slice(-2)).toEqual(['unlike', 'like'])

  const paired = await workspace((me, title, text) => noteOf(me, title, text.replace('turbine', '風車')))
  expect(await titles(paired, QUESTION)).toEqual(['first', 'second', 'unlike', 'like'])
})

test('pages are pieces of one list, though the finds that were learned from are changed and others are written', async () => {
  const me = await workspace()
  const first = await ask(me, QUESTION, { limit: '2' })
  const named = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title)
  expect(named(first.body)).toEqual(['first', 'second'])
  for (const { id } of first.body.items) await world.call(me, 'PATCH', `/api/notes/${id}`, { body: 'harbour marble' })
  await noteOf(me, 'third', `${QUESTION} marble`)
  const second = await ask(me, QUESTION, { limit: '2', cursor: first.body.next_cursor })
  expect(named(second.body)).toEqual(['like', 'unlike'])
})

test('what another workspace writes changes nothing of an answer', async () => {
  const me = await workspace()
  const before = JSON.stringify((await ask(me, QUESTION)).body)
  const other = stranger()
  for (let i = 0; i < 10; i++) await noteOf(other, 'saddle', `${QUESTION} turbine marble`)
  expect(JSON.stringify((await ask(me, QUESTION)).body)).toBe(before)
})
