import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { draftFacts, findDrafts } from '../../../src/flashcards/drafting/drafting'
import { readFact } from '../../../src/flashcards/facts/fact'
import type { FactContent } from '../../../src/flashcards/facts/fact-schema'
import { findCodeSpans } from '../../../src/lib/markdown/lines'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { anyText, NAUGHTY } from '../arbitrary'

const basic = (front: string, back: string): FactContent => ({ type: 'basic', front, back })
const cloze = (text: string): FactContent => ({ type: 'cloze', text })
const drafted = (text: string) => draftFacts(text, 200).drafts

const ONE: [text: string, pattern: string, line: number, fact: FactContent][] = [
  ['Q: What?\nA: That', 'question', 1, basic('What?', 'That')],
  ['x\n\n- Q: What\n  more?\n\nA: That\nand this\n\nnot this', 'question', 3, basic('What\n  more?', 'That\nand this')],
  ['capital of Portugal :: Lisbon', 'term', 1, basic('capital of Portugal', 'Lisbon')],
  ['> - [x] a :: b :: c', 'term', 1, basic('a', 'b :: c')],
  ['## a :: b', 'term', 1, basic('a', 'b')],
  ['a `b :: c` d :: e', 'term', 1, basic('a `b :: c` d', 'e')],
  ['1. a ::: b', 'reversed_term', 1, { type: 'reversed', front: 'a', back: 'b' }],
  ['- the {{c1::a::h}} of {{c2::b}}', 'cloze', 1, cloze('the {{c1::a::h}} of {{c2::b}}')],
  ['the ==a== of ==b c==!', 'mark', 1, cloze('the {{c1::a}} of {{c2::b c}}!')],
  ['a == b and c==d==', 'mark', 1, cloze('a == b and c{{c1::d}}')],
  ['# What? ##\n\ntext\n\nmore\n# Other', 'heading', 1, basic('What?', 'text\n\nmore')],
  ['### **Why?**\n```\ncode\n```', 'heading', 1, basic('**Why?**', '```\ncode\n```')],
  ['x\n\nTerm\n: one\n: two', 'definition', 3, basic('Term', 'one\ntwo')],
  ['| a | b |\n|---|:-:|\n| c \\| d | `|` |', 'table', 3, basic('c | d', '`|`')],
  ['a | b\n-|-\nc | d\n\ne | f', 'table', 3, basic('c', 'd')],
  ['a | b\r\n-|-\r\nc | d', 'table', 3, basic('c', 'd')],
]

const MATHS: [text: string, drafts: [pattern: string, line: number, fact: FactContent][]][] = [
  ['the map $f :: A$ is', []],
  ['$a :: b$', []],
  ['\\(a ::: b\\)', []],
  ['$a ==b== c$', []],
  ['Euler\n$$\n: e^{i\\pi} = -1\n$$', []],
  ['$$\nQ: a\nA: b\n$$', []],
  ['$$\n# a?\nb\n$$', []],
  ['\\[\na | b\n-|-\nc | d\n\\]', []],
  ['$f :: A$ is :: a map', [['term', 1, basic('$f :: A$ is', 'a map')]]],
  ['the ==$a==b$== here', [['mark', 1, cloze('the {{c1::$a==b$}} here')]]],
  [
    'sum ::: $$\na\n\n:: b\n$$\nc :: d',
    [
      ['reversed_term', 1, { type: 'reversed', front: 'sum', back: '$$\na\n\n:: b\n$$' }],
      ['term', 6, basic('c', 'd')],
    ],
  ],
  [
    'Q: What?\r\nA: \\[\r\nx\r\n\r\nA: y\r\n\\]\r\nthat',
    [['question', 1, basic('What?', '\\[\nx\n\nA: y\n\\]\nthat')]],
  ],
  ['x\n# Why?\n$$\n# a?\n$$\n# b', [['heading', 2, basic('Why?', '$$\n# a?\n$$')]]],
  ['Norm\n: $$\nx\n$$\n: y', [['definition', 1, basic('Norm', '$$\nx\n$$\ny')]]],
  ['a | b\n-|-\n$|x|$ | $a|b$', [['table', 3, basic('$|x|$', '$a|b$')]]],
  ['> Q: $$\n> x\n> $$\n> A: y', [['question', 1, basic('$$\nx\n$$', 'y')]]],
  ['so $x^{ {{c1::2}} }$ is', [['cloze', 1, cloze('so $x^{ {{c1::2}} }$ is')]]],
  // No maths: prices, escaped dollars, code.
  ['it costs $5 :: not 6$', [['term', 1, basic('it costs $5', 'not 6$')]]],
  ['\\$a :: b\\$', [['term', 1, basic('\\$a', 'b\\$')]]],
  ['`$$`\na :: b\n`$$`', [['term', 2, basic('a', 'b')]]],
]

