import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type MarkdownActions, outlineOf, showPart } from '../../app/markdown/markdown'
import { scanMarkdown } from '../../src/notes/markdown/scan-markdown'
import { markdown } from '../notes/markdown-arbitrary'
import { runs } from '../support/full'
import { elementsOf, find, makeActions, outlineTree, textOf, treeOf } from './markdown-tree'

/** What is inside of the outermost element. */
const show = (body: string) => outlineTree(treeOf(body)).replace(/^div\(([\s\S]*)\)$/, '$1')

describe('Markdown becomes elements', () => {
  test.each([
    ['emphasis', '*a* **b** ~~c~~ `d`', 'p(em(a) strong(b) del(c) code(d))'],
    ['headings', '# a\n## b', 'h1(a)h2(b)'],
    ['lists, tight', '- a\n- b\n  1. c', 'ul(li(a)li(bol(li(c))))'],
    ['lists, loose', '- a\n\n- b', 'ul(li(p(a))li(p(b)))'],
    ['quotes', '> a\n> > b', 'blockquote(p(a)blockquote(p(b)))'],
    ['code blocks', '```js\na < b\n```', 'pre(code(a < b\n))'],
    ['rules and breaks', 'a  \nb\nc\n\n---', 'p(abr()bbr()c)hr()'],
    ['marks, and no names of blocks', '==a== b ^c', 'p(mark(a) b)'],
    ['entities', '&lt;b&gt; &amp;amp; &#65; &unknown;', 'p(<b> &amp; A &unknown;)'],
    ['escapes', '\\*a\\* \\[[b]]', 'p(*a* [[b]])'],
    ['callouts', '> [!note] Title\n> text', 'div(p(Title)p(text))'],
    ['callouts without a title', '> [!TIP]\n> text', 'div(p(Tip)p(text))'],
    ['callouts that fold', '> [!note]- Title\n> text', 'details(summary(Title)p(text))'],
    [
      'pieces within emphasis',
      '**[[Known]]** *$x$* a **$y$** b ~~#c~~',
      'p(strong(a(Known)) em(Maths()) a strong(Maths()) b del(#c))',
    ],
    ['comments, as nothing', 'a %%b%% c <!-- d --> e', 'p(a  c  e)'],
    ['comments that are blocks', '<!-- a\nb -->\n\nc', 'p(c)'],
    ['front matter', '---\ntitle: a\n---\nb', 'details(summary(Properties)pre(title: a))p(b)'],
    ['a rule that is no front matter', '---\n\nb', 'hr()p(b)'],
  ])('%s', (_, body, tree) => {
    expect(show(body)).toBe(tree)
  })

  test('tables have a region that the keyboard can scroll', () => {
    const tree = treeOf('| a | b |\n|---|--:|\n| [[Known\\|c]] | d |')
    expect(outlineTree(tree)).toBe('div(div(table(thead(tr(th(a)th(b)))tbody(tr(td(a(c))td(d))))))')
    expect(find(tree, 'div')[1]?.props).toMatchObject({ tabIndex: 0, role: 'group', 'aria-label': 'Table' })
    expect(find(tree, 'td')[1]?.props.style).toEqual({ textAlign: 'right' })
    expect(find(treeOf('```\na\n```'), 'pre')[0]?.props.tabIndex).toBe(0)
  })

  test('blocks find their own direction', () => {
    const tree = treeOf('# שלום\n\nمرحبا\n\n- a\n\n> b\n\n|c|\n|-|\n|d|')
    for (const name of ['h1', 'p', 'th', 'td']) expect(find(tree, name)[0]?.props.dir).toBe('auto')
  })
})

