import { afterAll, expect, test } from 'bun:test'
import { makeKey, makeWorld } from '../support/world'

const world = await makeWorld()
afterAll(world.close)

const ME = { key: makeKey(1) }
const DRAFTS = '/api/flashcards/drafts'
const TEXT = 'Q: Capital of Spain?\nA: Madrid\n\nhund :: dog\n\nRome is in {{c1::Italy}}.'
const draft = async (body: object) => world.call(ME, 'POST', DRAFTS, body)
const seq = async () => (await world.call(ME, 'GET', '/api/changes')).body.latest_seq

test('drafts of a text are valid items of a batch, tell what is there already, and store nothing', async () => {
  const before = await seq()
  const { body } = await draft({ text: TEXT })
  expect(body.drafts.map(({ pattern, line }: { pattern: string; line: number }) => [pattern, line])).toEqual([
    ['question', 1],
    ['term', 4],
    ['cloze', 6],
  ])
  expect(body.truncated).toBe(false)
  expect(await seq()).toBe(before)
  const deck = (await world.call(ME, 'POST', '/api/flashcards/decks', { name: 'D' })).body.id
  const items = body.drafts.map(({ fact }: { fact: object }) => ({ ...fact, deck_id: deck }))
  const made = (await world.call(ME, 'POST', '/api/flashcards/facts/batch', { items })).body.items
  expect(made.map(({ status }: { status: number }) => status)).toEqual([201, 201, 201])
  const again = (await draft({ text: TEXT })).body.drafts
  expect(again.map(({ duplicate_of }: { duplicate_of: string }) => duplicate_of)).toEqual(
    made.map(({ id }: { id: string }) => id),
  )
})

test('drafts of a note belong to it; the limit truncates', async () => {
  const note = (await world.call(ME, 'POST', '/api/notes', { title: 'T', body: TEXT })).body
  const { body } = await draft({ note_id: note.id, limit: 2 })
  expect([body.drafts.length, body.truncated]).toEqual([2, true])
  expect(body.drafts[0].fact).toMatchObject({ front: 'Capital of Spain?', note_ids: [note.id] })
  await world.call(ME, 'DELETE', `/api/notes/${note.id}`)
  expect((await draft({ note_id: note.id })).status).toBe(400)
})

test('a note of another, both or neither of note and text, and a text that is too long are refused', async () => {
  const foreign = (await world.call({ key: makeKey(2) }, 'POST', '/api/notes', { title: 'T' })).body.id
  const bodies = [{ note_id: foreign }, {}, { note_id: foreign, text: 'x' }, { text: 'x'.repeat(200_001) }]
  for (const body of [...bodies, { text: 'x', limit: 0 }, { text: 'x', limit: 201 }])
    expect((await draft(body)).status).toBe(400)
})
