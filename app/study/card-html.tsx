/**
 * Shows a side of a card, which the server gives as HTML, without handing HTML to the page: it is parsed into a document
 * that runs and loads nothing, and what is allowed is made again as elements of our own. Styles and scripts never are.
 */
import { type ComponentChild, Fragment, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { mediaAddress, Picture, Sound, Speech } from './card-media'

const names = (list: string) => new Set(list.split(' '))

const ELEMENTS = names(
  'a abbr article aside audio b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q rb rp rt rtc ruby s samp section small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var video wbr',
)
/** Landmarks and headings of a card are none of the page. */
const RENAMED = new Map([
  ...['main', 'header', 'footer', 'aside', 'article', 'section', 'center'].map((name) => [name, 'div'] as const),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, 'p'] as const),
  ['big', 'span'],
  ['tt', 'code'],
])
const SHAPES = names('svg rect ellipse polygon')
const MATHS = names(
  'math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics',
)
/** Elements whose content is no text of the card. */
const SILENT = names(
  'script style template iframe object embed noscript noembed noframes textarea select title canvas xmp',
)

const NUMBER = /^-?\d*\.?\d+%?$/
/** Allowed attributes with their values, of any element. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  title: /^/,
  lang: /^[\w-]{1,20}$/,
  dir: /^(?:ltr|rtl|auto)$/,
  alt: /^/,
  width: NUMBER,
  height: NUMBER,
  colspan: /^\d{1,3}$/,
  rowspan: /^\d{1,3}$/,
  start: /^\d{1,9}$/,
  open: /^$/,
}
const SHAPE_ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  viewBox: /^[\d. ]+$/,
  preserveAspectRatio: /^none$/,
  'aria-hidden': /^true$/,
  ...Object.fromEntries(['x', 'y', 'width', 'height', 'cx', 'cy', 'rx', 'ry'].map((name) => [name, NUMBER])),
  points: /^[-\d., ]+$/,
}
const MATHS_ATTRIBUTES = names(
  'accent accentunder columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width',
)
/** Classes that the server writes; those of a card's author would meet the page's own. */
const CLASSES = names(
  'cloze cloze-inactive occlusion occlusion-asked occlusion-shown occlusion-other occlusion-label missing-media typeans',
)
const MAX_DEPTH = 100

/** The side of a card. Elements are made again only for other HTML. */
export function CardHtml({ html }: { html: string }) {
  return useMemo(() => <>{showChildren(parse(html), 0)}</>, [html])
}

/** A tag with its attributes, of which quoted ones may hold `>`. */
const TAG = /<(?:"[^"]*"|'[^']*'|[^<>"'])*>/g

/**
 * Parses HTML into an inert document. Even there the browser reports styles, handlers and bases as breaches of the page's
 * policy, so in the text they get other names before.
 */
function parse(html: string): HTMLElement {
  const plain = html
    .replace(/<style\b[^<>]*>[\s\S]*?<\/style\s*>/gi, '')
    .replace(TAG, (tag) => tag.replace(/([\s"'/])(style|on\w+)\s*=/gi, '$1data-$2=').replace(/^<base\b/i, '<no-base'))
  return new DOMParser().parseFromString(plain, 'text/html').body
}

function showChildren(parent: Element, depth: number): ComponentChild[] {
  return [...parent.childNodes].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.nodeValue
    return node instanceof Element ? showElement(node, depth + 1) : null
  })
}

function showElement(element: Element, depth: number): ComponentChild {
  const name = element.localName
  if (SILENT.has(name)) return null
  if (depth > MAX_DEPTH) return element.textContent
  const children = () => showChildren(element, depth)
  if (SHAPES.has(name)) return h(name, { ...allowed(element, SHAPE_ATTRIBUTES), ...classOf(element) }, children())
  if (MATHS.has(name)) return h(name, mathsAttributes(element), children())
  if (!ELEMENTS.has(name)) return h(Fragment, null, children())
  const attributes = { ...allowed(element, ATTRIBUTES), ...classOf(element) }
  switch (name) {
    case 'img':
      return <Picture src={element.getAttribute('src') ?? ''} attributes={attributes} />
    case 'audio':
    case 'video':
      return <Sound kind={name} src={element.getAttribute('src') ?? ''} />
    case 'span':
      if (!element.classList.contains('tts')) break
      return <Speech of={element} />
    case 'a':
      return showLink(element, attributes, children())
    case 'br':
    case 'hr':
    case 'wbr':
    case 'col':
      return h(name, attributes)
    case 'table':
      return <div class="study-table">{h(name, attributes, children())}</div>
  }
  return h(RENAMED.get(name) ?? name, { ...attributes, ...labelPlace(element) }, children())
}

function allowed(element: Element, patterns: Readonly<Record<string, RegExp>>): Record<string, string> {
  const kept = [...element.attributes].filter(
    ({ name, value }) => Object.hasOwn(patterns, name) && patterns[name]?.test(value),
  )
  return Object.fromEntries(kept.map(({ name, value }) => [name, value]))
}

function mathsAttributes(element: Element): Record<string, string> {
  const kept = [...element.attributes].filter(({ name }) => MATHS_ATTRIBUTES.has(name.toLowerCase()))
  return Object.fromEntries(kept.map(({ name, value }) => [name, value]))
}

function classOf(element: Element): { class?: string } {
  const kept = [...element.classList].filter((name) => CLASSES.has(name))
  return kept.length > 0 ? { class: kept.join(' ') } : {}
}

/** Where a label of a covered picture lies: the one thing that only a style says. */
function labelPlace(element: Element): { style?: { left: string; top: string } } {
  const [, left, top] = /;left:(-?[\d.]+%);top:(-?[\d.]+%);/.exec(element.getAttribute('data-style') ?? '') ?? []
  return element.classList.contains('occlusion-label') && left && top ? { style: { left, top } } : {}
}

function showLink(element: Element, attributes: object, children: ComponentChild[]): ComponentChild {
  const href = element.getAttribute('href') ?? ''
  const address = /^(?:https?:\/\/|mailto:)/i.test(href) ? href : mediaAddress(href)
  return address !== null ? (
    <a {...attributes} href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span {...attributes}>{children}</span>
  )
}
