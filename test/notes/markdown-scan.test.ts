import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toCodePoints } from '../../src/lib/text'
import { scanHeadings, scanMarkdown } from '../../src/notes/markdown/scan-markdown.ts'
import { runs } from '../support/full'
import { markdown } from './markdown-arbitrary.ts'

const slices = (body: string, spans: readonly { start: number; end: number }[]) =>
  spans.map(({ start, end }) => body.slice(start, end))
const headings = (body: string) => scanMarkdown(body).headings.map(({ level, text }) => `${level} ${text}`)
const tags = (body: string) => scanMarkdown(body).tags.map(({ name }) => name)
const links = (body: string) => slices(body, scanMarkdown(body).links)
const comments = (body: string) => slices(body, scanMarkdown(body).comments)
const boxes = (body: string) => scanMarkdown(body).checkboxes.map(({ mark }) => body[mark])
const code = (body: string) => slices(body, scanMarkdown(body).code)

describe('headings', () => {
  test('carry line, offsets, and the ends of their own part and of their section', () => {
    const body = '# A\none\n## B\ntwo\n\nC\n===\nthree'
    const found = scanMarkdown(body).headings.map(({ line, start, end, bodyStart, ownEnd, sectionEnd, ...heading }) => [
      `${heading.level} ${heading.text}`,
      ...[line, start, end, bodyStart, ownEnd, sectionEnd],
    ])
    expect(found).toEqual([
      ['1 A', 1, 0, 3, 4, 8, 18],
      ['2 B', 3, 8, 12, 13, 18, 18],
      ['1 C', 6, 18, 23, 24, 29, 29],
    ])
  })

  test('in quotes and lists are nested: they end with these, and end no section outside', () => {
    const body = '## A\n> # Q\n> text\n\nafter\n- # I\n- x\n# B\n'
    const found = scanMarkdown(body).headings
    expect(found.map(({ text, nested }) => [text, nested])).toEqual([
      ['A', false],
      ['Q', true],
      ['I', true],
      ['B', false],
    ])
    expect(found.map(({ start, sectionEnd }) => body.slice(start, sectionEnd))).toEqual([
      '## A\n> # Q\n> text\n\nafter\n- # I\n- x\n',
      '# Q\n> text\n',
      '# I\n',
      '# B\n',
    ])
    expect(found[0]?.ownEnd).toBe(found[3]?.start as number)
  })

  test('give their text without markup', () => {
    expect(headings('# *a* **b** `c` [d](e "f") ![g](h) ~~i~~ snake_case &amp; \\* <b>j</b><!-- k --> %%l%%#')).toEqual(
      ['1 a b c d g i snake_case & * j #'],
    )
    expect(headings('# [[Trip]] [[Trip#Costs|the costs]] ![[Map]] #tag <http://x.y> ##')).toEqual([
      '1 Trip the costs Map #tag http://x.y',
    ])
    expect(headings('# [A] [b][a] [c][no]\n\n[a]: /x')).toEqual(['1 A b [c][no]'])
    expect(headings('two\n*lines\nhere*\n---')).toEqual(['2 two lines here'])
  })

  test('are none in code, comments, HTML blocks and front of a box', () => {
    const hidden = [
      '```\n# a\n```',
      '    # a',
      '<!--\n# a\n-->',
      '%%\n# a\n%%',
      '<pre>\n\n# a\n</pre>',
      '- [ ] # a',
      '#a',
    ]
    for (const body of hidden) expect(headings(body)).toEqual([])
  })

  test('begin behind a byte-order mark, and U+2028 ends no line', () => {
    expect(scanMarkdown('\ufeff# A\u2028# B').headings).toMatchObject([{ text: 'A # B', start: 1, line: 1 }])
    expect(scanMarkdown('\ufeffA\n=').headings).toMatchObject([{ text: 'A', start: 1 }])
  })

  test('are found behind any line end, and tabs indent to the next fourth column', () => {
    expect(headings('# a\r# b\r\n# c\n\t# d\n')).toEqual(['1 a', '1 b', '1 c'])
    expect(headings('-\t# a\n\n  \t# b')).toEqual(['1 a', '1 b'])
  })
})

describe('code', () => {
  test('spans close with as many ticks as they open, also over lines', () => {
    expect(code('a `b` ``c`d`` `e\nf` ```g \\`h')).toEqual(['`b`', '``c`d``', '`e\nf`'])
  })

  test('blocks reach from fence to fence, to the end of their container, or over indented lines', () => {
    expect(code('~~~js\na\n\n```\n~~~~\nb')).toEqual(['~~~js\na\n\n```\n~~~~'])
    expect(code('> ```\n> a\nb')).toEqual(['```\n> a'])
    expect(code('a\n\n    b\n\n    c\n\nd')).toEqual(['b\n\n    c'])
    expect(scanMarkdown('```\n').code[0]?.kind).toBe('fenced')
    expect(scanMarkdown('    a').code[0]?.kind).toBe('indented')
  })

  test('hides links, tags, comments and boxes', () => {
    const found = scanMarkdown('`[[a]] #b` \n\n```\n[[a]] #b %%c%% <!-- d -->\n- [ ] e\n```\n\n    - [ ] f [[g]]')
    expect(found).toMatchObject({ links: [], tags: [], comments: [], checkboxes: [] })
  })
})

