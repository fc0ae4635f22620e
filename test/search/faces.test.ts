import { afterAll, describe, expect, test } from 'bun:test'
import { makeTools, ok } from '../tools/support'

/** What one search finds by each of its faces: the API, the tool of agents, lists and chat. */

const tools = await makeTools()
afterAll(tools.close)

/** Titles of which each shares words with others. */
const DOING = ['Call', 'Pay', 'Book', 'Repair', 'Clean', 'Order', 'Return', 'Measure']
const THINGS = ['the plumber', 'kitchen tap', 'train tickets', 'garden fence', 'C++ course (part 2)']
const TITLES = DOING.flatMap((verb) => THINGS.map((thing) => `${verb} ${thing}`))
const PROMPTS = ['capital', 'longest river', 'highest peak', 'currency', 'oldest city'].flatMap((what) =>
  ['Spain', 'France', 'Peru', 'Japan', 'Kenya', 'Chile', 'Norway', 'Italy', 'Greece', 'Ghana'].map(
    (where) => `What is the ${what} of ${where}?`,
  ),
)

const me = tools.caller()
for (const [i, title] of TITLES.entries()) {
  const due = { date: `2026-04-${String((i % 28) + 1).padStart(2, '0')}`, time: '09:30', time_zone: 'Europe/Lisbon' }
  await me.send('POST', '/api/tasks', { title, due, notes: `See ${TITLES[(i + 7) % TITLES.length]}` })
}
const deck = await me.send('POST', '/api/flashcards/decks', { name: 'Countries' })
for (const [i, front] of PROMPTS.entries())
  await me.send('POST', '/api/flashcards/facts', { deck_id: deck.id, type: 'basic', front, back: `Answer ${i}` })
for (let n = 0; n < 20; n++) {
  const body = `${TITLES.slice(2 * n, 2 * n + 3).join('. ')}. ${PROMPTS.slice(2 * n, 2 * n + 3).join(' ')}`
  await me.send('POST', '/api/notes', { title: `Log ${n}: calls, payments and countries`, body })
}

const search = (query: Record<string, string>) => me.send('GET', `/api/search?${new URLSearchParams(query)}`)
const byTool = async (args: object) => ok(await me.call('search', args)).result.items as Record<string, unknown>[]

/** How many texts are found first. */
async function countFirst(texts: readonly string[], first: (text: string) => Promise<unknown>): Promise<number> {
  let count = 0
  for (const text of texts) if ((await first(text)) === text) count++
  return count
}

describe('the exact title of a task is first in 40 of 40', () => {
  test.each([{}, { types: 'task' }, { prefix: 'last' }])('by the API: %j', async (more) => {
    expect(await countFirst(TITLES, async (q) => (await search({ q, ...more })).items[0]?.title)).toBe(40)
  })

  test.each([{}, { types: ['task'] }])('by the tool: %j', async (more) => {
    expect(await countFirst(TITLES, async (query) => (await byTool({ query, ...more }))[0]?.title)).toBe(40)
  })

  test('and in the list by q and by a text in a filter', async () => {
    for (const given of TITLES) {
      for (const query of [{ q: given }, { filter: `"${given}"` }]) {
        const { items } = await me.send('GET', `/api/tasks?${new URLSearchParams(query)}`)
        expect([given, items.some(({ title }: { title: string }) => title === given)]).toEqual([given, true])
      }
    }
  })

  test('and chat says when it is due', async () => {
    for (const [i, title] of TITLES.entries()) {
      const messages = [{ role: 'user', content: `When is ${title} due?` }]
      const { message, citations } = await me.send('POST', '/api/chat', { messages })
      const day = `2026-04-${String((i % 28) + 1).padStart(2, '0')}`
      expect([message.content, citations[0]?.title]).toEqual([expect.stringContaining(`due ${day} at 09:30`), title])
    }
  })
})

describe('the exact prompt of a card is first in 50 of 50', () => {
  test.each([{}, { types: 'fact' }])('by the API: %j', async (more) => {
    expect(await countFirst(PROMPTS, async (q) => (await search({ q, ...more })).items[0]?.title)).toBe(50)
  })

  test.each([{}, { types: ['fact'] }])('by the tool: %j', async (more) => {
    expect(await countFirst(PROMPTS, async (query) => (await byTool({ query, ...more }))[0]?.title)).toBe(50)
  })

  test('and in the lists by q', async () => {
    for (const list of ['cards', 'facts'])
      for (const q of PROMPTS) {
        const { items } = await me.send('GET', `/api/flashcards/${list}?${new URLSearchParams({ q })}`)
        expect([list, q, items.map((one: Record<string, string>) => one.prompt ?? one.front)]).toEqual([list, q, [q]])
      }
  })
})

describe('a hit says what its type has', () => {
  test('of the API', async () => {
    const [task] = (await search({ q: TITLES[0] ?? '' })).items
    const due = { date: '2026-04-01', time: '09:30', time_zone: 'Europe/Lisbon' }
    expect(task).toMatchObject({ type: 'task', title: TITLES[0], due, status: 'open', tags: [], words: 3 })
    const [fact] = (await search({ q: PROMPTS[0] ?? '' })).items
    const cards = [{ id: expect.any(String), state: 'new' }]
    expect(fact).toMatchObject({ type: 'fact', deck: { id: deck.id, name: 'Countries' }, cards })
    const [note] = (await search({ q: 'log payments' })).items
    expect(note).toMatchObject({ type: 'note', folder: null, excerpt: expect.any(String) })
  })

  test('of the tool', async () => {
    const [task] = await byTool({ query: TITLES[0] })
    const due = { due: '2026-04-01T09:30', time_zone: 'Europe/Lisbon' }
    expect(task).toMatchObject({ type: 'task', ...due, state: 'open' })
    const [fact] = await byTool({ query: PROMPTS[0] })
    expect(fact).toMatchObject({ type: 'fact', deck: 'Countries', state: 'new', preview: 'Answer 0' })
  })
})

test('notes are found alike by the search for notes and the one over everything', async () => {
  for (const q of ['kitchen tap', 'payments', 'log 7', '"the plumber"', 'title:log -body:peru']) {
    const everything = await search({ q, types: 'note' })
    const body = await me.send('GET', `/api/notes/search?${new URLSearchParams({ q })}`)
    expect(body).toEqual(everything)
    expect([q, body.items.length > 0]).toEqual([q, true])
  }
})

describe('an answer says truly how many of the words were found', () => {
  const other = tools.caller()
  const ask = (q: string) => other.send('GET', `/api/search?${new URLSearchParams({ q })}`)

  test('none is relaxed while anything has all words, even if it fills no page', async () => {
    await other.send('POST', '/api/notes', { title: 'Blue whale song', body: '' })
    await other.send('POST', '/api/tasks', { title: 'Paint the fence blue' })
    await other.send('POST', '/api/tasks', { title: 'Whale watching' })
    const { relaxed, items } = await ask('blue whale')
    const said = items.map(({ title, words }: { title: string; words: number }) => [title, words])
    expect([relaxed, said[0]]).toEqual(['none', ['Blue whale song', 2]])
    // What has fewer of them comes after.
    expect(said.map(([, words]: [string, number]) => words)).toEqual(
      said
        .map(([, n]: [string, number]) => n)
        .toSorted()
        .reverse(),
    )
  })

  test('some or any is, once nothing has them all', async () => {
    const { relaxed, items } = await ask('whale fence submarine')
    expect(['some', 'any']).toContain(relaxed)
    expect(items.map(({ words }: { words: number }) => words)).toEqual(items.map(() => 1))
  })
})
