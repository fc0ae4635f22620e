import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readQuestion } from '../../../src/chat/local/question'
import type { FoundNote } from '../../../src/chat/local/quote'
import { rankNotes } from '../../../src/chat/local/rank'
import { reader } from '../../../src/chat/local/words'

const note = (title: string, body: string): FoundNote => {
  return { id: title, title, revision: 1, body, word_count: body.split(' ').length }
}

/** Titles of the notes in the order for a question whose words all weigh 1, unless told. */
function ranked(question: string, notes: readonly FoundNote[], weights?: readonly number[]): string[] {
  const { terms } = readQuestion(question)
  return rankNotes(terms, weights ?? terms.map(() => 1), notes, reader()).map(({ title }) => title)
}

describe('of two notes, that one comes first', () => {
  test.each<[string, string, string[], string[]]>([
    ['which has more of the words', 'boiler valve', ['a', 'the boiler is old'], ['b', 'the boiler valve leaks']],
    ['which has the word more often', 'boiler', ['a', 'boiler and lamp here'], ['b', 'boilers and boiler here']],
    ['which is shorter', 'boiler', ['a', `boiler ${'and so on '.repeat(20)}`], ['b', 'boiler here']],
    ['whose title has the word', 'boiler', ['a', 'boiler here'], ['b boiler', 'lamp here']],
    ['which has it inside a clause', '東京', ['a', '京都に住む'], ['b', '私は東京に住む']],
    ['which has it before a particle', '보증', ['a', '보일러는 낡았다'], ['b', '새보증은 오월까지']],
  ])('%s', (_, question, [worse = '', text = ''], [better = '', more = '']) => {
    expect(ranked(question, [note(worse, text), note(better, more)])).toEqual([better, worse])
  })

  test('whose word weighs more', () => {
    const notes = [note('a', 'the boiler leaks'), note('b', 'the valve leaks')]
    expect(ranked('boiler valve', notes, [1, 2])).toEqual(['b', 'a'])
    expect(ranked('boiler valve', notes, [2, 1])).toEqual(['a', 'b'])
  })
})

test('equals stay in the order they came in, and no note is lost or made', () => {
  const words = fc.array(fc.constantFrom('boiler', 'valve', 'lamp', '東京'), { maxLength: 5 })
  fc.assert(
    fc.property(fc.array(words, { maxLength: 8 }), (texts) => {
      const notes = texts.map((text, i) => note(String(i), text.join(' ')))
      const titles = ranked('boiler valve', notes)
      expect(titles.toSorted()).toEqual(notes.map(({ title }) => title).toSorted())
      const empty = titles.filter((title) => !/boiler|valve/.test(texts[Number(title)]?.join(' ') ?? ''))
      expect(empty).toEqual(empty.toSorted())
    }),
  )
})

test('a reader of some keys finds the same as one of all: the head of a word is the head of its stem', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z]{1,9}$/),
    fc
      .tuple(fc.stringMatching(/^[a-z]{1,4}$/), fc.constantFrom('y', 'ies', 'ing', 'ed', 'eed', 's', 'ational', 'e'))
      .map(([a, b]) => a + b),
  )
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.array(word, { maxLength: 30 }), (asked, words) => {
      const { terms } = readQuestion(asked.join(' '))
      const text = [...words, ...asked].join(' ')
      const [all, some] = [reader()(text), reader(terms.map(({ key }) => key))(text)]
      for (const { key } of terms) {
        expect(some.stems.get(key)).toBe(all.stems.get(key))
        const begins = (stems: ReadonlyMap<string, number>) => [...stems].filter(([one]) => one.startsWith(key))
        expect(begins(some.stems)).toEqual(begins(all.stems))
      }
    }),
    { numRuns: 1000 },
  )
})
