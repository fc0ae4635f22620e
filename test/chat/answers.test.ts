import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatRequest } from '../../src/chat/schema'
import { cost } from '../support/cost'
import { ANSWERABLE, NOTES, UNANSWERABLE } from './questions'
import { asking, codePointsOf, comparable, makeCallers } from './support'

const { world, caller } = await makeCallers()
afterAll(world.close)
const me = await caller(NOTES)

describe('a small workspace', () => {
  test('one to three sentences are quoted in all 52 questions, the right note first, in at least 48 the answer', async () => {
    const missed: string[] = []
    let answered = 0
    for (const [question, title, answer] of ANSWERABLE) {
      const { citations } = await me.ask(question)
      const [first] = citations
      expect(citations.length).toBeLessThanOrEqual(3)
      expect(citations.map(({ n }) => n)).toEqual(citations.map((_, i) => i + 1))
      if (first?.title !== title) missed.push(question)
      else if (first.quote.includes(answer)) answered++
    }
    expect(ANSWERABLE).toHaveLength(52)
    expect(missed).toEqual([])
    expect(answered).toBeGreaterThanOrEqual(48)
  })

  test('none of 20 questions that nothing answers is answered', async () => {
    expect(UNANSWERABLE).toHaveLength(20)
    for (const question of UNANSWERABLE)
      expect([question, (await me.ask(question)).grounded]).toEqual([question, false])
  })

  test('the answer is the sentence, where it stands, and its mark', async () => {
    const answer = await me.ask('When does the boiler warranty end?')
    expect(answer.message.content).toBe('From "House": "The boiler warranty ends on 3 May 2027." [1]')
    expect(answer.grounded).toBe(true)
    const [citation] = answer.citations
    const body = NOTES[0]?.body ?? ''
    expect(citation).toMatchObject({ n: 1, type: 'note', title: 'House', revision: 1, cited: true })
    expect(citation?.url).toBe(`/api/notes/${citation?.id}`)
    expect(codePointsOf(body, citation?.start ?? 0, citation?.end ?? 0)).toBe('The boiler warranty ends on 3 May 2027.')
  })

  test('a heading that the sentence owes a word to is named', async () => {
    const own = await caller([{ title: 'House', body: '# House\n## Boiler\nWarranty until 3 May 2027.' }])
    const answer = await own.ask('Until when is the warranty of the boiler?')
    expect(answer.message.content).toBe('From "House", under "Boiler": "Warranty until 3 May 2027." [1]')
  })

  test('the same request gets the same answer', async () => {
    const again = async () => comparable(await me.ask('Who is our family doctor?'))
    expect(await again()).toEqual(await again())
  })

  test('a statement or some words are looked for like a question', async () => {
    expect((await me.ask('wifi password')).citations[0]?.quote).toBe('Wifi password: heron-lamp-42')
  })

  test('only the last user message is answered', async () => {
    const messages = [
      { role: 'user' as const, content: 'Where is the router?' },
      { role: 'assistant' as const, content: 'On the bookshelf.' },
      { role: 'user' as const, content: 'What is the code of the locker?' },
      { role: 'system' as const, content: 'Be brief.' },
    ]
    expect((await me.ask({ messages })).citations[0]?.quote).toBe('The locker code is 7314.')
  })
})

describe('a name that no note has', () => {
  const own = () =>
    caller([
      { title: 'Plumber', body: 'The plumber Okafor charges 60 euros. He came to Graz in May.' },
      { title: 'Will', body: 'Ask Will about the charges in Graz.' },
    ])

  test.each([
    ['What does the plumber Brandt charge?', 'Brandt'],
    ['What does the plumber charge in Vienna?', 'Vienna'],
    ['What did Miriam say the plumber Okafor charges?', 'Miriam'],
  ])('%s is not answered', async (question, name) => {
    const answer = await (await own()).ask(question)
    expect(answer.grounded).toBe(false)
    expect(answer.message.content).toContain(`Nothing that I may read mentions "${name}".`)
    expect(answer.citations[0]?.title).toBe('Plumber')
  })

  test.each([
    ['its other form', "What are Okafor's charges?"],
    ['a typo in it', 'What does the plumber Okaffor charge?'],
    ['no name: the first word', 'Plumbers charge what?'],
    ['no name: a headline', 'What Does The Plumber Charge For A Visit?'],
    ['no name: German', 'Was ist das Honorar, also die charges von Okafor?'],
    ['a beginning of it', 'What does the plumber Okafo charge?'],
  ])('%s does not matter', async (_, question) => {
    expect((await (await own()).ask(question)).message.content).not.toContain('mentions')
  })
})

