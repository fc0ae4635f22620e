import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../src/http/api-error'
import { LATIN } from '../../src/search/languages'
import { planQuery } from '../../src/search/plan'
import { parseQuery } from '../../src/search/query'
import { analyze } from '../support/analyze'
import { runs } from '../support/full'

const LANGUAGES = new Set<string>(LATIN)
const plan = (q: string) => planQuery(parseQuery(q, { now: 0, zone: 'UTC' }), LANGUAGES)

/** Whether a text has a term of each word, and all names, of a query that is nothing else. */
function finds(q: string, text: string): boolean {
  const { words, extras, condition } = plan(q)
  const names = extras.map(({ text }) => text).filter((term) => term.startsWith('='))
  const terms = [...analyze(['', '', text]).terms.keys()]
  const meets = ({ terms: own, text: start, isBeginning }: (typeof words)[number]) =>
    terms.some((term) => own.has(term) || (isBeginning && term.startsWith(start)))
  return condition === null && words.length > 0 && words.every(meets) && names.every((name) => terms.includes(name))
}

describe('the words of a query', () => {
  const found: [q: string, text: string][] = [
    ['e-mail', 'an email'],
    ['e mail', 'an email'],
    ['email', 'an e-mail'],
    ['e mail', 'an e-mail'],
    ['E-Mail', 'an e mail'],
    ['email', 'an e mail'],
    ['Emails', 'two E Mails'],
    ['email', 'e mail'],
    ['ebooks', 'an e book'],
    ['xray', 'the X ray'],
    ['tshirt', 'T shirts'],
    ['1.2', 'v1.2.3'],
    ['v1.2.3', 'V1.2.3'],
    ['user name', 'getUserName()'],
    ['getusername', 'getUserName()'],
    ['batteries', 'a Battery'],
    ['battery', 'two batteries'],
    ['C++', 'in C++.'],
    ['c#', '(C#)'],
    ['.NET', 'the .net'],
    ['#1', 'issue #1'],
    ['会議', '明日の会議の議事録'],
    ['議事録', '明日の会議の議事録'],
    ['録', '明日の会議の議事録'],
    ['議', '明日の会議の議事録'],
    ['->', 'a->b'],
    [':-(', 'so sad :-('],
    ['😀', 'fun 😀!'],
    ['-> a', 'a'],
    ['Café', 'CAFE'],
  ]
  test.each(found)('%s finds %s', (q, text) => {
    expect(finds(q, text)).toBeTrue()
  })

  const missed: [q: string, text: string][] = [
    ['mail', 'gmail'],
    ['C++', 'C and c#'],
    // One letter and a word are rarely one word: a label, or a word of another language.
    ['band', 'plan b and c'],
    ['care', 'vitamin C are'],
    ['evento', 'acqua e vento'],
    ['there', "we don't here"],
    ['email', 'e, mail'],
    ['email', 'e  mail'],
    ['email', 'e\nmail'],
    ['email', 'e.mail'],
    ['email', 'the mail'],
    ['ebook', 'he book'],
    ['.NET', 'asp.net'],
    ['1.2', '1.3'],
    ['議録', '明日の会議の議事録'],
    ['->', 'a - b > c'],
    ['😀', '🤩'],
  ]
  test.each(missed)('%s does not find %s', (q, text) => {
    expect(finds(q, text)).toBeFalse()
  })

  test('are bare; all else is a condition', () => {
    const { words, extras, condition } = plan('batteries "Charge" tag:x .net -y')
    expect(words.map(({ text }) => text)).toEqual(['batteries', 'net'])
    expect(extras.map(({ text }) => text)).toEqual(['charge', '=.net'])
    expect(condition).toMatchObject({ kind: 'and', parts: [{ text: 'Charge' }, { kind: 'tag' }, { kind: 'not' }] })
    expect(plan('a OR b').words).toEqual([])
    expect(plan('"Charge"').condition).toMatchObject({ text: 'Charge', quoted: true })
  })

  test('in a script without spaces are every two characters, and no others', () => {
    const terms = plan('会議録').words.map((word) => [word.text, [...word.terms.keys()]])
    expect(terms).toEqual([
      ['会議', ['会議']],
      ['議録', ['議録']],
    ])
  })

  test('are the first 256 of very many', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `word${i}`)
    expect(plan(many.join(' ')).words.map(({ text }) => text)).toEqual(many.slice(0, 256))
  })

  test('are the same whatever their case and accents, and each has itself', () => {
    const letter = fc.constantFrom(...'abcdeilnorstuzäöéèñçøлдёй会議'.split(''))
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (all) => {
        const q = all.join(' ')
        const [lower, upper, plain] = [q.toLowerCase(), q.toUpperCase(), q.normalize('NFD')].map(plan)
        expect(upper).toEqual(lower as NonNullable<typeof lower>)
        expect(plain).toEqual(lower as NonNullable<typeof lower>)
        const bare = plan(q.normalize('NFD').replace(/[\u0300-\u036f]/g, ''))
        expect(bare.words.map(({ text }) => text)).toEqual(plan(q).words.map(({ text }) => text))
        for (const { text, terms } of bare.words) expect(terms.has(text)).toBeTrue()
      }),
      { numRuns: runs(1000) },
    )
  })

  test('of any string are at most 256, and no string makes it throw', () => {
    const any = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 200 }))
    fc.assert(
      fc.property(any, (q) => {
        try {
          const { words } = plan(q)
          expect(words.length).toBeLessThanOrEqual(256)
          for (const { text, terms } of words) expect([text !== '', terms.size > 0]).toEqual([true, true])
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
        }
      }),
      { numRuns: runs(1500) },
    )
  })
})