describe('links', () => {
  test.each([
    ['[a](https://example.org/x?y=1&amp;z=2)', 'https://example.org/x?y=1&z=2'],
    ['<http://example.org>', 'http://example.org/'],
    ['www.example.org', 'http://www.example.org/'],
    ['[a](//example.org)', 'https://example.org/'],
    ['[a][b]\n\n[b]: https://example.org', 'https://example.org/'],
  ])('%s leads to another host', (body, href) => {
    expect(find(treeOf(body), 'a')[0]?.props).toEqual({ href, target: '_blank', rel: 'noreferrer noopener' })
  })

  test('an address of 4,096 characters is a link, a longer one is text', () => {
    const address = `https://example.org/${'a'.repeat(4076)}`
    expect(find(treeOf(`[b](${address})`), 'a')).toHaveLength(1)
    expect(find(treeOf(`[b](${address}a)`), 'a')).toEqual([])
  })

  test('of two links in each other the inner one is a link', () => {
    const tree = treeOf('[a [[Known]] b](https://example.org)')
    expect(find(tree, 'a').map(({ props }) => props.href)).toEqual(['#/notes/1', 'https://example.org/'])
  })

  test('mail, notes and headings', () => {
    expect(find(treeOf('me@example.org'), 'a')[0]?.props.href).toBe('mailto:me@example.org')
    expect(find(treeOf('[a](Known)'), 'a')[0]?.props.href).toBe('#/notes/1')
    expect(find(treeOf('[[Known#Part|label]]'), 'a')[0]?.props.href).toBe('#/notes/1?heading=Part')
    expect(find(treeOf('# My Part\n\n[[#my part]] [a](#h-my-part)'), 'Jump').map(({ props }) => props.to)).toEqual([
      'h-my-part',
      'h-my-part',
    ])
    expect(find(treeOf('# A\n# A\n[[#a]]'), 'Jump')[0]?.props.to).toBe('h-a')
    const below = treeOf('# A\n## Plan: B\n# C\n## Plan: B\n[[#c#plan b]]')
    expect(find(below, 'Jump')[0]?.props.to).toBe('h-plan-b-1')
    expect(show('# a\n\n[[#b]] [c](#d)')).toBe('h1(a)p(span(b) span(c))')
  })

  test('a link to no note creates it', () => {
    const created: string[] = []
    const body = '[[New one|a]] [b](Other%20one)'
    const buttons = find(treeOf(body, makeActions({ create: (title) => created.push(title) })), 'button')
    for (const { props } of buttons) (props.onClick as () => void)()
    expect(created).toEqual(['New one', 'Other one'])
    const { create, ...others } = makeActions()
    expect(create).toBeFunction()
    expect(elementsOf(treeOf(body, others)).filter(({ props }) => props.class === 'md-missing')).toHaveLength(2)
    expect(find(treeOf(body, others), 'button')).toEqual([])
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'java\tscript:x',
    'file:///etc/passwd',
    'blob:x',
  ])('%s is text', (address) => {
    const tree = treeOf(`[a](<${address}>) ![b](<${address}>)`)
    expect(find(tree, 'a')).toEqual([])
    expect(find(tree, 'MediaFile')).toEqual([])
    expect(textOf(tree)).toContain('a')
  })

  test('tags lead to their pages, and are none in code and links', () => {
    const tree = treeOf('#one and (#two/three) but `#four` [#five](https://example.org) a#six #7')
    expect(find(tree, 'a').map(({ props }) => props.href)).toEqual([
      '#/tags/one',
      '#/tags/two%2Fthree',
      'https://example.org/',
    ])
  })
})

describe('pictures and files', () => {
  test('those of other hosts are links', () => {
    const tree = treeOf('![A cat](https://example.org/cat.png) [![b](//example.org/b.png)](https://example.com)')
    expect(find(tree, 'img')).toEqual([])
    expect(find(tree, 'MediaFile')).toEqual([])
    expect(find(tree, 'a').map(textOf)).toEqual(['Picture from example.org: A cat', 'Picture from example.org: b'])
    expect(find(tree, 'a').map(({ props }) => props.href)).toEqual([
      'https://example.org/cat.png',
      'https://example.com/',
    ])
  })

  test('those of the note are loaded by their names', () => {
    const tree = treeOf('![[a b.png]] ![c](d%20e.jpg) ![[f.mp3]] ![[g.png|300x20]] ![[Known]]')
    const files = find(tree, 'MediaFile').map(({ props: { load, ...props } }) => props)
    expect(files).toEqual([
      { target: 'a b.png', label: 'a b.png' },
      { target: 'd e.jpg', label: 'c' },
      { target: 'f.mp3', label: 'f.mp3' },
      { target: 'g.png', label: 'g.png', width: 300, height: 20 },
    ])
    expect(find(tree, 'a')[0]?.props.href).toBe('#/notes/1')
    expect(show('[![[a.png]]](https://example.org)')).toBe('p(a(MediaFile()))')
    expect(find(treeOf('[[a.pdf]] [b](c.pdf)'), 'FileLink').map(({ props }) => props.target)).toEqual([
      'a.pdf',
      'c.pdf',
    ])
  })
})