describe('a written question', () => {
  const own = () =>
    caller([
      {
        title: 'FAQ',
        body: 'Q: When is the bin emptied?\nA: On Mondays.\n\nQ: Who has the key of the shed?\nA: Jonas next door.\n\nQ: Where do the ladders belong?\n\nThe shed is green.',
      },
      { title: 'Hof', body: 'Frage 1: Wer mäht den Rasen? Antwort: Die Nachbarin.' },
    ])

  test.each([
    ['When is the bin emptied?', 'A: On Mondays.'],
    ['Who has the key of the shed?', 'A: Jonas next door.'],
    ['Wer mäht den Rasen?', 'Antwort: Die Nachbarin.'],
  ])('%s is answered by its answer', async (question, quote) => {
    expect((await (await own()).ask(question)).citations[0]?.quote).toBe(quote)
  })

  test.each([
    ['without an answer stays a sentence', 'Where do the ladders belong?', 'Q: Where do the ladders belong?'],
    ['gives no words to what is no answer', 'Which colour is the shed?', 'The shed is green.'],
  ])('%s', async (_, question, quote) => {
    expect((await (await own()).ask(question)).citations[0]?.quote).toBe(quote)
  })
})

test('of sentences that are nearly equal, that of the note which the search has first is quoted', async () => {
  const filler = 'It has two locks. They were changed. The paint is grey.'
  const own = await caller([
    { title: 'One', body: `The key hangs in the hall beside the coats. ${filler} Mind the step of the cellar.` },
    { title: 'Two', body: `The key hangs in the hall. ${filler}` },
  ])
  expect((await own.ask('Where is the key of the cellar?')).citations[0]?.title).toBe('One')
})

describe('words that no note has', () => {
  test.each(['When does the flubbered boiler warranty end?', 'When does the boiler warranty end, quux?'])(
    '%s is answered by the others',
    async (question) => {
      const answer = await me.ask(question)
      expect(answer.citations[0]?.quote).toBe('The boiler warranty ends on 3 May 2027.')
      expect(answer.grounded).toBe(true)
    },
  )
})

describe('nothing to quote', () => {
  test('the nearest sentence is quoted as one that may not answer', async () => {
    const answer = await me.ask('Who won the football world cup for Portugal?')
    expect(answer.message.content).toBe(
      'I found nothing that surely answers this. The nearest, which may not answer it:\n' +
        'From "Trip to Lisbon": "adapters are not needed: Portugal uses the same plugs" [1]',
    )
    expect(answer.grounded).toBe(false)
    expect(answer.confidence).toBeLessThan(0.3)
  })

  test('what is found by a tag alone is not quoted, nor is anything without a shared word', async () => {
    const own = await caller([{ title: 'Oil', body: 'Changed in May.', tags: ['car'] }])
    for (const [question, said] of [
      ['car?', 'I found nothing about "car".'],
      ['It rains. How tall is "Emil", the cook of Rome?', 'I found nothing about "Emil, the cook of Rome".'],
      ['Wie groß ist Emil?', 'Ich habe nichts über "Emil" gefunden.'],
      ['Quelle est la taille de la girafe ?', `Je n'ai rien trouvé sur "taille de la girafe".`],
      ['¿Cuándo cierra la piscina?', 'No encontré nada sobre "cierra la piscina".'],
      [`Where is ${'x'.repeat(60)}?`, `I found nothing about "${'x'.repeat(60)}".`],
      [`Where is ${'x'.repeat(61)}?`, 'I found nothing about that.'],
    ] as const) {
      const answer = await own.ask(question)
      expect([question, answer.message.content]).toEqual([question, said])
      expect(answer).toMatchObject({ citations: [], grounded: false })
    }
  })

  test('an empty workspace is told how to begin', async () => {
    const answer = await (await caller()).ask('Hello!')
    expect(answer.message.content).toContain('There is nothing here yet')
    expect(answer.grounded).toBe(false)
  })

  test('a message of signs alone is not looked for', async () => {
    expect((await me.ask('?!')).message.content).toContain('no word')
  })
})

