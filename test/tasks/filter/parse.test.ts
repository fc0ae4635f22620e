import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as parser from '../../../src/tasks/filter/parse'
import { FilterError } from '../../../src/tasks/filter/syntax'
import { runs } from '../../support/full'
import { BROKEN, unmarked } from './broken'

/** A Monday at noon. */
const CONTEXT = { now: Date.UTC(2026, 2, 2, 12), time_zone: 'UTC', languages: ['en'], dateOrder: null } as const
const parseFilter = (text: string) => parser.parseFilter(text, CONTEXT)

function faultOf(text: string): FilterError {
  try {
    parseFilter(text)
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
  throw new Error(`${text} was read`)
}

const word = (text: string) => JSON.stringify(parseFilter(text))

describe('a broken filter', () => {
  test('the table has a hundred of them', () => {
    expect(BROKEN.length).toBeGreaterThanOrEqual(100)
  })

  test.each(BROKEN.map(([marked, code]) => [marked.slice(0, 60), marked, code] as const))(
    '%s is told where it breaks, and why',
    (_, marked, code) => {
      const { text, column, length } = unmarked(marked)
      const fault = faultOf(text)
      expect({ code: fault.code, column: fault.column, length: fault.length }).toEqual({ code, column, length })
      expect(fault.detail).toMatch(/^\S.*\S$/s)
    },
  )

  test('says what could stand there', () => {
    expect(faultOf('(today').expected).toEqual([')', '&', '|'])
    expect(faultOf('today today').expected).toEqual(['&', '|'])
    expect(faultOf('due today').expected).toEqual(['<', '<=', '=', '!=', '>=', '>'])
    expect(faultOf('priority<9').expected).toEqual(['0..4'])
    expect(faultOf('').expected).toEqual(expect.arrayContaining(['today', '#project', '"text"', 'due', '(', '!']))
    expect(faultOf('due<x').expected).toEqual(expect.arrayContaining(['YYYY-MM-DD', 'today', 'mon', '+7d']))
  })
})

describe('reading', () => {
  test('words stand for signs, and case makes no difference', () => {
    expect(word('today and not open or P1')).toBe(word('today&!open|p1'))
    expect(word('TODAY AND NOT(open) Or p1')).toBe(word('(today&!open)|p1'))
    expect(word('Due<FRI & Has:Notes')).toBe(word('due < fri & has:notes'))
  })

  test.each([
    ['no date & No Labels', 'undated & !has:label'],
    ['no priority', 'p0'],
    ['7 days', 'due >= today & due < +7d'],
    ['1 day | overdue', '(due >= today & due < +1d) | overdue'],
    ['due before: fri & created After: 2026-01-01', 'due < fri & created > 2026-01-01'],
    ['due on: tomorrow', 'due = tomorrow'],
  ])('%s, as Todoist writes it, is %s', (theirs, ours) => {
    expect(word(theirs)).toBe(word(ours))
  })

  test.each([['no one'], ['7 weeks'], ['days'], ['before: fri'], ['due before']])('%s is none of them', (text) => {
    expect(() => parseFilter(text)).toThrow(FilterError)
  })

  test('& binds closer than |, ! closest, and brackets go first', () => {
    expect(word('open | p1 & p2')).toBe(word('open | (p1 & p2)'))
    expect(word('!open & p1')).toBe(word('(!open) & p1'))
    expect(word('(open | p1) & p2')).not.toBe(word('open | p1 & p2'))
  })

  test('an operator in quotes, or behind a sign, is a name or text', () => {
    expect(parseFilter('@and')).toMatchObject({ kind: 'label', name: 'and' })
    expect(parseFilter('#"a | (b)"')).toEqual({ kind: 'project', name: 'a | (b)', column: 1, length: 10 })
    expect(parseFilter('"not"')).toEqual({ kind: 'text', text: 'not' })
  })

  test('a backslash takes its meaning from a quote and from another, and is itself before all else', () => {
    expect(parseFilter(String.raw`"a \"b\" \\ \n"`)).toEqual({ kind: 'text', text: String.raw`a "b" \ \n` })
  })

  test('a plus that a URL made a space of is still meant', () => {
    expect(word('due< 7d')).toBe(word('due<+7d'))
    expect(word('due<-7d')).not.toBe(word('due<+7d'))
  })

  test('limits are inclusive: 1,000 code points, 64 terms, 16 deep', () => {
    expect(parseFilter(`"${'😀'.repeat(998)}"`)).toMatchObject({ kind: 'text' })
    expect(parseFilter(`${'p1|'.repeat(63)}p1`)).toMatchObject({ kind: 'or' })
    expect(parseFilter(`${'('.repeat(16)}p1${')'.repeat(16)}`)).toMatchObject({ kind: 'number' })
    expect(parseFilter(`${'(p1)&'.repeat(63)}(p1)`)).toMatchObject({ kind: 'and' })
  })
})

describe('any text', () => {
  const token = fc.constantFrom(
    ...'today~open~due~priority~and~or~not~(~)~&~|~!~<~<=~=~!=~>~"~#~/~@~a~\\~ ~+7d~mon~2026-02-30'.split('~'),
    ..."2026-03-01~3~has:~notes~'~%~😀~\0".split('~'),
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
    fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join('')),
    fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(' ')),
  )

  test('is read, or refused at a column within it', () => {
    fc.assert(
      fc.property(text, (filter) => {
        try {
          parseFilter(filter)
        } catch (error) {
          if (!(error instanceof FilterError)) throw error
          const length = Array.from(filter).length
          expect(error.column).toBeGreaterThanOrEqual(1)
          expect(error.column).toBeLessThanOrEqual(length + 1)
          expect(error.column + error.length).toBeLessThanOrEqual(length + 1)
          expect(error.length === 0).toBe(error.column === length + 1)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})
