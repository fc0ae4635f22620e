import { describe, expect, test } from 'bun:test'
import { renderHtml } from '../../src/notes/html/render'
import { elementsOf, textOf } from './html-tree'

const NOTES: Readonly<Record<string, string>> = {
  Trip: 'id-of-trip',
  'Work/Plan': 'id-of-plan',
  'Work/Plan 2.md': 'id-of-2',
  'note:7': 'id-7',
  '': 'id-of-this',
}
const render = (markdown: string) => renderHtml(markdown, (target) => NOTES[target] ?? null)
const wikiLinks = (markdown: string) =>
  elementsOf(render(markdown)).filter(({ attributes }) => attributes.class === 'wikilink')
const ids = (markdown: string) =>
  elementsOf(render(markdown))
    .filter(({ element }) => /^h[1-6]$/.test(element))
    .map(({ attributes }) => attributes.id)

describe('wiki links', () => {
  test.each([
    ['[[Trip]]', '<a class="wikilink" href="/api/notes/id-of-trip" data-note-id="id-of-trip">Trip</a>'],
    [
      '[[ Trip | the *plan* ]]',
      '<a class="wikilink" href="/api/notes/id-of-trip" data-note-id="id-of-trip">the *plan*</a>',
    ],
    ['[[Trip#Costs]]', '<a class="wikilink" href="/api/notes/id-of-trip" data-note-id="id-of-trip">Trip#Costs</a>'],
    ['[[Work/Plan]]', '<a class="wikilink" href="/api/notes/id-of-plan" data-note-id="id-of-plan">Work/Plan</a>'],
    ['[[note:7|x]]', '<a class="wikilink" href="/api/notes/id-7" data-note-id="id-7">x</a>'],
    ['![[Trip]]', '<a class="wikilink" href="/api/notes/id-of-trip" data-note-id="id-of-trip">Trip</a>'],
    ['[x](Trip.md "t")', '<a class="wikilink" data-target="Trip.md" title="t">x</a>'],
    ['[x](Work/Plan%202.md#a)', '<a class="wikilink" href="/api/notes/id-of-2" data-note-id="id-of-2">x</a>'],
    ['[x](https://y.z/Work/Plan%202.md)', '<a href="https://y.z/Work/Plan%202.md">x</a>'],
    ['[[#Costs]]', '<a class="wikilink" href="/api/notes/id-of-this" data-note-id="id-of-this">#Costs</a>'],
    ['[[Nowhere]]', '<a class="wikilink" data-target="Nowhere">Nowhere</a>'],
    [
      '[["><b>|AT&T &amp; <i>]]',
      '<a class="wikilink" data-target="&quot;&gt;&lt;b&gt;">AT&amp;T &amp;amp; &lt;i&gt;</a>',
    ],
  ])('%s', (markdown, html) => {
    expect(render(markdown)).toBe(`<p>${html}</p>\n`)
  })

  test('a heading of the note itself, when nobody says which note that is', () => {
    expect(renderHtml('[[#Costs]]', () => null)).toBe('<p><a class="wikilink" data-target="#Costs">#Costs</a></p>\n')
  })

  test('stand wherever text stands', () => {
    const markdown =
      '# a [[Trip]]\n\n> - **b [[Trip]]**\n\nc\n[[Trip]]\n=====\n\n| d | e |\n|---|---|\n| [[Trip|x]] | *[[Trip\\|y]]* |\n\nhttps://f.example/[[Trip]]'
    expect(wikiLinks(markdown)).toHaveLength(6)
    expect(elementsOf(render(markdown)).filter(({ element }) => element === 'td')).toHaveLength(2)
  })

  test('are left as they are in code, comments, addresses and titles', () => {
    const markdown =
      '`[[Trip]]` <!-- [[Trip]] --> [x](/[[Trip]]) [y](/z "[[Trip]]")\n\n    [[Trip]]\n\n```\n[[Trip]]\n```\n\n\\[[Trip]]'
    expect(wikiLinks(markdown)).toEqual([])
    expect(textOf(render(markdown)).match(/\[\[Trip\]\]/g)).toHaveLength(4)
    expect(elementsOf(render(markdown)).find(({ attributes }) => attributes.title)?.attributes.title).toBe('[[Trip]]')
  })

  test('make plain text of a link around them', () => {
    expect(elementsOf(render('[a [[Trip]] b](/c)')).map(({ element }) => element)).toEqual(['p', 'a'])
    expect(textOf(render('[a [[Trip]] b](/c)'))).toBe('[a Trip b](/c)\n')
  })

  test('are not forged by text, addresses or HTML', () => {
    const markdown =
      '[[Trip]] <wiki-0:0> wiki-1:0 [x](wiki-0:0) <a class="wikilink" data-note-id="n" data-target="t" href="/y">z</a>'
    expect(wikiLinks(markdown)).toHaveLength(1)
    expect(textOf(render(markdown))).toBe('Trip wiki-0:0 wiki-1:0 x z\n')
  })

  test('10,000 of them are all there', () => {
    expect(wikiLinks('[[Trip]] '.repeat(10_000))).toHaveLength(10_000)
  })
})