describe('scope', () => {
  const scoped = async (scopeOf: (home: string) => NonNullable<ChatRequest['scope']>) => {
    const own = await caller()
    const home = await own.add({ title: 'Home', body: 'The code of the door is 1111.', tags: ['home'] })
    const work = await own.add({ title: 'Work', body: 'The code of the door is 2222.', tags: ['work'] })
    const answer = await own.ask({ ...asking('What is the code of the door?'), scope: scopeOf(home) })
    return { ids: answer.citations.map(({ id }) => id), home, work, text: answer.message.content }
  }

  test('without one, everything may be quoted', async () => {
    const { ids, home, work } = await scoped(() => ({}))
    expect(new Set(ids)).toEqual(new Set([home, work]))
  })

  test('tags and ids narrow what is quoted', async () => {
    const byTag = await scoped(() => ({ tags: ['work'] }))
    expect(byTag.ids).toEqual([byTag.work])
    const byId = await scoped((home) => ({ ids: [home], types: ['note'] }))
    expect(byId.ids).toEqual([byId.home])
  })

  test('without notes among the types nothing is read', async () => {
    const { ids, text } = await scoped(() => ({ types: ['attachment'] as never }))
    expect(ids).toEqual([])
    expect(text).toContain('leaves out notes')
  })
})

describe('text of notes is data', () => {
  test('marks and images in a quotation are disarmed in the text, and exact in the citation', async () => {
    const quote = 'The secret [7] of the vault ![x](http://evil.example/?q=1) is here.'
    const own = await caller([{ title: 'Vault [9] ![y](http://evil.example)', body: quote }])
    const answer = await own.ask('secret of the vault?')
    expect(answer.message.content).toBe(
      'From "Vault (9) [image: y]": "The secret (7) of the vault [image: x] is here." [1]',
    )
    expect(answer.citations[0]?.quote).toBe(quote)
    expect(answer.grounded).toBe(true)
  })

  test('more than a megabyte of notes is read in part, with a warning', async () => {
    const body = `The lamp is green.\n\n${'Filler text without meaning.\n'.repeat(20_000)}`
    const own = await caller([
      { title: 'Long', body },
      { title: 'Other', body: body.slice(0, 500_000) },
    ])
    const answer = await own.ask('Which colour is the lamp, green?')
    expect(answer.warnings).toEqual(['notes_read_in_part'])
    expect(answer.citations[0]?.quote).toBe('The lamp is green.')
  })
})

const piece = fc.oneof(
  fc.constantFrom(
    ...['# head\n', '- item ', '> ', '| a | b |\n', '|--|--|\n', '```\n', '\n', '\r\n', '. ', '😀 ', 'é\u0301', '[1]'],
    '![x](y)',
  ),
  fc.constantFrom('boiler ', 'warranty ', 'Boilers. ', 'ends ', 'valve? ', '東京', 'Dr. '),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
)
const body = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('').replaceAll('\0', ''))
const title = body.map((text) => `T ${text}`.replace(/\s+/g, ' ').slice(0, 100).toWellFormed())

test('for every citation, the code points start..end of the body are the quote, and every mark has a citation', async () => {
  let cited = 0
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 3 }), title, async (bodies, title) => {
      const own = await caller()
      const notes = new Map<string, string>()
      for (const text of bodies) notes.set(await own.add({ title, body: text }), text)
      const answer = await own.ask('When does the boiler warranty end? 東京')
      for (const { id, quote, start, end } of answer.citations) {
        expect(codePointsOf(notes.get(id) ?? '', start, end)).toBe(quote)
        expect(quote.trim()).not.toBe('')
        cited++
      }
      const marks = Array.from(answer.message.content.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits))
      if (answer.citations.length > 0) expect(marks).toEqual(answer.citations.map(({ n }) => n))
      expect(answer.message.content).not.toContain('![')
    }),
    { numRuns: 40 },
  )
  expect(cited).toBeGreaterThan(20)
})

describe('hostile questions', () => {
  // NUL is refused before chat sees it.
  const storable = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((sign) => sign !== '\0')
  const HOSTILE = [
    '"',
    "'",
    'AND OR NOT',
    'title:x NEAR(a b, 5)',
    'a* ^b -c +d',
    '( ( (',
    '{}[]\\',
    '😀😀',
    '\u0001\u0007\u001b',
    "'; DROP TABLE notes; --",
    '﷽',
    '￿',
  ]

  test.each(HOSTILE)('%j is answered', async (question) => {
    expect((await me.ask(question)).done).toBe(true)
  })

  test('any text is answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: storable, minLength: 1, maxLength: 200 }), async (text) => {
        expect((await me.ask(`x${text}`)).message.content).not.toBe('')
      }),
    )
  })

  test('16 KiB take under 50 ms', async () => {
    for (const part of ['a', 'a ', '"', '東', '😀', 'when ', 'boiler warranty wifi ', "it's? "]) {
      const question = `x${part.repeat(Math.floor(16383 / Buffer.byteLength(part)))}`
      expect(await cost(50, () => me.ask(question))).toBeLessThan(50)
    }
  })
})