const NONE = [
  ...['', 'Q: What?', 'Q: What?\n\n\nA: That', 'Q:\nA: That', 'A: That', 'std::vector', 'a ::b', ':: b', 'a :: '],
  ...['`a :: b`', '```\na :: b\n==c==\n```', '~~~\n```\na :: b\n~~~~\n', '- x\n  ```\n  a :: b\n  ```'],
  ...['x\n\n    a :: b', '\ta :: b', '`{{c1::a}}`', '{{c1::a', '==', 'Heading\n=====', '== a ==', '====', '`==a==`'],
  ...['# What?', '# What?\n\n# Other\ntext', '# What\ntext', '#What?\ntext', ': meaning', 'Term\n\n: meaning'],
  ...['| a | b |\n|---|---|', '| a | b | c |\n|---|---|---|\n| d | e | f |'],
  '| a | b |\n|---|---|\n| c | |\n| | d |\n| e |',
  `${'a'.repeat(20_001)} :: b`,
]

describe('drafts', () => {
  test.each(ONE)('%j is a %s', (text, pattern, line, fact) => {
    expect(drafted(text)).toEqual([{ fact, pattern, line }] as never)
  })

  test.each(MATHS)('%j is not cut in maths', (text, drafts) => {
    expect(drafted(text)).toEqual(drafts.map(([pattern, line, fact]) => ({ fact, pattern, line })) as never)
  })

  test.each(NONE)('%j is none', (text) => {
    expect(drafted(text)).toEqual([])
  })

  test('of one list stay code where they are indented below an item, and text where they are items', () => {
    expect(drafted('- x\n\n    a :: b\n\ny\n\n    c :: d').map(({ line }) => line)).toEqual([3])
    expect(drafted('- x\n    - a :: b').map(({ line }) => line)).toEqual([2])
  })

  test('come in order of lines, each line in one, of the first pattern', () => {
    const text = [
      ...['# What is ==this==?', 'text', '', 'Q: ==a== :: b', 'A: c', '', '==d== :: e', '', '| f | g |', '|-|-|'],
      '| h | ==i== |',
    ].join('\n')
    expect(drafted(text).map(({ pattern, line }) => `${line} ${pattern}`)).toEqual([
      '1 mark',
      '4 question',
      '7 term',
      '11 mark',
    ])
  })

  test('under a heading leave out what feeds another', () => {
    expect(drafted('# What?\ntext\na :: b\nmore')).toEqual([
      { fact: basic('What?', 'text\nmore'), pattern: 'heading', line: 1 },
      { fact: basic('a', 'b'), pattern: 'term', line: 3 },
    ])
  })

  test('number at most fifty marks of a line', () => {
    const [draft] = drafted('==a== '.repeat(60))
    expect(draft?.fact.text?.match(/\{\{c\d+::a\}\}/g)).toHaveLength(50)
  })

  test('stop at the limit and say so', () => {
    const text = 'a :: b\n'.repeat(5)
    expect(draftFacts(text, 5)).toMatchObject({ truncated: false, drafts: { length: 5 } })
    expect(draftFacts(text, 4)).toMatchObject({ truncated: true, drafts: { length: 4 } })
  })

  test('are refused for more than 200,000 characters', () => {
    expect(() => draftFacts('👍'.repeat(200_001), 1)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(draftFacts('👍'.repeat(200_000), 1).drafts).toEqual([])
  })

  test('of any text are valid facts, of lines of their own', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const drafts = drafted(text)
        for (const { fact } of drafts) expect(() => readFact(fact)).not.toThrow()
        const places = drafts.map(({ line }) => line)
        expect(new Set(places).size).toBe(places.length)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }),
      { numRuns: runs(300) },
    )
  })

  test.each(NAUGHTY)('of %j on each side are made or not, without harm', (text) => {
    expect(() => drafted(`${text} :: ${text}\n==${text}==\n|${text}|${text}|`)).not.toThrow()
  })
})

describe('code spans', () => {
  const spans: [text: string, code: string[]][] = [
    ['a `b` c', ['`b`']],
    ['``a`b`` `c`', ['``a`b``', '`c`']],
    ['`a', []],
    ['`` a ` b', []],
    ['\\`a` b`', ['` b`']],
    ['`a\\` b`', ['`a\\`']],
    ['\\\\`a`', ['`a`']],
  ]
  test.each(spans)('%s', (text, code) => {
    expect(findCodeSpans(text).map(([start, end]) => text.slice(start, end))).toEqual(code)
  })
})

describe('drafting is linear', () => {
  const units = [
    ...['Q: a\n', 'Q: a\n\n', 'A: a\n', '# a?\n', '# a?\nb\n', '#', 'a\n: b\n', ': ', 'a|b\n-|-\n', '|a|b|\n'],
    ...['|-|-|\n', '|', '==a==', ' ==a', '==::==', '{{c1::a}}', '{{c1::', '`', '`a``b```c````d', '```\n', ' '],
    ...['> ', '\\', '\n', 'a :: b\n', '$a$ :: b\n', '$$ :: b\n', 'a :: $$\n$$', '$'],
  ]
  test.each(units)('over %j', async (unit) => {
    const text = `${unit.repeat(Math.floor(200_000 / unit.length))}\\\`a\n==b==\n${' '.repeat(9)}c?`
    expect(await cost(1000, () => findDrafts(text))).toBeLessThan(1000)
  })
})