describe('a note within a note', () => {
  const show = (body: string, around: Partial<MarkdownActions> = {}) =>
    treeOf(
      body,
      makeActions({ resolve: (target) => `#/notes/${target}`, loadNote: () => new Promise(() => {}), ...around }),
    )
  const embedsOf = (tree: ReturnType<typeof show>) =>
    find(tree, 'NoteEmbed').map(({ props: { target, part } }) => [target, part])

  test('is drawn, with its link, where a paragraph shows it', () => {
    const tree = show('![[A]] and ![[B#C|d]]\n\n- ![[E.md]]\n\n# ![[F]]\n\n[[G]] ![[h.png]]')
    expect(embedsOf(tree)).toEqual([
      ['A', null],
      ['B', 'C'],
      ['E.md', null],
      ['h.png', null],
    ])
    expect(find(tree, 'a').map(textOf)).toEqual(['F', 'G'])
  })

  test('is a link without a way to read it, in itself, and below three others', () => {
    expect(embedsOf(treeOf('![[A]]', makeActions({ resolve: () => '#/notes/a' })))).toEqual([])
    expect(embedsOf(show('![[A]]', { resolve: () => '#/notes/same' }))).toEqual([])
    const actions = makeActions({ resolve: (target) => `#/notes/${target}`, loadNote: () => new Promise(() => {}) })
    const within = (around: string[]) =>
      JSON.stringify(showPart('![[A]]', null, actions, around)).includes('"part":null')
    expect([within(['#/1', '#/2', '#/3']), within(['#/1', '#/2', '#/3', '#/4'])]).toEqual([true, false])
  })
})

describe('HTML', () => {
  test.each([
    ['allowed elements', 'a<br>b <kbd>c</kbd> <SUB onclick="x">d</SUB>', 'p(abr()b kbd(c) sub(d))'],
    ['other elements as text', '<b>a</b> <img src=x onerror=alert(1)>', 'p(<b>a</b> <img src=x onerror=alert(1)>)'],
    ['tags without their other one as text', '<kbd>a </sub> b', 'p(<kbd>a </sub> b)'],
    ['details', '<details open>\n<summary>a</summary>\n\n*b*\n\n</details>', 'details(summary(span(a))p(em(b)))'],
    ['blocks as text', '<div style="x">\na\n</div>', 'p(<div style="x">\na\n</div>)'],
    ['scripts as text', '<script>\nalert(1)\n</script>', 'p(<script>\nalert(1)\n</script>)'],
    ['wikilinks in blocks as text', '<div>[[Known]]</div>', 'p(<div>[[Known]]</div>)'],
    ['longer names as text', '<sub-a>a</sub-a>', 'p(<sub-a>a</sub-a>)'],
  ])('%s', (_, body, tree) => {
    expect(show(body)).toBe(tree)
    for (const { props } of elementsOf(treeOf(body)))
      expect(Object.keys(props).filter((name) => /^on/.test(name))).toEqual([])
  })
})

describe('maths and footnotes', () => {
  test.each([
    ['$a^2$ and $$\nb\n$$', ['a^2', 'b']],
    ['> $$\n> a\n> b\n> $$', ['a\nb']],
    ['`$a$` costs $5 and 6$', []],
    ['$$ a\n\nb $$', []],
    ['- $$\n- [ ] a $$', []],
  ])('%p has formulas', (body, formulas) => {
    expect(find(treeOf(body), 'Maths').map(({ props }) => props.tex as string)).toEqual(formulas)
  })

  test('marks in code and front matter are not counted', () => {
    const tree = treeOf('---\nt: a[^1]\n---\n`[^1]` b[^1]\n\n[^1]: c')
    expect(find(tree, 'sup').map(({ props }) => props.id)).toEqual(['footnote-mark-1-1'])
  })
})