describe('comments', () => {
  test('of HTML may stand in text or be a block', () => {
    expect(comments('a <!-- b\nc --> d <!--> e <!---> f')).toEqual(['<!-- b\nc -->', '<!-->', '<!--->'])
    expect(comments('<!-- a\n\n[[b]]\n--> [[c]]')).toEqual(['<!-- a\n\n[[b]]\n-->'])
    expect(links('<!-- a\n\n[[b]]\n--> [[c]]')).toEqual(['[[c]]'])
    expect(comments('a <!-- b\n\nc -->')).toEqual([])
  })

  test('of Obsidian end at the next mark; from within a line only inside the paragraph', () => {
    expect(comments('a %%b%% c')).toEqual(['%%b%%'])
    expect(comments('%%\na\n\n# b\n%% c')).toEqual(['%%\na\n\n# b\n%%'])
    expect(comments('a %% b\nc %% d')).toEqual(['%% b\nc %%'])
    expect(comments('a 100%% b\n\nc 50%% d')).toEqual([])
    expect(comments('%% a')).toEqual([])
    expect(comments('`%%` a `%%`')).toEqual([])
  })

  test('leave the text behind them in its place', () => {
    expect(tags('%%\n#a\n%% #b\n#c')).toEqual(['b', 'c'])
    expect(boxes('- [ ] %% a\n\n%%\n- [x] b')).toEqual([' ', 'x'])
  })
})

describe('wiki links', () => {
  test('give target, heading, alias and embed, and where the target stands', () => {
    const cases: [string, object][] = [
      ['[[Trip]]', { target: 'Trip', heading: null, alias: null, embed: false }],
      ['[[ Trip | the plan ]]', { target: 'Trip', alias: 'the plan' }],
      ['[[Trip#Costs]]', { target: 'Trip', heading: 'Costs' }],
      ['[[Trip#A#B|c|d]]', { target: 'Trip', heading: 'A#B', alias: 'c|d' }],
      ['[[#Costs]]', { target: '', heading: 'Costs' }],
      ['[[Work/Plans/Trip]]', { target: 'Work/Plans/Trip' }],
      ['![[Trip]]', { target: 'Trip', embed: true }],
      ['[[note:0198|New title]]', { target: 'note:0198', alias: 'New title' }],
      ['[[Trip\\|plan]]', { target: 'Trip', alias: 'plan' }],
    ]
    for (const [link, expected] of cases) {
      const body = `> a\n> 😀 ${link}.`
      const [found] = scanMarkdown(body).links
      expect(found).toMatchObject(expected)
      expect(body.slice(found?.start, found?.end)).toBe(link)
      expect(body.slice(found?.targetStart, found?.targetEnd)).toBe(found?.target ?? '?')
    }
  })

  test('stand on one line, name something and hold no brackets', () => {
    expect(links('[[]] [[ ]] [[|a]] [[#]] [[a\nb]] [[a]b]] [[a[b]] \\[[a]] [\\[a]]')).toEqual([])
    expect(links('[[[a]]] [b [[c]] d](e) # [[f]]')).toEqual(['[[a]]', '[[c]]', '[[f]]'])
    expect(links('<div>\n[[a]]\n</div>\n\n|a|\n|-|\n|[[b]]|')).toEqual(['[[a]]', '[[b]]'])
  })
})

describe('tags', () => {
  test('stand behind a start, white space or a bracket', () => {
    expect(tags('#a #b\t#c (#d) x#e ##f *#g* "#h"\n#i\n> #j\n- #k\n# #l').join(' ')).toBe('a b c d i j k l')
  })

  test('are letters, digits and signs of any script with one that is no digit', () => {
    const all = '#1 #1a #a/b #a/ #a//b #/a #2024/05 #über_2-x. #会議 #cafe\u0301 #x#y #- #'
    expect(tags(all).join(' ')).toBe('1a a/b a a 2024/05 über_2-x 会議 cafe\u0301 x -')
    expect(tags(`#${'a'.repeat(100)} #${'b'.repeat(101)}`)).toEqual(['a'.repeat(100)])
  })

  test('are none in links, addresses and HTML tags', () => {
    const none =
      '[a](#b) [see #c](d) ![see #e](f) [see #g][h] [[i|see #j]] https://x.y/(#k) <a b="c #l"> <https://x/#m>'
    expect(tags(none)).toEqual([])
    expect(tags('[a]: #b\n[c]: <d> "e #f"\n\n[g #h] (#i')).toEqual(['h', 'i'])
  })
})

