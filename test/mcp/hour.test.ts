import { afterAll, expect, test } from 'bun:test'
import { listeningWorld } from '../support/visitor'
import { makeKey } from '../support/world'
import { connectModern } from './connect'

/** The requests that an hour of work may take, listing included. */
const MAX_REQUESTS = 60

const key = makeKey(4711)
const world = await listeningWorld()
afterAll(() => world.close())

/** Returns how many requests of this hour are spent; asking counts as well. */
async function countSpent(): Promise<number> {
  const { headers } = await fetch(`${world.base}/api/usage`, { headers: { 'X-API-Key': key } })
  return Number(headers.get('X-RateLimit-Limit')) - Number(headers.get('X-RateLimit-Remaining'))
}

test('an hour of an agent that finds, reads, edits, plans, reviews and undoes takes few requests', async () => {
  const before = await countSpent()
  const questions: string[] = []
  const client = await connectModern(world.base, key, {
    answer: (message) => {
      questions.push(message)
      return { action: 'accept', content: {} }
    },
  })
  const { tools } = await client.list()
  expect(tools.length).toBe(16)
  const run = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.call(name, args)
    expect([name, result.isError ? result.content : []]).toEqual([name, []])
    return result.structuredContent
  }

  // Keeps what it was told.
  const house = await run('create_note', {
    title: 'House',
    body: '# House\n\n## Boiler\n\nWarranty until 3 May 2027.\n',
  })
  const garden = await run('create_note', { title: 'Garden', body: '# Garden\n\n## Spring\n\nSow beans.\n' })
  // Finds and reads.
  const { items } = await run('search', { query: 'boiler warranty' })
  expect(items[0].id).toBe(house.id)
  expect((await run('get_note', { id: house.id })).body).toContain('3 May 2027')
  // Edits in several places at once.
  const edits = [
    { op: 'append', heading: ['House', 'Boiler'], content: 'Serviced in March.' },
    { op: 'append', heading: ['House'], content: '\n## Roof\n\nTwo tiles are loose.\n' },
  ]
  await run('update_note', { id: house.id, edits })
  const edited = (await run('get_note', { id: house.id })).body
  expect(edited).toMatch(/Warranty until 3 May 2027\.\s+Serviced in March\.[\s\S]*## Roof\s+Two tiles are loose\./)
  // Plans a week from ten lines in one request.
  const lines = Array.from({ length: 10 }, (_, i) => `Task ${i + 1} tomorrow at ${10 + i}:00 @house`)
  const added = await run('create_task', { text: lines.join('\n') })
  expect(added.items).toHaveLength(10)
  const agenda = await run('agenda', { days: 7 })
  expect(JSON.stringify(agenda)).toContain('Task 10')
  for (const { id } of added.items.slice(0, 5)) await run('update_task', { id, done: true })
  // Makes cards and studies them: one request for each answer.
  const facts = Array.from({ length: 12 }, (_, i) => ({ front: `${i} times 7?`, back: String(i * 7) }))
  await run('create_cards', { deck: 'Sevens', cards: facts })
  let [card] = (await run('list_due_cards', { limit: 1 })).items
  let answered = 0
  for (; card && answered < 12; answered++) card = (await run('answer_card', { id: card.id, rating: 'easy' })).next
  expect(answered).toBe(12)
  // Reviews what happened, is asked before it removes something, and takes back what was wrong.
  expect((await run('list_changes')).items.length).toBeGreaterThan(5)
  const trashed = await run('trash_item', { type: 'note', id: garden.id })
  expect(questions).toHaveLength(1)
  await run('trash_item', { type: 'note', id: garden.id, restore: true })
  const wrong = await run('update_note', { id: garden.id, append: 'Nonsense.' })
  await run('undo', { ids: [wrong.undo_id] })
  expect((await run('get_note', { id: garden.id })).body).not.toContain('Nonsense')
  expect(trashed.status).toBe('done')

  expect((await countSpent()) - before - 1).toBeLessThanOrEqual(MAX_REQUESTS)
})
