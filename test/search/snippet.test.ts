import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readText } from '../../src/search/analyze'
import { LATIN, type Latin, stemOf } from '../../src/search/languages'
import { planQuery } from '../../src/search/plan'
import { parseQuery, type Query } from '../../src/search/query'
import { Snippets } from '../../src/search/snippet'
import { analyze } from '../support/analyze'
import { runs } from '../support/full'

const LANGUAGES = new Set<string>(LATIN)
const ENGLISH_GERMAN = new Set(['en', 'de'])

/** What is shown of the texts for a query, each range as the text in it. */
function shown(q: string, texts: { title?: string; tags?: string; body?: string }, languages = ENGLISH_GERMAN) {
  const query = parseQuery(q, { now: 0, zone: 'UTC' })
  const whole = { title: '', tags: '', body: '', ...texts }
  const snippets = new Snippets(query, seenOf(query, Object.values(whole), languages)).extract(whole)
  return snippets.map(({ field, text, ranges }) => {
    const characters = Array.from(text)
    return [field, ...ranges.map(([from, to]) => characters.slice(from, to).join(''))]
  })
}

/** The terms by which an index of these texts alone sees the words of a query. */
function seenOf(query: Query, [title = '', tags = '', body = '']: readonly string[], languages: ReadonlySet<string>) {
  const wanted = new Set(planQuery(query, languages).words.flatMap(({ terms }) => [...terms.keys()]))
  const { language } = analyze([title, tags, body])
  const seen = new Set([...wanted].filter((term) => term.startsWith('!')))
  for (const text of [title, tags, body])
    readText(text, ({ word, written, also }) => {
      if (wanted.has(word) || wanted.has(`~${stemOf(written, language)}`)) seen.add(word)
      for (const one of also) if (wanted.has(`+${one}`) || wanted.has(`~${stemOf(one, language)}`)) seen.add(`+${one}`)
    })
  return [...seen]
}

const inBody = (q: string, body: string) => shown(q, { body })[0]?.slice(1) ?? []

