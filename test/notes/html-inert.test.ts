import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { renderHtml } from '../../src/notes/html/render'
import { runs } from '../support/full'
import { faults } from './html-inert'
import { elementsOf } from './html-tree'
import { VECTORS } from './html-vectors'

const resolve = (target: string) => (target.length % 2 === 0 ? `" onclick="${target}` : null)
const render = (markdown: string) => renderHtml(markdown, resolve)

/** One text at several places of a document. */
const PLACES: ((text: string) => string)[] = [
  (text) => text,
  (text) => `before ${text} after`,
  (text) => `- item\n\n  ${text}\n`,
  (text) => `> # ${text}`,
  (text) => `<div>\n${text}\n</div>\n\n*after*`,
  (text) => `<kbd>${text}`,
]

describe('nothing but the closed list comes out of', () => {
  test.each(Object.entries(VECTORS))('%s', (_, texts) => {
    expect(texts.length).toBeGreaterThan(5)
    for (const text of texts) {
      for (const place of texts.length > 300 ? PLACES.slice(0, 2) : PLACES) {
        const markdown = place(text)
        const found = faults(render(markdown))
        if (found.length > 0) expect({ markdown, html: render(markdown), found }).toBeNull()
      }
    }
  })

  const PIECES = [
    ...Object.values(VECTORS).flatMap((texts) => texts.flatMap((text) => text.split(/(?<=[<>"'\s[\]()])/))),
    ...'< > " \' ` / = & ; : # [ ] ( ) ! | - * _ ~ \\ [[ ]] ![[ <!-- --> <![CDATA[ ]]> </ /> %% \n \n\n \t'.split(' '),
  ].filter((piece) => piece !== '')
  const soup = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 25,
  })

  test('random soups of all of it, nor the mark of our elements', () => {
    fc.assert(
      fc.property(soup, (pieces) => {
        const html = render(pieces.join(''))
        expect(faults(html)).toEqual([])
        expect(html).not.toMatch(/own-\d{9}/)
      }),
      { numRuns: runs(1200) },
    )
  })
})

describe('the test of that', () => {
  test.each([
    '<script>x</script>',
    '<p onclick=x>y</p>',
    '<a href="java\tscript:x">y</a>',
    '<img src="data:,x">',
    '<h1 id=x>y</h1>',
    '<input type=checkbox>',
    '<svg></svg>',
    '<template><p>x</p></template>',
    '<a class=wikilink href=x>y</a>',
    '</main><p>x</p>',
  ])('notices %s', (html) => {
    expect(faults(html).length).toBeGreaterThan(0)
  })

  test('lets the closed list pass', () => {
    expect(
      faults('<h1 id="h-x">x</h1><ul><li><input type="checkbox" disabled> <a href="/y" title="z">y</a></li></ul>'),
    ).toEqual([])
  })
})

test('what an author wants stays', () => {
  const names = (markdown: string) => elementsOf(render(markdown)).map(({ element }) => element)
  expect(
    names('<details open><summary>a</summary>\n\n**b** <kbd>c</kbd> <sub>d</sub> <sup>e</sup>\n\n</details>'),
  ).toEqual([...['details', 'summary', 'p', 'strong', 'kbd', 'sub', 'sup']])
  expect(elementsOf(render('[a](mailto:b@c.example) ![d](https://e.example/f.png "g")')).slice(1)).toEqual([
    { element: 'a', attributes: { href: 'mailto:b@c.example' } },
    { element: 'img', attributes: { src: 'https://e.example/f.png', alt: 'd', title: 'g' } },
  ])
})