describe('check boxes', () => {
  /** The offsets at which each box toggles, as the page would be told. */
  function toggles(body: string): { offset: number; checked: unknown }[] {
    const told: number[] = []
    const tree = treeOf(body, makeActions({ toggle: (offset) => told.push(offset) }))
    return find(tree, 'input').map(({ props }) => {
      const onChange = props.onChange as (event: { currentTarget: { checked: boolean } }) => void
      onChange({ currentTarget: { checked: true } })
      return { offset: told.at(-1) ?? -1, checked: props.checked }
    })
  }

  test.each([
    ['a list', '- [ ] a\n- [x] b'],
    ['numbers', '1. [X] a\n2) [ ] b'],
    ['nested lists', '- [ ] a\n  - [x] a\n    - [ ] a\n\n  - [ ] a'],
    ['quotes', '> - [ ] a\n> > * [x] b\n> lazy\n- [ ] c'],
    ['CRLF', '# t\r\n\r\n- [ ] a\r\n\t- [x] b\r\n'],
    ['tabs and wide letters', '-\t[ ] 😀 a\n-\t[x] 会'],
    ['repeated text', '- [ ] a\n\n- [ ] a\n\ntext\n\n- [ ] a'],
    ['front matter and footnotes', '---\nt: - [ ] a\n---\n- [ ] b[^1]\n\n[^1]: x'],
    ['links and maths', '- [ ] [[Known]] #tag $a$ `[ ]`\n- [x] %%- [ ] b%% c'],
  ])('in %s have exact offsets', (_, body) => {
    const boxes = toggles(body)
    const from = body.startsWith('---') ? body.indexOf('---', 3) : 0
    expect(boxes.length).toBeGreaterThan(0)
    expect(boxes).toEqual(
      scanMarkdown(body)
        .checkboxes.filter(({ mark }) => mark > from)
        .map(({ mark, checked }) => ({ offset: mark - 1, checked })),
    )
    for (const { offset } of boxes) expect(body.slice(offset, offset + 3)).toMatch(/^\[[ xX]\]$/)
  })

  test.each([
    '```\n- [ ] a\n```',
    '    - [ ] a',
    '`- [ ] a`',
    'a [ ] b',
    '- a [ ] b',
    '- \\[ ] a',
    '<pre>\n- [ ] a\n</pre>',
  ])('%p has none', (body) => {
    expect(toggles(body)).toEqual([])
    expect(textOf(treeOf(body))).toContain('[ ]')
  })

  test('are disabled where nothing toggles them, and have names', () => {
    const [box] = find(treeOf('- [ ] buy *milk* [[Known|now]]'), 'input')
    expect(box?.props).toMatchObject({ disabled: true, 'aria-label': 'buy milk now' })
    expect(find(treeOf('- [ ] a', makeActions({ toggle: () => undefined })), 'input')[0]?.props.disabled).toBe(false)
  })

  test('whatever the text is, each offset is that of a box that the server has', () => {
    fc.assert(
      fc.property(markdown, fc.boolean(), (text, isWindows) => {
        const body = isWindows ? text.replaceAll('\n', '\r\n') : text
        const known = new Set(scanMarkdown(body).checkboxes.map(({ mark }) => mark - 1))
        const offsets = toggles(body).map(({ offset }) => offset)
        for (const offset of offsets) expect(known.has(offset)).toBe(true)
        expect(new Set(offsets).size).toBe(offsets.length)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('the outline', () => {
  test('has levels, texts and ids', () => {
    expect(outlineOf('# A *b* [[Known|c]]\n\n> ## A\n\n```\n# no\n```\n\nSet #tag\n===\n\n# A')).toEqual([
      { level: 1, text: 'A b c', id: 'h-a-b-c' },
      { level: 2, text: 'A', id: 'h-a' },
      { level: 1, text: 'Set #tag', id: 'h-set-tag' },
      { level: 1, text: 'A', id: 'h-a-1' },
    ])
  })

  test('is what is shown, whatever the text is', () => {
    fc.assert(
      fc.property(markdown, (body) => {
        const shown = elementsOf(treeOf(body)).filter(({ name }) => /^h[1-6]$/.test(name))
        expect(outlineOf(body).map(({ level, id }) => [`h${level}`, id])).toEqual(
          shown.map(({ name, props }) => [name, String(props.id)]),
        )
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('no word is lost', () => {
  const MARKS = [
    '*',
    '**',
    '_',
    '~~',
    '`',
    '$',
    '==',
    '<kbd>',
    '<b>',
    '> ',
    '- ',
    '# ',
    '- [ ] ',
    '1. ',
    '|',
    '\n',
    '\n\n',
    '    ',
  ]
  const piece = fc.tuple(fc.constantFrom(...MARKS), fc.constantFrom('', ...MARKS), fc.boolean())

  test('of text between marks', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), (pieces) => {
        const words = pieces.map((_, index) => `word${index}x`)
        const body = pieces
          .map(([before, after, spaced], index) => `${before}${words[index]}${after}${spaced ? ' ' : ''}`)
          .join('')
        const text = textOf(treeOf(body))
        for (const word of words) expect(text).toContain(word)
      }),
      { numRuns: runs(1000) },
    )
  })
})