describe('headings', () => {
  test('have ids of their plain text that start with h-', () => {
    expect(ids('# Plan *B*: `x` &amp; [[Trip|the trip]]\n## Über 会議 №5 🎉\n### \n#### <b>a_b-c</b>')).toEqual([
      'h-plan-b-x-the-trip',
      'h-über-会議-5',
      'h-',
      'h-a_b-c',
    ])
  })

  test('of the same text are numbered, and never share an id', () => {
    expect(ids('# a\n# a-1\n# a\n# a\n# a-1\n# A')).toEqual(['h-a', 'h-a-1', 'h-a-2', 'h-a-3', 'h-a-1-1', 'h-a-4'])
  })

  test('written as HTML keep no other id', () => {
    expect(ids('<h2 id="location">a</h2>\n<h2 id="h-b">b</h2>')).toEqual([undefined, 'h-b'])
  })
})

describe('the form as a whole', () => {
  test('shows checkboxes that nobody can tick', () => {
    const boxes = elementsOf(render('- [ ] a\n- [x] b\n\n<input type="text"><input type="checkbox">')).filter(
      ({ element }) => element === 'input',
    )
    expect(boxes.map(({ attributes }) => Object.keys(attributes).sort())).toEqual([
      ['disabled', 'type'],
      ['checked', 'disabled', 'type'],
    ])
  })

  test('names the language of code, and aligns tables', () => {
    expect(render('```ts\nx < y\n```')).toBe('<pre dir="ltr"><code class="language-ts">x &lt; y\n</code></pre>\n')
    expect(render('| a |\n|:-:|\n| b |')).toContain('<td align="center">b</td>')
  })

  test("leaves out comments, HTML's and Obsidian's, over lines too", () => {
    expect(textOf(render('a <!-- b --> c %%d%% e\n\n%%\nf\n\ng\n%%\n\n<!--\nh\n-->\n\ni')).replace(/\s+/g, ' ')).toBe(
      'a c e i ',
    )
  })

  test('shows what a browser would not read as HTML, so that it swallows nothing', () => {
    expect(textOf(render('use <title> and <script>\n\nthen go on'))).toBe('use <title> and <script>\nthen go on\n')
    expect(textOf(render('<style>\np {}\n</style>\n\n*on*'))).toContain('on')
  })

  test('takes line ends of any kind', () => {
    const body = '# a [[Trip]]\n\nb\nc\n\n- d\n'
    expect(render(body.replaceAll('\n', '\r\n'))).toBe(render(body))
    expect(render(body.replaceAll('\n', '\r'))).toBe(render(body))
  })

  test('nests no deeper than 200 elements, and keeps the text', () => {
    const html = render(`${'<div>'.repeat(1000)}deep`)
    expect(elementsOf(html)).toHaveLength(200)
    expect(textOf(html)).toBe('deep\n')
  })
})

describe('what multiplies itself is refused', () => {
  test.each([
    ['rows filled up to a wide head', `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${'x\n'.repeat(300)}`],
    ['many such tables', `${`|${'a|'.repeat(200)}\n|${'-|'.repeat(200)}\n${'x\n'.repeat(100)}\n`.repeat(30)}`],
    ['links to one long address', `[a]: /${'x'.repeat(100_000)}\n\n${'[a] '.repeat(200)}`],
    ['pictures with one long title', `[a]: /b "${'x'.repeat(100_000)}"\n\n${'![a] '.repeat(200)}`],
    ['quotes in quotes beyond the stack', '>'.repeat(20_000)],
  ])('%s', (_, markdown) => {
    expect(() => render(markdown)).toThrow(RangeError)
  })

  test('a table spelled out is not', () => {
    expect(render(`|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${`|${'a|'.repeat(100)}\n`.repeat(50)}`)).toContain(
      '<td>a</td>',
    )
  })
})
