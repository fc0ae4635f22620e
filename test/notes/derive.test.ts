import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countWords, titleKey } from '../../src/lib/text.ts'
import { deriveMembers } from '../../src/notes/markdown/scan-markdown.ts'
import { runs } from '../support/full'
import { markdown } from './markdown-arbitrary.ts'

const title = (body: string) => deriveMembers(body, null).title
const excerpt = (body: string, given: string | null = null) => deriveMembers(body, given).excerpt

describe('the title', () => {
  test('is the first level-1 heading, wherever it stands', () => {
    expect(title('text\n\n## Two\n\n# *The* `one`\n\n# Other')).toBe('The one')
    expect(title('#\n\nTwo\nlines\n===')).toBe('Two lines')
  })

  test('else the first line that has text, without markup', () => {
    const cases: [string, string][] = [
      ['\n\n  - [ ] **call** [Ana](tel:1)\n- b', 'call Ana'],
      ['> quote\nmore', 'quote'],
      ['---\n\n<!-- a -->\n%% b %%\n![](c)\n\n## D', 'D'],
      ['```js\nlet a\n```', 'let a'],
      ['**over\nlines** x', 'over'],
      ['| a | b |\n|---|---|\n| c | d |', 'a b'],
      ['<div>\n<b>bold</b> text\n</div>', 'bold text'],
      ['a\u2028b\u0007c', 'a b c'],
    ]
    for (const [body, expected] of cases) expect(title(body)).toBe(expected)
  })

  test('is cut at 200 code points', () => {
    expect(title('😀'.repeat(201))).toBe('😀'.repeat(200))
    expect(title(`# ${'a'.repeat(199)} b`)).toBe('a'.repeat(199))
    expect(title('a '.repeat(40_000))).toBe('a '.repeat(100).trim())
  })

  test('is Untitled when there is no text, and the given one when there is one', () => {
    for (const body of ['', ' \n\t\r\n', '---', '<!-- a -->', '%%a%%', '[a]: b', '```\n```'])
      expect(title(body)).toBe('Untitled')
    expect(deriveMembers('# A', '  Kept ').title).toBe('  Kept ')
  })
})

describe('the excerpt', () => {
  test('is plain text in one line', () => {
    expect(excerpt('a *b*\n\n- [x] c\n  1. d\n\n> e\n\n```js\nf\n```\n\n    g\n<!-- h -->\n[[I|j]] [k](l)', 'T')).toBe(
      'a b c d e f g j k',
    )
    expect(
      excerpt('> [!tip]- Water *it*\n> ==well== [!x]\n\n> [!NOTE]\n\n$t_0$ [^1] a ^id\n\n$$\nb_1\n$$\n\n[^1]: c', 'T'),
    ).toBe('Water it well [!x] Note t_0 a b_1 c')
    for (const end of ['\n', '\r\n', '\r']) {
      expect(excerpt(['| a | b |', '|---|:-:|', '| c | d |'].join(end), 'T')).toBe('a b c d')
    }
  })

  test('leaves out a first heading equal to the title, and that alone', () => {
    expect(excerpt('# Trip\n\ntext')).toBe('text')
    expect(excerpt('# **TRIP**  x\n\ntext', 'trip x')).toBe('text')
    expect(excerpt('# Trip\n\ntext', 'Other')).toBe('Trip text')
    expect(excerpt('## A\n\n# Trip\n\ntext')).toBe('A Trip text')
    expect(excerpt('first line\n\nmore')).toBe('first line more')
    expect(excerpt(`# ${'a'.repeat(300)}\n\ntext`)).toBe('text')
  })

  test('is cut at 200 code points, behind a picture of any size too', () => {
    expect(excerpt('😀 '.repeat(500))).toBe('😀 '.repeat(100).trim())
    expect(excerpt(`![](data:image/png;base64,${'A'.repeat(100_000)}) text`)).toBe('text')
    expect(excerpt(`- ${'a'.repeat(150)}\n- ${'b'.repeat(150)}`)).toBe(`${'a'.repeat(150)} ${'b'.repeat(49)}`)
  })
})

