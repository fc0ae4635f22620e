import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../src/http/api-error'
import type { Calendar } from '../../src/search/dates'
import { fold } from '../../src/search/fold'
import { isBare, listPropertyNames, parseQuery, type Query } from '../../src/search/query'
import { runs } from '../support/full'

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const UTC: Calendar = { now: NOW, zone: 'UTC' }

/** A tree in one line: `&`, `|` and `!`, each with what they join in brackets. */
function written(query: Query): string {
  switch (query.kind) {
    case 'and':
    case 'or':
      return `${query.kind === 'and' ? '&' : '|'}(${query.parts.map(written).join(' ')})`
    case 'not':
      return `!${written(query.part)}`
    case 'text':
    case 'tag':
    case 'folder': {
      const field = query.kind === 'text' ? query.field : query.kind
      return `${field ? `${field}:` : ''}<${query.text}>${{ whole: '', prefix: '~', substring: '~~' }[query.match]}`
    }
    case 'is':
    case 'has':
      return `${query.kind}:${query.what}`
    case 'property':
      return `{${query.name} ${query.comparison} ${query.value}${{ whole: '', prefix: '~', substring: '~~' }[query.match]}}`
    default:
      return `${query.kind}:${[query.period.from, query.period.to].map((at) => (at === null ? '' : new Date(at).toISOString())).join('/')}`
  }
}

const read = (text: string, calendar = UTC) => written(parseQuery(text, calendar))
const PROPERTIES = new Set(['status', 'rating', 'due', 'straße-nr'].map(fold))
const readKnowing = (text: string) => written(parseQuery(text, UTC, (name) => PROPERTIES.has(name)))

