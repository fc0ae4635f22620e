import { parseFragment, serialize } from 'parse5'
import { elementsOf, type Finding } from './html-tree'

/**
 * The closed list once more, written from what the design says and not from html.ts: the elements that may come out,
 * each with its attributes and what their values must be.
 */
const TEXT = 'p blockquote div pre hr br dl dt dd ul li table thead tbody tr caption summary'
const MARKS = 'b del em i ins kbd mark s small strong sub sup u'
const LEADS = ['http:', 'https:', 'mailto:']
const SHOWS = ['http:', 'https:']

type Check = (value: string, all: Finding['attributes']) => boolean

const any: Check = () => true
const alignment: Check = (value) => ['left', 'center', 'right'].includes(value)
const heading = { id: (value: string) => value.startsWith('h-') }
const WIKI = { class: (value: string) => value === 'wikilink', 'data-note-id': any, 'data-target': any }

const ALLOWED: Record<string, Record<string, Check>> = {
  ...Object.fromEntries(`${TEXT} ${MARKS}`.split(' ').map((name) => [name, {}])),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, heading])),
  ol: { start: (value) => /^\d+$/.test(value) },
  th: { align: alignment },
  td: { align: alignment },
  code: { class: (value) => /^language-\S+$/.test(value) },
  details: { open: any },
  a: {
    href: (value, all) => (all.class === undefined ? leads(value, LEADS) : isNoteOf(value, all)),
    title: any,
    ...WIKI,
  },
  img: { src: (value) => leads(value, SHOWS), alt: any, title: any },
  input: { type: (value) => value === 'checkbox', disabled: any, checked: any },
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
