import { parseFragment, serialize } from 'parse5'
import { elementsOf, type Finding } from './html-tree'

/**
 * The closed list once more, written from what the design says and not from html.ts: the elements that may come out,
 * each with its attributes and what their values must be.
 */
const TEXT = 'hr br dl dt dd table thead tbody tr caption'
const MARKS = 'b del em i ins kbd mark s small strong sub u'
const LEADS = ['http:', 'https:', 'mailto:']
const SHOWS = ['http:', 'https:']

type Check = (value: string, all: Finding['attributes']) => boolean

const any: Check = () => true
const alignment: Check = (value) => ['left', 'center', 'right'].includes(value)
const dir: Check = (value) => ['ltr', 'rtl', 'auto'].includes(value)
const is =
  (...names: string[]): Check =>
  (value) =>
    names.includes(value)
const length: Check = (value) => /^\d{1,4}$/.test(value)
const MATHML =
  'math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none menclose'
const plain: Check = (value) => !/url|expression|[\\<]|:\/\//i.test(value)
const MATHML_ATTRIBUTES = Object.fromEntries(
  'accent accentunder class columnalign columnlines columnspacing display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowspacing rspace scriptlevel separator stretchy style symmetric voffset width depth columnspan'
    .split(' ')
    .map((name) => [name, plain]),
)
const callout = { class: is('callout'), 'data-callout': (value: string) => /^[a-z][\w-]*$/.test(value) }
const footnote = { id: (value: string) => /^footnote-[\d-]+(?:mark-[\d-]+)?$/.test(value) }
const heading = { dir, id: (value: string) => value.startsWith('h-') }
const WIKI = { class: (value: string) => value === 'wikilink', 'data-note-id': any, 'data-target': any }

const ALLOWED: Record<string, Record<string, Check>> = {
  ...Object.fromEntries(`${TEXT} ${MARKS}`.split(' ').map((name) => [name, {}])),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, heading])),
  ...Object.fromEntries(['blockquote', 'pre', 'ul', 'summary'].map((name) => [name, { dir }])),
  p: { dir, class: is('callout-title', 'embed-title') },
  div: { dir, ...callout, class: is('callout', 'embed'), 'data-note-id': any },
  li: { dir, ...footnote },
  sup: footnote,
  section: { class: is('footnotes'), 'aria-label': any },
  ol: { dir, start: (value) => /^\d+$/.test(value) },
  th: { dir, align: alignment },
  td: { dir, align: alignment },
  code: { dir, class: (value) => /^language-\S+$/.test(value) },
  details: { dir, open: any, ...callout },
  a: {
    href: (value, all) => (all.class === undefined ? leads(value, LEADS) : isNoteOf(value, all)),
    title: any,
    'aria-label': any,
    ...WIKI,
  },
  img: { src: (value) => leads(value, SHOWS), alt: any, title: any, width: length, height: length },
  input: { type: is('checkbox'), disabled: any, checked: any, 'data-task': any },
  ...Object.fromEntries(MATHML.split(' ').map((name) => [`foreign:${name}`, MATHML_ATTRIBUTES])),
}

/** A link to a note has the address of that note and no other. */
const isNoteOf: Check = (value, all) => value === `/api/notes/${all['data-note-id']}`

/** Where a browser that shows the page over https would go; an address that it cannot read leads nowhere. */
function leads(address: string, protocols: readonly string[]): boolean {
  return (
    !URL.canParse(address, 'https://notes.example/a/b') ||
    protocols.includes(new URL(address, 'https://notes.example/a/b').protocol)
  )
}

function faultsOf(html: string): string[] {
  return elementsOf(html).flatMap(({ element, attributes }) => {
    const checks = Object.hasOwn(ALLOWED, element) ? ALLOWED[element] : undefined
    if (!checks) return [`<${element}>`]
    if (element === 'input' && !('disabled' in attributes && attributes.type === 'checkbox'))
      return ['<input> that is a field']
    return Object.entries(attributes)
      .filter(([name, value]) => !(Object.hasOwn(checks, name) && checks[name]?.(value, attributes)))
      .map(([name, value]) => `<${element} ${name}="${value}">`)
  })
}

/**
 * What in a fragment could act, or is not on the closed list; empty when all is well. It is parsed as a browser parses
 * it, as the browser would parse what it has written out itself (which is how mutations come to life), and in a page,
 * whose own elements it must not close or open.
 */
export function faults(html: string): string[] {
  const written = serialize(parseFragment(html))
  const page = parseFragment(`<main>${html}</main><footer></footer>`).childNodes.map(({ nodeName }) => nodeName)
  return [
    ...faultsOf(html),
    ...faultsOf(written),
    ...faultsOf(serialize(parseFragment(written))),
    ...(page.join() === 'main,footer' ? [] : [`page of ${page}`]),
  ]
}
