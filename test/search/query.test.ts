import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Calendar } from '../../src/search/dates'
import { parseQuery, type Query, QueryError } from '../../src/search/query'

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
    default:
      return `${query.kind}:${[query.period.from, query.period.to].map((at) => (at === null ? '' : new Date(at).toISOString())).join('/')}`
  }
}

const read = (text: string, calendar = UTC) => written(parseQuery(text, calendar))

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

  const faults: [text: string, column: number][] = [
    ['', 1],
    ['   ', 4],
    ['"open', 1],
    ['a "', 3],
    ['😀 "open', 3],
    ['""', 1],
    ['" "', 1],
    ['a)', 2],
    ['(a', 1],
    ['b ((a)', 3],
    ['()', 2],
    ['OR a', 1],
    ['a OR', 5],
    ['a OR OR b', 6],
    ['a AND', 6],
    ['NOT', 4],
    ['NOT NOT a', 5],
    ['-OR', 2],
    ['is:foo', 1],
    ['x is:foo', 3],
    ['x -has:Todo', 4],
    ['is:', 4],
    ['is:pin*', 1],
    ['title:', 7],
    ['title: x', 7],
    ['tag:(a)', 5],
    ['tag:""', 5],
    ['created:2026-02-30', 1],
    ['created:2026-13', 1],
    ['created:2026-3', 1],
    ['created:26', 1],
    ['created:>', 1],
    ['created:>2026..2027', 1],
    ['created:2026..', 1],
    ['created:0d', 1],
    ['created:yesterday', 1],
    ['a\0b', 2],
    ['😀\ud800', 2],
    [`${'(((((((('}(a`, 9],
    [Array(33).fill('a').join(' '), 65],
    ['a'.repeat(1001), 1001],
  ]
  test.each(faults)('%j is refused at column %d', (text, column) => {
    expect(() => parseQuery(text, UTC)).toThrow(QueryError)
    try {
      parseQuery(text, UTC)
    } catch (error) {
      expect(error).toMatchObject({ column })
    }
  })

  test('may have 1,000 code points, 32 parts and 8 levels', () => {
    expect(read('😀'.repeat(1000))).toBe(`<${'😀'.repeat(1000)}>`)
    expect(read(Array(32).fill('a').join(' '))).toBe(`&(${Array(32).fill('<a>').join(' ')})`)
    expect(read(`${'('.repeat(8)}a${')'.repeat(8)} ${'('.repeat(8)}b${')'.repeat(8)}`)).toBe('&(<a> <b>)')
  })

  test('of any text is a tree or an error with a column inside it or just behind', () => {
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
          expect(read(text)).toBeString()
        } catch (error) {
          if (!(error instanceof QueryError)) throw error
          expect(error.column).toBeWithin(1, Array.from(text).length + 2)
        }
      }),
      { numRuns: 2000 },
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