describe('a query', () => {
  const trees: [text: string, tree: string][] = [
    ['a', '<a>'],
    ['  a  b ', '&(<a> <b>)'],
    ['a AND b', '&(<a> <b>)'],
    ['a OR b c', '|(<a> &(<b> <c>))'],
    ['(a OR b) c', '&(|(<a> <b>) <c>)'],
    ['a(b)c', '&(<a> <b> <c>)'],
    ['-a', '!<a>'],
    ['NOT a b', '&(!<a> <b>)'],
    ['-(a OR b)', '!|(<a> <b>)'],
    ['-"a b"', '!<a b>'],
    ['-tag:x', '!tag:<x>'],
    ['or and not', '&(<or> <and> <not>)'],
    ['ORACLE', '<ORACLE>'],
    ['"OR"', '<OR>'],
    ['"a OR (b"', '<a OR (b>'],
    ['wor*', '<wor>~'],
    ['*or*', '<or>~~'],
    ['*or', '<*or>'],
    ['*', '<*>'],
    ['**', '<**>'],
    ['***', '<***>'],
    ['10:30', '<10:30>'],
    ['http://x', '<http://x>'],
    ['C++', '<C++>'],
    ["don't", "<don't>"],
    ['a-b', '<a-b>'],
    ['a - b', '&(<a> <-> <b>)'],
    ['--help', '<--help>'],
    ['Title:x', '<Title:x>'],
    ['title:x', 'title:<x>'],
    ['body:"a b"', 'body:<a b>'],
    ['title:ab*', 'title:<ab>~'],
    ['tag:a/b', 'tag:<a/b>'],
    ['folder:"Work/My plans"', 'folder:<Work/My plans>'],
    ['is:pinned has:todo', '&(is:pinned has:todo)'],
    ['created:2026', 'created:2026-01-01T00:00:00.000Z/2027-01-01T00:00:00.000Z'],
    ['created:2026-12', 'created:2026-12-01T00:00:00.000Z/2027-01-01T00:00:00.000Z'],
    ['updated:2026-02-28', 'updated:2026-02-28T00:00:00.000Z/2026-03-01T00:00:00.000Z'],
    ['updated:2025-12..2026-01-15', 'updated:2025-12-01T00:00:00.000Z/2026-01-16T00:00:00.000Z'],
    ['updated:>=2026-02', 'updated:2026-02-01T00:00:00.000Z/'],
    ['updated:>2026-02', 'updated:2026-03-01T00:00:00.000Z/'],
    ['updated:<2026-02', 'updated:/2026-02-01T00:00:00.000Z'],
    ['updated:<=2026-02', 'updated:/2026-03-01T00:00:00.000Z'],
    ['updated:7d', 'updated:2026-02-23T12:00:00.000Z/'],
  ]
  test.each(trees)('%s is read as %s', (text, tree) => {
    expect(read(text)).toBe(tree)
  })

  const texts: [text: string, tree: string][] = [
    // Quotes and brackets without their other half.
    ['"open', '<open>'],
    ['a "b c', '&(<a> <b> <c>)'],
    ['5" x 3" pipe', '&(<5> <x> <3> <pipe>)'],
    ['title:"open', 'title:<open>'],
    ['"a" "b', '&(<a> <b>)'],
    ['a)', '<a>'],
    ['(a', '<a>'],
    ['b ((a)', '&(<b> <a>)'],
    ['a OR (b', '|(<a> <b>)'],
    ['-(a b', '&(<a> <b>)'],
    [':-(', '<:-(>'],
    ['  :) ', '<:)>'],
    // Quotes and brackets around nothing.
    ['""', '<"">'],
    ['()', '<()>'],
    ['f() "" (())', '<f>'],
    ['tag:(a)', '&(<tag:> <a>)'],
    ['tag:"" a', '&(<tag:> <a>)'],
    // Operators without anything to operate on.
    ['OR', '<OR>'],
    ['OR a', '&(<OR> <a>)'],
    ['a OR', '&(<a> <OR>)'],
    ['a OR OR b', '|(&(<a> <OR>) <b>)'],
    ['a AND', '&(<a> <AND>)'],
    ['(a OR) b', '&(<a> <OR> <b>)'],
    ['NOT', '<NOT>'],
    ['NOT NOT a', '&(<NOT> !<a>)'],
    ['a OR NOT', '&(<a> <OR> <NOT>)'],
    ['NOT ()', '<NOT>'],
    ['-OR', '!<OR>'],
    ['-', '<->'],
    ['is:', '<is:>'],
    ['what it is: a', '&(<what> <it> <is:> <a>)'],
    ['title: x', '&(<title:> <x>)'],
    // Other signs.
    ['**bold** C**', '&(<**bold**> <C**>)'],
    ['rating>=4 status:done', '&(<rating>=4> <status:done>)'],
    ['😀', '<😀>'],
    ['a\0b \ud800', '&(<a\ufffdb> <\ufffd>)'],
    ['SELECT * FROM t WHERE (a = "x");--', '&(<SELECT> <*> <FROM> <t> <WHERE> <a> <=> <x> <;-->)'],
    [Array(200).fill('a').join(' '), `&(${Array(200).fill('<a>').join(' ')})`],
    [`${'('.repeat(5000)}a${')'.repeat(5000)}`, '<a>'],
    ['('.repeat(16_000), `<${'('.repeat(16_000)}>`],
  ]
  test.each(texts)('%# that is text is read as text', (text, tree) => {
    expect(read(text)).toBe(tree)
  })

  const properties: [text: string, tree: string][] = [
    ['status:done', '{status = done}'],
    ['Status:"in progress" x', '&({status = in progress} <x>)'],
    ['-status:done', '!{status = done}'],
    ['rating>=4 rating<=5', '&({rating >= 4} {rating <= 5})'],
    ['rating:>3 due<2026-05-01', '&({rating > 3} {due < 2026-05-01})'],
    ['has:rating has:todo', '&({rating exists } has:todo)'],
    ['status:do*', '{status = do~}'],
    ['status:*on*', '{status = on~~}'],
    ['status:"do*"', '{status = do*}'],
    ['status:*', '{status = *}'],
    ['status:d*e', '{status = d*e}'],
    ['rating>4*', '{rating > 4*}'],
    ['straße-nr:7', '{strasse-nr = 7}'],
    // None of the workspace's names, or nothing behind it.
    ['state:done', '<state:done>'],
    ['status: done', '&(<status:> <done>)'],
    ['rating >= 4', '&(<rating> <>=> <4>)'],
    ['xstatus:done', '<xstatus:done>'],
    ['10:30', '<10:30>'],
  ]
  test.each(properties)('%s with properties is %s', (text, tree) => {
    expect(readKnowing(text)).toBe(tree)
  })

  test('tells which names it means if they are those of properties', () => {
    expect([
      ...listPropertyNames('Status:done (-rating>=4 OR due:<2026) has:Author title:x http://x 10:30 a b: is:foo'),
    ]).toEqual(['status', 'rating', 'due', 'http', 'author'])
  })

  const faults: [text: string, column: number][] = [
    ['', 1],
    ['   ', 1],
    ['is:foo', 1],
    ['x is:foo', 3],
    ['😀 (-is:foo', 4],
    ['x -has:Todo', 3],
    ['is:>pinned', 1],
    ['is:pin*', 1],
    ['has:rating', 1],
    ['created:2026-02-30', 1],
    ['created:2026-13', 1],
    ['created:2026-3', 1],
    ['created:26', 1],
    ['created:>', 1],
    ['created:>2026..2027', 1],
    ['created:2026..', 1],
    ['created:0d', 1],
    ['created:yesterday', 1],
    [Array(65).fill('-a').join(' '), 193],
    [`b "${'a'.repeat(600)}" "${'😀'.repeat(401)}"`, 606],
    ['a'.repeat(16_385), 16_385],
  ]
  test.each(faults)('%j is refused at column %d', (text, column) => {
    expect(() => parseQuery(text, UTC)).toThrow(ApiError)
    try {
      parseQuery(text, UTC)
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_query', extra: { column } })
    }
  })

  test('may have 16,384 code points, 64 operators of 1,000 code points, and as many levels', () => {
    expect(read('😀'.repeat(16_384))).toBe(`<${'😀'.repeat(16_384)}>`)
    expect(read(Array(64).fill('-a').join(' '))).toBe(`&(${Array(64).fill('!<a>').join(' ')})`)
    expect(read(`"${'😀'.repeat(1000)}" x`)).toBe(`&(<${'😀'.repeat(1000)}> <x>)`)
    expect(read(`x ${'(a OR (b '.repeat(31)}c${'))'.repeat(31)}`)).toBe(
      `&(<x> ${'|(<a> &(<b> '.repeat(31)}<c>${'))'.repeat(31)})`,
    )
  })

  test('of any text is a tree of at most 64 operators, or an error with a column inside it', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.constantFrom(
        '"',
        '(',
        ')',
        '-',
        '*',
        ':',
        ' ',
        'OR',
        'AND',
        'NOT',
        'title:',
        'is:',
        'is:pinned',
        'created:',
        '2026',
        '\0',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('')
        try {
          const query = parseQuery(text, UTC, (name) => name === 'x')
          const parts = query.kind === 'and' ? query.parts : [query]
          expect(parts.filter((part) => !isBare(part)).length).toBeLessThanOrEqual(64)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          expect(error.message).toMatch(/^(is|has|created): takes|^A query needs a word/)
          expect(error.extra.column).toBeWithin(1, Array.from(text).length + 2)
        }
      }),
      { numRuns: runs(2000) },
    )
  })

  test('that is any words without operators finds all of them', () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => /^[^\s()"*:-][^\s()"*:]*$/.test(text) && !/^(OR|AND|NOT)$/.test(text))
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 20 }), (words) => {
        expect(read(words.join(' '))).toBe(`&(${words.map((text) => `<${text}>`).join(' ')})`)
      }),
    )
  })
})

describe('dates', () => {
  const begins: [zone: string, day: string, instant: string][] = [
    ['UTC', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['Europe/Zurich', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Zurich', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
    // Midnight was skipped: the day began at one.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    // Midnight came twice: the day began with the first.
    ['America/Havana', '2025-11-02', '2025-11-02T04:00:00.000Z'],
    // The whole day was skipped.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ]
  test.each(begins)('in %s, %s begins at %s', (zone, day, instant) => {
    expect(read(`created:>=${day}`, { now: NOW, zone })).toBe(`created:${instant}/`)
  })

  test('each begin where the one before ends, in every zone and year', () => {
    const zones = ['Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'Pacific/Apia']
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 25_000 }), (zone, days) => {
        const [day, next] = [days, days + 1].map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10))
        const calendar = { now: NOW, zone }
        expect(read(`created:>${day}`, calendar)).toBe(read(`created:>=${next}`, calendar))
      }),
    )
  })
})