describe('a snippet of words that were looked for forgivingly', () => {
  const cases: [q: string, body: string, ranges: string[]][] = [
    ['batteries', 'The battery, two Batteries and a batter', ['battery', 'Batteries']],
    ['batteries', 'one battery', ['battery']],
    ['Haus', 'Das ist nicht der Weg zu den Häusern und Haus', ['Häusern', 'Haus']],
    ['книги', 'одна книга и книгу', ['книга', 'книгу']],
    ['e mail', 'my email, your e-mail, her E‑Mail and mail', ['email', 'e-mail', 'E‑Mail', 'mail']],
    ['email', 'an e-mail', ['e-mail']],
    ['email', 'mail or e mail', ['e mail']],
    ['evento', 'vento e vento, evento', ['evento']],
    ['user', 'call getUserName here, HTTPUsers', ['User', 'Users']],
    ['getusername', 'call getUserName', ['getUserName']],
    ['1.2', 'Version v1.2.3', ['1', '2']],
    ['会議', '明日の会議の議事録', ['会議']],
    ['議事録', '明日の会議の議事録', ['議事録']],
    ['c++', 'C or C++, no c+++', ['C', 'C++', 'c']],
    ['"c++" x', 'C or C++, no c+++, x', ['C++', 'x']],
    ['".net" x', 'net, asp.NET, .net and x', ['.NET', '.net', 'x']],
    ['.net', 'the .NET net of asp.net', ['.NET', 'net', '.net']],
    ['->', 'a -> b', ['->']],
    ['strasse', 'Die Straße', ['Straße']],
    ['fin', 'a ﬁn', ['ﬁn']],
    ['cafe', 'CAFE\u0301 cafe\u0301s', ['CAFE\u0301', 'cafe\u0301s']],
    ['"batteries" x', 'battery batteries x', ['batteries', 'x']],
    ['title:battery charge', 'battery charges', ['charges']],
    ['-battery charge', 'battery charges', ['charges']],
    // What was not found has no range.
    ['batteries', 'a batter in the e-battle', []],
    ['mail', 'gmail mailbox', []],
    ['議録', '議事録', []],
  ]
  test.each(cases)('%s in %s', (q, body, ranges) => {
    expect(inBody(q, body)).toEqual(ranges)
  })

  test('shows the word that a typo was taken for', () => {
    const query = parseQuery('batery', { now: 0, zone: 'UTC' })
    expect(new Snippets(query, ['battery']).extract({ title: 'Battery', tags: '', body: 'batery' })).toEqual([
      { field: 'title', text: 'Battery', ranges: [[0, 7]] },
    ])
  })

  test('shows each field that has something', () => {
    expect(shown('x y', { title: 'an x', tags: 'a\ny', body: `${'z '.repeat(5000)} X` })).toEqual([
      ['title', 'x'],
      ['tags', 'y'],
      ['body', 'X'],
    ])
  })

  const vocabulary = fc.constantFrom(
    ...[
      'battery',
      'Batteries',
      'batter',
      'charge',
      'charging',
      'getUserName',
      'users',
      'e-mail',
      'email',
      'mail',
      'v1',
      'C++',
    ],
    ...[
      'Häuser',
      'Haus',
      'der',
      'die',
      'und',
      'nicht',
      'the',
      'and',
      'книга',
      'книги',
      '会議の議事録',
      '議事',
      '->',
      'naïve',
      'ﬁn',
      '½',
    ],
  )
  const text = fc.array(vocabulary, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))

  test('has a range on every word that has one of the terms, and on nothing else', () => {
    fc.assert(
      fc.property(text, text, (q, body) => {
        const query = parseQuery(q, { now: 0, zone: 'UTC' })
        const { words, extras } = planQuery(query, LANGUAGES)
        const terms = new Set([...words, ...extras].flatMap((word) => [...word.terms.keys()]))
        const [snippet] = new Snippets(query, seenOf(query, ['', '', body], LANGUAGES)).extract({
          title: '',
          tags: '',
          body,
        })
        const { language } = analyze(['', '', body])
        const hasTerm = (one: string) => termsOf(one, language).some((term) => terms.has(term))
        // Ahead of it nothing was found.
        const piece = snippet?.text ?? body
        const characters = Array.from(piece)
        const covered = characters.map(() => false)
        for (const [from, to] of snippet?.ranges ?? []) {
          expect([body, characters.slice(from, to).join(''), hasTerm(characters.slice(from, to).join(''))]).toEqual([
            body,
            characters.slice(from, to).join(''),
            true,
          ])
          covered.fill(true, from, to)
        }
        let at = 0
        for (const word of piece.split(' ')) {
          const length = Array.from(word).length
          const isCovered = covered.slice(at, at + length).includes(true)
          expect([body, word, isCovered]).toEqual([body, word, hasTerm(word)])
          at += length + 1
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  test('of any text and query has ranges in it that ascend and are apart', () => {
    const any = fc.string({ unit: 'binary', maxLength: 60 }).map((value) => value.toWellFormed())
    fc.assert(
      fc.property(any, fc.nat(60), fc.nat(60), (body, a, b) => {
        const q = body
          .slice(Math.min(a, b), Math.max(a, b))
          .replace(/[-:<>=*]/g, ' ')
          .toWellFormed()
        if (q.trim() === '') return
        const query = parseQuery(q, { now: 0, zone: 'UTC' })
        const seen = seenOf(query, [body], LANGUAGES)
        for (const { text: piece, ranges } of new Snippets(query, seen).extract({ title: body, tags: '', body: '' })) {
          let before = 0
          for (const [from, to] of ranges) {
            expect(from).toBeGreaterThanOrEqual(before)
            expect(to).toBeGreaterThan(from)
            before = to
          }
          expect(before).toBeLessThanOrEqual(Array.from(piece).length)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})

/** What a piece of a text is found by, where the text is in a language. */
function termsOf(piece: string, language: Latin): string[] {
  const terms: string[] = []
  const stemmed = (word: string, stem: string) =>
    terms.push(word, ...(stem === word.replace(/^\+/, '') ? [] : [`~${stem}`]))
  readText(
    piece,
    ({ word, written, also }) => {
      stemmed(word, stemOf(written, language))
      for (const one of also) stemmed(`+${one}`, stemOf(one, language))
    },
    (extra) => terms.push(extra),
  )
  return terms
}