test('words are runs of letters and digits, and every ideograph and kana', () => {
  const cases: [string, number][] = [
    ['', 0],
    ['one two-three 4th', 4],
    ["don't", 2],
    ['会議の議事録', 6],
    ['カメラ ｶﾒﾗ', 6],
    ['서울 도시', 2],
    ['cafe\u0301s naïve हिन्दी', 3],
    ['𠮷野 a𠮷b', 5],
    ['😀 — …', 0],
    ['𝒜𝒷 x', 2],
  ]
  for (const [text, words] of cases) expect([text, countWords(text)]).toEqual([text, words])
  expect(countWords('one two three', 4, 7)).toBe(1)
})

test('tags and link targets are distinct without regard to case, boxes are counted', () => {
  const body = '- [x] #Work #work #WORK/x\n- [ ] [[Trip]] [[ trip#a]] ![[TRIP|b]] [[#here]] [[Work/Trip]] #cafe\u0301'
  expect(deriveMembers(body, null)).toMatchObject({
    inline_tags: ['Work', 'WORK/x', 'café'],
    checklist: { total: 2, done: 1 },
  })
  const many = Array.from({ length: 1500 }, (_, index) => `#t${index}`)
  expect(deriveMembers(many.join(' '), null).inline_tags).toEqual(many.slice(0, 1000).map((tag) => tag.slice(1)))
})

describe('titles are compared', () => {
  test('as NFC, without regard to case, white space joined', () => {
    const equal: [string, string][] = [
      ['Trip', 'tRIP'],
      [' a \t\u00a0 b\n', 'A B'],
      ['Cafe\u0301', 'CAFÉ'],
      ['Straße', 'STRASSE'],
      ['ΟΔΟΣ', 'οδος'],
      ['ſ', 's'],
      ['K', 'k'],
    ]
    for (const [a, b] of equal) expect(titleKey(a)).toBe(titleKey(b))
    expect(titleKey('sınıf')).not.toBe(titleKey('sinif'))
    expect(titleKey('a b')).not.toBe(titleKey('ab'))
  })

  test('by a form that is its own form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => expect(titleKey(titleKey(text))).toBe(titleKey(text))),
      { numRuns: runs(1000) },
    )
  })
})

test('one line of Markdown loses its markup, at the line and in it', () => {
  const cases: [string, string][] = [
    ['## A *b* ##', 'A b'],
    ['> - [x] see [[Trip|the plan]] and `code`', 'see the plan and code'],
    ['  1. deep ![[a.png|100x20]] ![[a|b]] [[c|1]] ![[d|]]', 'deep a.png b 1 d|'],
    ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
    ['***both*** ~~gone~~ **un*closed', 'both gone **un*closed'],
    ['`` a`b `` \\*c\\* &lt;d&gt; &#x1F600; &#0;', 'a`b *c* <d> 😀 \ufffd'],
    ['a<br>b <b>c</b> <https://d> <e@f.g>', 'a b c https://d e@f.g'],
    ['', ''],
  ]
  for (const [line, expected] of cases) expect(deriveMembers(line, 'title').excerpt).toBe(expected)
})

describe('for any body', () => {
  test('title and excerpt are one line of at most 200 code points, and the title is never empty', () => {
    fc.assert(
      fc.property(fc.oneof(markdown, fc.string({ unit: 'binary' })), (body) => {
        const derived = deriveMembers(body, null)
        for (const text of [derived.title, derived.excerpt]) {
          expect([...text].length).toBeLessThanOrEqual(200)
          expect(text).toBe(text.trim())
          expect(text).not.toMatch(/[\r\n\u2028\u2029]/)
        }
        expect(derived.title).not.toBe('')
        expect(derived.checklist.done).toBeLessThanOrEqual(derived.checklist.total)
      }),
      { numRuns: runs(1500) },
    )
  })

  test('LF, CRLF and CR forms give the same', () => {
    fc.assert(
      fc.property(markdown, (body) => {
        const expected = deriveMembers(body, null)
        expect(deriveMembers(body.replaceAll('\n', '\r\n'), null)).toEqual(expected)
        expect(deriveMembers(body.replaceAll('\n', '\r'), null)).toEqual(expected)
      }),
      { numRuns: runs(1000) },
    )
  })
})
