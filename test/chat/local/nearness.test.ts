import { afterAll, describe, expect, test } from 'bun:test'
import { rankByMeaning } from '../../../src/chat/local/nearness'
import { readQuestion } from '../../../src/chat/local/question'
import { rankSentences } from '../../../src/chat/local/quote'
import { createRemoteEncoder } from '../../../src/search/meaning/remote'
import { makeVectors } from '../../support/vectors'

/** A server of vectors with a direction for each subject. */
const vectors = makeVectors()
afterAll(vectors.stop)
const SUBJECTS = [/warranty|guaranteed/i, /serviced|looks after/i, /cellar|basement/i]
const vectorOf = (text: string) => SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0.01))
vectors.replies(({ input }) =>
  Response.json({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }),
)

const settings = { baseUrl: vectors.settings.SEMANTIC_BASE_URL, model: 'small-vectors', apiKey: null, totalMs: 5000 }
const log = { info() {}, warn() {}, error() {} }
const encoder = createRemoteEncoder(settings, { now: () => 0, log })
const note = (id: string, body: string, rank: number) => ({ id, title: id, revision: 1, body, rank })
const NOTES = [
  note('Boiler', 'The warranty ends in May. Mr. Haller serviced it. It stands in the cellar.', 0),
  note('Car', 'The guard of the car park is loud.', 1),
]

async function ask(question: string, near: readonly string[] = ['Boiler']) {
  const read = readQuestion(question)
  const ranked = rankSentences(read, { total: 2, containing: read.terms.map(() => 1) }, NOTES)
  const best = await rankByMeaning(encoder, question, ranked, near)
  return best?.map(({ note: { body }, start, end }) => body.slice(start, end))
}

describe('sentences that are compared by meaning', () => {
  test.each([
    ['Until when is it guaranteed?', 'The warranty ends in May.'],
    ['Who looks after it?', 'Mr. Haller serviced it.'],
    ['What is in the basement?', 'It stands in the cellar.'],
  ])('%s finds what has none of its words', async (question, sentence) => {
    expect((await ask(question))?.[0]).toBe(sentence)
  })

  test('words that answer surely come before what is near', async () => {
    expect((await ask('Is the guard of the car park loud, and who looks after it?'))?.[0]).toBe(
      'The guard of the car park is loud.',
    )
  })

  test('at most three sentences by words, and four of each note that is near, are sent', async () => {
    const long = (id: string) => note(id, Array.from({ length: 9 }, (_, i) => `${id} warranty ${i} ends.`).join(' '), 0)
    const notes = ['Boiler', 'Car', 'Roof', 'Lamp', 'Desk', 'Bike'].map(long)
    const read = readQuestion('What about the warranty of the bike?')
    const ranked = rankSentences(read, { total: 6, containing: read.terms.map(() => 1) }, notes)
    vectors.asked.length = 0
    const near = ['Boiler', 'Car', 'Roof', 'Lamp']
    expect(await rankByMeaning(encoder, 'Is the bike guaranteed?', ranked, near)).toHaveLength(3 + 4 * 4)
    expect(vectors.asked.flatMap(({ input }) => input)).toHaveLength(1 + 3 + 4 * 4)
  })

  test('a server that fails leaves words alone', async () => {
    vectors.replies(() => new Response('no', { status: 500 }))
    expect(await ask('Who looks after it?')).toBeUndefined()
  })
})
