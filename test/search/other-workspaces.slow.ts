import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Caller, makeFinders } from './finders'
import { startModel } from './meaning/model'

/**
 * What a search answers is a function of the caller's own workspace and the query alone: results, their order, snippets,
 * counts and cursors. Otherwise the order of one's own notes reads out, piece by piece, what others have written.
 */

const model = startModel()
const { world, stranger, note, task, fact } = await makeFinders({
  SEMANTIC_BASE_URL: model.url,
  SEMANTIC_MODEL: 'words',
})

afterAll(model.stop)

async function embed(): Promise<void> {
  await world.jobs.find(({ name }) => name === 'make embeddings')?.run(new AbortController().signal)
}

const WORDS = ['boiler', 'boil', 'kitchen', 'paint', 'oil', 'cafe', '会議', '会議の議事録', 'C++']
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))
const tags = fc.subarray(['paint', 'oil', 'cafe'], { maxLength: 2 })
const thing = fc.record({
  type: fc.constantFrom('note', 'note', 'note', 'task', 'fact'),
  title: text,
  body: text,
  tags,
})
type Thing = typeof thing extends fc.Arbitrary<infer T> ? T : never

const leaf = fc
  .tuple(
    fc.constantFrom('', '', '', 'title:', 'body:', '-'),
    fc.constantFrom(...WORDS),
    fc.constantFrom('?', '?*', '*?*'),
  )
  .map(([before, word, form]) => before + form.replace('?', word))
const query = fc
  .array(leaf, { minLength: 1, maxLength: 4 })
  .chain((leaves) => fc.constantFrom(' ', ' OR ').map((between) => leaves.join(between)))

async function store(me: Caller, { type, title, body, tags }: Thing): Promise<string> {
  if (type === 'note') return `/api/notes/${(await note(me, { title, body, tags })).id}`
  if (type === 'task') return `/api/tasks/${(await task(me, { title, labels: tags })).id}`
  return `/api/flashcards/facts/${(await fact(me, { front: title, back: body, tags })).id}`
}

/** All pages of all that searches, as they came; and the answer of the chat, less the id of the run. */
async function answers(me: Caller, queries: readonly string[], stored: readonly string[]): Promise<string[]> {
  const seen: string[] = []
  for (const path of stored.filter((one) => one.startsWith('/api/notes')))
    seen.push(JSON.stringify((await world.call(me, 'GET', `${path}/related`)).body))
  async function pages(path: string, parameters: Record<string, string>): Promise<void> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = new URLSearchParams({ limit: '3', ...parameters, ...(cursor === '' ? {} : { cursor }) })
      const { status, body } = await world.call(me, 'GET', `${path}?${asked}`)
      expect([path, `${asked}`, status]).toEqual([path, `${asked}`, 200])
      seen.push(`${path} ${asked} ${JSON.stringify(body)}`)
      cursor = body.next_cursor
    }
  }
  for (const q of queries) {
    await pages('/api/notes/search', { q })
    await pages('/api/notes/search', { q, sort: '-updated' })
    await pages('/api/search', { q })
    const plain = q.replace(/[^\p{L}\p{N}+ ]/gu, '')
    await pages('/api/tasks', { filter: `"${plain}"` })
    await pages('/api/flashcards/facts', { q: `"${plain}"` })
    const said = await world.call(me, 'POST', '/api/chat', {
      messages: [{ role: 'user', content: `What about ${plain}?` }],
    })
    expect([plain, said.status]).toEqual([plain, 200])
    const { id: _, ...told } = said.body
    seen.push(`chat ${q} ${JSON.stringify(told)}`)
  }
  return seen
}

test('every answer is the same to the byte, whatever a second workspace writes, changes and erases', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(thing, { minLength: 4, maxLength: 8 }),
      fc.array(thing, { minLength: 1, maxLength: 12 }),
      fc.array(query, { minLength: 2, maxLength: 4 }),
      async (own, foreign, queries) => {
        const [me, other] = [stranger(), stranger()]
        const stored: string[] = []
        for (const one of own) stored.push(await store(me, one))
        await embed()
        const before = await answers(me, queries, stored)
        const paths: string[] = []
        for (const one of foreign) paths.push(await store(other, one))
        await embed()
        expect(await answers(me, queries, stored)).toEqual(before)
        for (const path of paths.filter((one) => one.startsWith('/api/notes')))
          expect((await world.call(other, 'PATCH', path, { title: 'boiler', body: 'paint '.repeat(40) })).status).toBe(
            200,
          )
        await embed()
        expect(await answers(me, queries, stored)).toEqual(before)
        for (const path of paths) expect((await world.call(other, 'DELETE', `${path}?permanent=true`)).status).toBe(204)
        expect(await answers(me, queries, stored)).toEqual(before)
      },
    ),
    { numRuns: 12 },
  )
})

test('hundreds of guesses at the text of another workspace learn nothing', async () => {
  const [me, victim] = [stranger(), stranger()]
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  const secret = 'qvjwxkzbhqfd'
  // Two notes whose order tells which of two pieces is rarer, if anything does: the pieces of all guesses beside the decoy's.
  const pieces = [...secret].flatMap((_, i) => letters.map((letter) => secret.slice(Math.max(0, i - 2), i) + letter))
  const guesses = pieces.filter((piece) => piece.length === 3)
  await note(me, { title: 'decoy', body: guesses.map((piece) => `${piece[2]}0${piece[0]}`).join(' ') })
  await note(me, { title: 'guess', body: guesses.join(' ') })

  async function orders(): Promise<string[]> {
    const seen: string[] = []
    for (const guess of guesses) {
      const q = `*${guess}* OR *${guess[2]}0${guess[0]}*`
      const { body } = await world.call(me, 'GET', `/api/notes/search?${new URLSearchParams({ q })}`)
      seen.push(`${q}: ${body.items.map(({ title }: { title: string }) => title)}`)
    }
    return seen
  }

  const before = await orders()
  expect(before.every((order) => order.includes('guess') && order.includes('decoy'))).toBeTrue()
  for (let n = 0; n < 30; n++) await note(victim, { title: `Safe ${n}`, body: `The password is ${secret}.` })
  expect(await orders()).toEqual(before)
})
