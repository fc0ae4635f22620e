import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

export interface Finding {
  readonly element: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Every element that a browser makes of a fragment, outermost first, those within templates too. */
export function elementsOf(html: string): Finding[] {
  const found: Finding[] = []
  const open: Node[] = [...parseFragment(html).childNodes].reverse()
  for (let node = open.pop(); node; node = open.pop()) {
    if (!isElement(node)) continue
    const namespace = node.namespaceURI === 'http://www.w3.org/1999/xhtml' ? '' : 'foreign:'
    found.push({ element: namespace + node.tagName, attributes: attributesOf(node) })
    const inside = 'content' in node ? (node as DefaultTreeAdapterTypes.Template).content.childNodes : node.childNodes
    open.push(...[...inside].reverse())
  }
  return found
}

/** The text that a browser shows. */
export function textOf(html: string): string {
  const collect = (node: Node): string =>
    node.nodeName === '#text'
      ? (node as DefaultTreeAdapterTypes.TextNode).value
      : isElement(node)
        ? node.childNodes.map(collect).join('')
        : ''
  return parseFragment(html).childNodes.map(collect).join('')
}

const BLOCKS = new Set(
  'blockquote div dl dt dd hr p pre summary details ul ol li table thead tbody tr th td h1 h2 h3 h4 h5 h6 br'.split(
    ' ',
  ),
)

/**
 * The tree of a fragment in a form in which spellings of the same document are equal: attributes sorted, white space
 * joined, and dropped beside blocks, as the test suite of CommonMark does.
 * @param keep what an element becomes: itself with fewer attributes, or null when only its content stays
 */
export function normalTree(html: string, keep: (found: Finding) => Finding | null = (found) => found): string {
  const write = (nodes: readonly Node[], inPre: boolean): string =>
    nodes
      .map((node) => {
        if (node.nodeName === '#text') {
          const { value } = node as DefaultTreeAdapterTypes.TextNode
          return escapeText(inPre ? value : value.replace(/\s+/g, ' '))
        }
        if (!isElement(node)) return ''
        const inside = write(node.childNodes, inPre || node.tagName === 'pre')
        const kept = keep({ element: node.tagName, attributes: attributesOf(node) })
        if (!kept) return inside
        const attributes = Object.entries(kept.attributes).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
        const mark = BLOCKS.has(kept.element) ? '\n' : ''
        return `${mark}<${kept.element}${attributes.sort().join('')}>${mark}${inside}${mark}</${kept.element}>${mark}`
      })
      .join('')
  return write(parseFragment(html).childNodes, false)
    .replace(/[ \n]*\n[ \n]*/g, '\n')
    .trim()
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

function attributesOf({ attrs }: Element): Record<string, string> {
  return Object.fromEntries(attrs.map(({ prefix, name, value }) => [prefix ? `${prefix}:${name}` : name, value]))
}
