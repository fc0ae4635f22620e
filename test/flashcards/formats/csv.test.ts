import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvHeader, csvLine, readCsv } from '../../../src/flashcards/formats/csv'
import type { ParsedFact } from '../../../src/flashcards/formats/parsed'
import { ApiError } from '../../../src/http/api-error'
import { readSource } from '../../../src/http/values'
import { readRows, writeRow } from '../../../src/lib/csv-rows'
import { FileFault } from '../../../src/lib/file-fault'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { anyFact, anyText, bytesOf, NAUGHTY } from '../arbitrary'

const shout = (html: string) => (html.includes('<!>') ? null : html.toUpperCase())
const read = (text: string, format: 'csv' | 'tsv' = 'csv') => [...readCsv(bytesOf(text), format, shout)]

/** What was read, without what is unset. */
function brief(text: string, format: 'csv' | 'tsv' = 'csv') {
  return read(text, format).flatMap((item) => {
    if (item.kind === 'fault') return [`${item.where} ${item.code}`]
    const { where, deck, external_modified_at } = item
    const { source, ...fact } = item.fact
    const { url, ...name } = source ?? {}
    const members = { ...fact, where, deck, external_modified_at, url, source: Object.values(name) }
    const told = (item.warnings ?? []).map(({ code }) => `${where} ${code}`)
    const set = Object.entries(members).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    )
    return [...told, Object.fromEntries(set)]
  })
}

const ROWS: [text: string, lines: string[]][] = [
  ['', []],
  ['a,b\r\nc,d\r\n', ['1: a|b', '2: c|d']],
  ['a,b\nc\rd', ['1: a|b', '2: c', '3: d']],
  ['"a,""b""\nc",d\ne', ['1: a,"b"\nc|d', '3: e']],
  ['"",x,"a"b"c"\n\n,', ['1: |x|ab"c"', '2: ', '3: |']],
  ['a"b, "c"', ['1: a"b| "c"']],
]