describe('boxes', () => {
  test('are found in nested items and in quotes, with their mark', () => {
    const body = '- [ ] a\n  1. [x] b\n     * [X] c\n> - [ ] d\n> > + [x] e\n\n- - [ ] f\n- [x]'
    expect(boxes(body)).toEqual([' ', 'x', 'X', ' ', 'x', ' ', 'x'])
    for (const { mark, checked } of scanMarkdown(body).checkboxes) expect(checked).toBe(body[mark] !== ' ')
  })

  test('are none outside of items, without a space behind, or with another mark', () => {
    expect(boxes('[ ] a\n\n- a [ ]\n- [x](b)\n- [x]: c\n- [y] d\n- [] e\n-[ ] f\n-     [ ] g')).toEqual([])
  })
})

const anyBody = fc.oneof(markdown, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))

describe('for any body', () => {
  test('offsets are in range and in order, spans are disjoint, and slices spell what they say', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const found = scanMarkdown(body)
        const spans = [...found.code, ...found.comments, ...found.links, ...found.tags].sort(
          (a, b) => a.start - b.start,
        )
        let last = 0
        for (const { start, end } of spans) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          last = end
        }
        expect(last).toBeLessThanOrEqual(body.length)
        for (const { start, end, name } of found.tags) expect(body.slice(start, end)).toBe(`#${name}`)
        for (const { mark, checked } of found.checkboxes) {
          expect(body.slice(mark - 1, mark + 2)).toMatch(checked ? /^\[[xX]\]$/ : /^\[ \]$/)
        }
        for (const link of found.links) {
          expect(body.slice(link.start, link.end)).toMatch(
            link.embed ? /^!\[\[[^[\]\r\n]+\]\]$/ : /^\[\[[^[\]\r\n]+\]\]$/,
          )
          expect(body.slice(link.targetStart, link.targetEnd)).toBe(link.target)
        }
        for (const { start, end, from, destination, text, image } of found.markdownLinks) {
          expect(body.slice(from, from + destination.length)).toBe(destination)
          expect([start < from, from + destination.length <= end]).toEqual([true, true])
          expect(body.slice(start, end)).toMatch(image ? /^!\[/ : /^\[/)
          expect(body.charAt(end - 1)).toBe(text === null ? destination.slice(-1) : ')')
        }
      }),
      { numRuns: runs(3000) },
    )
  })

  test('headings and their sections lie in order, each within its parent', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        let last = 0
        for (const heading of scanMarkdown(body).headings) {
          const { start, end, bodyStart, ownEnd, sectionEnd, line } = heading
          const order = [last, start, end, bodyStart, ownEnd, sectionEnd, body.length]
          expect(order.toSorted((a, b) => a - b)).toEqual(order)
          expect(line).toBe(body.slice(0, start).split(/\r\n|[\r\n]/).length)
          expect(body.slice(end, bodyStart)).toMatch(/^(?:\r\n|\r|\n|)$/)
          expect(heading.text).not.toMatch(/[\r\n]/)
          last = end
        }
      }),
      { numRuns: runs(3000) },
    )
  })

  test('LF, CRLF and CR forms have the same structure, but for offsets', () => {
    const shape = (body: string) => {
      const { headings, code, comments, links, tags, checkboxes, references } = scanMarkdown(body)
      return {
        headings: headings.map(({ level, text, line, nested }) => [level, text, line, nested]),
        code: code.map(({ kind, start, end }) => [kind, body.slice(start, end).replace(/\r\n?/g, '\n')]),
        comments: slices(body, comments).map((text) => text.replace(/\r\n?/g, '\n')),
        links: links.map(({ target, heading, alias, embed }) => [target, heading, alias, embed]),
        tags: tags.map(({ name }) => name),
        checkboxes: checkboxes.map(({ checked }) => checked),
        references: [...references],
      }
    }
    fc.assert(
      fc.property(markdown, (body) => {
        expect(shape(body.replaceAll('\n', '\r\n'))).toEqual(shape(body))
        expect(shape(body.replaceAll('\n', '\r'))).toEqual(shape(body))
      }),
      { numRuns: runs(2000) },
    )
  })

  test('code point offsets equal a count of the code points before', () => {
    const cases = fc.tuple(fc.string({ unit: 'binary' }), fc.array(fc.nat()))
    fc.assert(
      fc.property(cases, ([body, picks]) => {
        const offsets = picks.map((pick) => pick % (body.length + 1))
        expect(toCodePoints(body, offsets)).toEqual(offsets.map((offset) => [...body.slice(0, offset)].length))
      }),
      { numRuns: runs(2000) },
    )
  })
})

test('the headings alone are those of the whole scan, whatever the body', () => {
  fc.assert(
    fc.property(markdown, (body) => {
      // Headings first: the whole scan would be remembered and told again.
      const headings = scanHeadings(body)
      expect(headings).toEqual(scanMarkdown(body).headings)
    }),
    { numRuns: runs(500) },
  )
})
