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

describe('what Obsidian has beyond GFM', () => {
  const callout = '<p class="callout-title">'
  test.each([
    ['line ends', 'a\nb  \nc\\\nd', '<p>a<br />\nb<br />\nc<br />\nd</p>\n'],
    [
      'marks',
      '==a *b*== c == d == ===e=== =g= `==f==`',
      '<p><mark>a <em>b</em></mark> c == d == ===e=== =g= <code>==f==</code></p>\n',
    ],
    [
      'names of blocks',
      'a ^b-1\n\n# c ^d\n\n- e ^f\n\n^g\n\nh^i ^ j',
      '<p>a</p>\n<h1 id="h-c">c</h1>\n<ul>\n<li>e</li>\n</ul>\n<p>h^i ^ j</p>\n',
    ],
    ['a callout', '> [!Tip]\n> a', `<div class="callout" data-callout="tip">\n${callout}Tip</p>\n<p>a</p>\n</div>\n`],
    [
      'a callout with a title',
      '> [!note] *T*',
      `<div class="callout" data-callout="note">\n${callout}<em>T</em></p>\n</div>\n`,
    ],
    [
      'a callout that is folded',
      '> [!note]- T\n> a\n>\n> - b',
      '<details class="callout" data-callout="note">\n<summary>T</summary>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</details>\n',
    ],
    [
      'a callout that can be folded',
      '> [!note]+\n> a',
      '<details class="callout" data-callout="note" open>\n<summary>Note</summary>\n<p>a</p>\n</details>\n',
    ],
    ['no callout', '> a [!note]\n\n[!note] b', '<blockquote>\n<p>a [!note]</p>\n</blockquote>\n<p>[!note] b</p>\n'],
    [
      'states of tasks',
      '- [/] a\n- [-] b\n- [&] c',
      '<ul>\n<li><input disabled type="checkbox" data-task="/" /> a</li>\n<li><input disabled type="checkbox" data-task="-" /> b</li>\n<li>[&amp;] c</li>\n</ul>\n',
    ],
    [
      'widths',
      '![x|100](/a.png) ![|20x30](/b.png) ![c|d](/e.png)',
      '<p><img src="/a.png" alt="x" width="100" /> <img src="/b.png" alt="" width="20" height="30" /> <img src="/e.png" alt="c|d" /></p>\n',
    ],
    [
      'directions',
      '- a\n- שלום\n\n`x`',
      '<ul dir="ltr">\n<li>a</li>\n<li dir="rtl">שלום</li>\n</ul>\n<p dir="auto"><code dir="ltr">x</code></p>\n',
    ],
    ['no maths', '`$a$` costs $5 and 6$\n\n\\$a$b', '<p><code>$a$</code> costs $5 and 6$</p>\n<p>$a$b</p>\n'],
    ['no formula of TeX', '$\\frac{a$', '<p><code dir="ltr">\\frac{a</code></p>\n'],
  ])('%s', (_, markdown, html) => {
    expect(render(markdown)).toBe(html)
  })

  test('footnotes, numbered by their first marks, with ways back', () => {
    const html = render('a[^x] b[^1] c[^x] d[^z]\n\n[^1]: one\n    more\n\n    - two\n[^x]: *x*[^1]\n\ne')
    expect(textOf(html).replace(/\s+/g, ' ')).toBe('a1 b2 c1 d[^z] e x2 ↩ one more two ↩ ')
    const ids = elementsOf(html).flatMap(({ attributes: { id = [] } }) => id)
    expect(ids).toEqual([
      'footnote-mark-1-1',
      'footnote-mark-2-1',
      'footnote-mark-1-2',
      'footnote-1',
      'footnote-mark-2-2',
      'footnote-2',
    ])
    const links = elementsOf(html).flatMap(({ attributes: { href = [] } }) => href)
    for (const link of links) expect(ids).toContain(String(link).slice(1))
  })

  test.each(['a[^1]', '`[^1]`\n\n[^1]: b', '```\n[^1]: b\n```\n[^1]', '\\[^1]\n\n[^1]: b'])(
    'no mark of a footnote: %p',
    (markdown) => {
      expect(render(markdown)).not.toContain('<sup')
    },
  )

  test.each([
    ['1. **שלום** a', 'ol', 'rtl'],
    ['- [ ] [[مرحبا]]', 'ul', 'rtl'],
    ['> > مرحبا', 'blockquote', 'rtl'],
    ['> a שלום', 'blockquote', 'ltr'],
  ])('%p is written in its direction', (markdown, name, dir) => {
    expect(elementsOf(render(markdown)).find(({ element }) => element === name)?.attributes.dir).toBe(dir)
  })

  test('maths, whose bytes mean nothing else', () => {
    const html = render('$a_1 *b*$ [[c]] $$\n\\text{<b>x</b>}\n$$\n\n> $$\n> d\n> - e\n> $$')
    expect(elementsOf(html).filter(({ element }) => /^(?:em|b|ul)$/.test(element))).toEqual([])
    expect(elementsOf(html).filter(({ element }) => element === 'foreign:math')).toHaveLength(3)
    expect(textOf(html).replace(/\s/g, '')).toBe('a1∗b∗c<b>x</b>d−e')
    expect(render('<maths-place n="0"></maths-place> $x$')).toBe('<p> <math><mi>x</mi></math></p>\n')
  })

  test('2,000 formulas; those beyond stay as they are written', () => {
    const html = render('$x$ '.repeat(2001))
    expect([html.split('<math>').length - 1, html.split('<code dir="ltr">x</code>').length - 1]).toEqual([2000, 1])
  })

  const note = (body: string, ...links: [target: string, id: string][]) => ({ body, targets: new Map(links) })
  const notes = new Map([
    [
      'id-of-trip',
      note('# Trip\n\nto ![[Deep]]\n\n## Costs\n\n40[^1]\n\n### Of food\n\n- ten ^food\n\n## End\n\n[^1]: euros', [
        'Deep',
        'deep',
      ]),
    ],
    ['deep', note('one ![[Deeper]] ![[Trip]]', ['Deeper', 'deeper'], ['Trip', 'id-of-trip'])],
    ['deeper', note('two ![[Deepest]] ![[Trip]]', ['Deepest', 'deepest'], ['Trip', 'id-of-trip'])],
    ['deepest', note('three')],
    ['id-of-this', note('# Costs\n\nitself')],
  ])
  const embed = (markdown: string) =>
    textOf(renderHtml(markdown, (target) => NOTES[target] ?? null, { notes }))
      .replace(/\s+/g, ' ')
      .trim()

  test.each([
    [
      'a note, to a depth of three and without circles',
      '![[Trip]]',
      'Trip Trip to Deep one Deeper two Deepest Trip Trip Costs 401 Of food ten End euros ↩',
    ],
    ['a section', 'a ![[Trip#costs]] b', 'a Trip#costs Costs 401 Of food ten euros ↩ b'],
    ['a section below another', '![[Trip#Costs#Of food|x]]', 'x Of food ten'],
    ['a block', '![[Trip#^food]]', 'Trip#^food ten'],
    ['no section', '![[Trip#None]]', 'Trip#None'],
    ['not itself', '![[note:7]] ![[#Costs]]', 'note:7 #Costs'],
    ['nothing within a heading or a link', '# ![[Trip]]\n\n*![[Trip]]*', 'Trip Trip'],
  ])('draws %s', (_, markdown, text) => {
    expect(embed(markdown)).toBe(text)
  })

  test('draws notes of 1 MiB in all; those beyond are links', () => {
    const large = new Map([['id-of-trip', note('a'.repeat(2 ** 19))]])
    const html = renderHtml('![[Trip]]\n\n'.repeat(3), (target) => NOTES[target] ?? null, { notes: large })
    expect(html.split('class="embed"').length - 1).toBe(2)
  })

  test('draws no tag of another note as made here, though that note knows the one around it', () => {
    const body = '![[Trip]]'
    const digest = new Bun.CryptoHasher('sha256').update(body).digest('hex').slice(0, 32)
    const forged = [Bun.hash(body), digest].map((own) => `<img own-${own}="" src="https://example.org/x.png">`)
    const notes = new Map([['id-of-trip', note(forged.join('\n\n'))]])
    const html = renderHtml(body, (target) => NOTES[target] ?? null, { notes, remote: false })
    expect(html).toContain('class="embed"')
    expect(html).not.toContain('src="https:')
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