describe('records', () => {
  test.each(ROWS)('%j', (text, lines) => {
    expect([...readRows(text, ',')].map(({ line, cells }) => `${line}: ${cells.join('|')}`)).toEqual(lines)
  })

  test.each(['^', '\\', ']', '-', '|', '\t', '.', ' '])('divided by %j', (sign) => {
    expect([...readRows(`a${sign}"b${sign}"${sign}c`, sign)][0]?.cells).toEqual(['a', `b${sign}`, 'c'])
  })

  test('are read as they were written, whatever they hold', () => {
    const records = fc.array(fc.array(anyText, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
    fc.assert(
      fc.property(records, (rows) => {
        expect([...readRows(rows.map(writeRow).join(''), ',')].map(({ cells }) => cells)).toEqual(rows)
      }),
      { numRuns: runs(200) },
    )
  })
})

/** A basic fact of a line. */
const basic = (line: number, front: string, back: string, more: object = {}) => ({
  ...{ type: 'basic', front, back },
  ...more,
  where: `line ${line}`,
})

const TYPED = { type: 'typed', deck: ['A', 'B'], external_modified_at: 1_772_352_900_000 }
const cloze = (line: number, more: object) => ({ type: 'cloze', text: '{{c1::a}}', ...more, where: `line ${line}` })

const FILES: [name: string, text: string, items: unknown[], format?: 'csv' | 'tsv'][] = [
  ['plain order', 'f,b,x y::z\n\nf2,b2', [basic(1, 'f', 'b', { tags: ['x', 'y::z'] }), basic(3, 'f2', 'b2')]],
  ['tabs, and a byte order mark', '\ufefff\t"b\tc"', [basic(1, 'f', 'b\tc')], 'tsv'],
  ['more cells than there are columns', 'f,b,t,more,,', ['line 1 extra_cells', basic(1, 'f', 'b', { tags: ['t'] })]],
  [
    'a header',
    'Back, front ,type,deck,accepted,Source_ID,source_system,source_url,note_ids,external_modified_at\nb,f,typed,A::B,"x\ny",e,s,http://a, n  m,2026-03-01T08:15:00.000Z',
    [basic(2, 'f', 'b', { ...TYPED, accepted: ['x', 'y'], source: ['s', 'e'], url: 'http://a', note_ids: ['n', 'm'] })],
  ],
  [
    'a name that begins with a space',
    'front,back,source_system,source_id\nf,b,s," e"\ng,c,, \n',
    [basic(2, 'f', 'b', { source: ['s', ' e'] }), basic(3, 'g', 'c')],
  ],
  [
    'half a name, for the import to refuse',
    'front,back,source_system,source_id\ng,c,s,\nh,d,,i\n',
    [basic(2, 'g', 'c', { source: ['s', null] }), basic(3, 'h', 'd', { source: [null, 'i'] })],
  ],
  ['a header that is none', 'front,else\nf,b', [basic(1, 'front', 'else'), basic(2, 'f', 'b')]],
  ['clozes by their column', 'text,extra\n{{c1::a}},x', [cloze(2, { extra: 'x' })]],
  [
    'faults of a line',
    'front,back,type,external_modified_at\nf,b,odd,yesterday',
    ['line 2 invalid_instant', 'line 2 unknown_type', basic(2, 'f', 'b')],
  ],
  [
    'semicolons by the header',
    'front;back;deck\n"a, b";1,5;A\nc;d,;A',
    [basic(2, 'a, b', '1,5', { deck: ['A'] }), basic(3, 'c', 'd,', { deck: ['A'] })],
  ],
  ['semicolons beside commas of prose', 'Olá, mundo;Hello, world', [basic(1, 'Olá, mundo', 'Hello, world')]],
  ['semicolons that each line has', 'a;1,5\nb;2', [basic(1, 'a', '1,5'), basic(2, 'b', '2')]],
  ['tabs in a file named CSV', 'a, b\tc', [basic(1, 'a, b', 'c')]],
  ['no semicolons: commas that each line has', 'a;b,c\nd,e', [basic(1, 'a;b', 'c'), basic(2, 'd', 'e')]],
  ['no semicolons: those of prose', 'a; b,c; d', [basic(1, 'a; b', 'c; d')]],
  ['no semicolons: those in a header of commas', 'front,back\na;b,c;d', [basic(2, 'a;b', 'c;d')]],
  ['no semicolons: the separator is named', '#separator:Comma\na;b,c', [basic(2, 'a;b', 'c')]],
  [
    'Anki: separator, html, tags, deck',
    '#separator:Semicolon\n#html:true\n#tags:x y\n#deck:A::B\n#a comment\nf;b;z',
    [basic(6, 'F', 'B', { tags: ['z', 'x', 'y'], deck: ['A', 'B'] })],
    'tsv',
  ],
  ['Anki: html that cannot be read', '#html:true\nf,<!>\ng,h', ['line 2 invalid_html', basic(3, 'G', 'H')]],
  ['Anki: a separator as it is', '#separator:|\nf|b', [basic(2, 'f', 'b')]],
  [
    'Anki: columns by number',
    '#separator:tab\r\n#guid column:1\r\n#notetype column:2\r\n#deck column:3\r\n#tags column:6\r\ng1\tBasic (and reversed card)\tA::B\tf\tb\tx\tmore\r\ng2\tCloze\tA\t{{c1::a}}\tnote\t\t',
    [
      basic(6, 'f', 'b', { type: 'reversed', extra: 'more', tags: ['x'], deck: ['A', 'B'], source: ['anki', 'g1'] }),
      cloze(7, { extra: 'note', deck: ['A'], source: ['anki', 'g2'] }),
    ],
  ],
  [
    'Anki: columns by name',
    '#separator:Comma\n#columns:Note Type,Expression,Meaning,Audio,Tags\n#notetype column:1\nBasic (type in the answer),f,b,s,x',
    [basic(4, 'f', 'b', { type: 'typed', extra: 's', tags: ['x'] })],
  ],
  ['Anki: a note type for all', '#notetype:Cloze\n{{c1::a}},back extra', [cloze(2, { extra: 'back extra' })]],
]

describe('a file', () => {
  const files = FILES.map(([name, text, items, format = 'csv']) => [name, text, format, items] as const)
  test.each(files)('with %s', (_, text, format, items) => {
    expect(brief(text, format)).toEqual(items as never)
  })

  test('that is not UTF-8, or has a quote without end, is refused', () => {
    expect(() => [...readCsv(Uint8Array.of(0xff, 0x41), 'csv', shout)]).toThrow(ApiError)
    expect(() => read('a,"b\nc')).toThrow('The quote of line 1 never ends.')
  })

  test('of our own gives the same facts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyFact, anyDeck), { maxLength: 5 }), (facts) => {
        const text = csvHeader() + facts.map(([fact, deck]) => csvLine(fact, deck)).join('')
        const found = [...readCsv(bytesOf(text), 'csv', shout)] as ParsedFact[]
        expect(found.map(({ fact, deck }) => ({ ...fact, source: readSource(fact.source), deck }))).toEqual(
          facts.map(([{ external_modified_at: _, ...fact }, deck]) => ({ ...fact, deck })) as never,
        )
      }),
      { numRuns: runs(150) },
    )
  })

  test('of any text is read or refused', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom('csv', 'tsv'), (text, format) => {
        try {
          read(text, format)
        } catch (error) {
          expect(error instanceof ApiError || error instanceof FileFault).toBe(true)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test.each(NAUGHTY)('with %j in every cell', (text) => {
    expect(read(`front,back,tags\n${writeRow([text, `x${text}`, text])}`).length).toBeGreaterThan(0)
  })

  test.each([',', '"",'])('of %j only has more cells in a line than are read', (unit) => {
    expect(() => read(unit.repeat(10_001))).toThrow('more than 10000 cells')
    expect(() => read(`front,back\n${unit.repeat(10_001)}`)).toThrow('Line 2 has more than 10000 cells')
    expect(() => read(`front,back\n${unit.repeat(9_999)}`)).not.toThrow()
  })

  test.each(['a\n', '\n', '\r', '#\n', '#\r', '#a:\r', '"a"b', 'a,b\r\n', '""""'])(
    'of %j only is read in time',
    async (unit) => {
      const text = unit.repeat(300_000 / unit.length)
      expect(await cost(1000, () => read(text).length)).toBeLessThan(1000)
    },
  )
})

const anyDeck = fc.array(fc.constantFrom('A', 'Ä b', '日本', '"q",'), { maxLength: 3 })
