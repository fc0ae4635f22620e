import { Marked, type RendererObject, type TokenizerObject } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { isFileTarget } from '../../lib/file-target.ts'
import {
  DATA_PICTURE,
  LINK_SCHEMES,
  OTHER_HOST,
  readAddress,
  STRICT_ADDRESSES,
  TEXT_ELEMENTS,
} from '../../lib/markdown/allowed-html.ts'
import { readNotePath } from '../markdown/note-path.ts'
import { HeadingIds, stripInlineMarkup } from '../markdown/plain-text.ts'
import { scanMarkdown, type WikiLink } from '../markdown/scan-markdown.ts'
import { FILE_SCHEME, isRelativeAddress, writeFileTarget, writeRemoteTarget } from './shown-files.ts'

/** Returns the id of the note that a link's target resolves to, or null. The target is empty for the note itself. */
export type ResolveTarget = (target: string) => string | null

/**
 * In UTF-16 units: 16 times the largest body. Only text that multiplies, such as links to one long address, exceeds it.
 */
const MAX_HTML_LENGTH = 16 * 2 ** 20
/** Pictures and links whose addresses showFiles writes, on the thread that answers requests: as many as a note has links. */
const MAX_FILE_MARKS = 10_000
/** The most cells that the largest body can spell out. Short rows are padded to the width of the header. */
const MAX_TABLE_CELLS = 2 ** 19

/**
 * The allowlist: every element of the output, with its attributes and the patterns of their values. URLs must also have
 * one of the schemes of ALLOWLIST; relative URLs are allowed.
 */
const ELEMENTS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...toPlainElements([...TEXT_ELEMENTS, 'summary', 'caption']),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, { id: /^h-/ }])),
  ol: { start: /^\d{1,9}$/ },
  th: { align: /^(?:left|center|right)$/ },
  td: { align: /^(?:left|center|right)$/ },
  code: { class: /^language-\S+$/ },
  details: { open: /^/ },
  a: { href: /^/, title: /^/ },
  img: { src: /^/, alt: /^/, title: /^/, width: /^\d{1,4}$/, height: /^\d{1,4}$/ },
  input: { type: /^checkbox$/, checked: /^/, disabled: /^/ },
}
const ALLOWLIST = {
  allowedTags: Object.keys(ELEMENTS),
  allowedAttributes: {
    ...Object.fromEntries(Object.entries(ELEMENTS).map(([name, attributes]) => [name, Object.keys(attributes)])),
    a: ['href', 'title', 'class', 'data-note-id', 'data-target'],
  },
  allowedEmptyAttributes: ['alt', 'href', 'src'],
  ...STRICT_ADDRESSES,
  allowedSchemesByTag: { a: [...LINK_SCHEMES, FILE_SCHEME], img: ['http', 'https', 'data', FILE_SCHEME] },
  // Any other input than a disabled checkbox is a form field.
  exclusiveFilter: ({ tag, attribs }: sanitizeHtml.IFrame) =>
    tag === 'input' && !(attribs.type && 'disabled' in attribs),
}

/**
 * The tags of elements whose content browsers do not parse as HTML. GFM shows them as text; otherwise one could swallow
 * the rest of the page.
 */
const RAW_TEXT = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?:[\s/>]|$))/gi

function toPlainElements(names: readonly string[]): Record<string, Record<string, RegExp>> {
  return Object.fromEntries(names.map((name) => [name, {}]))
}

export interface ShownPictures {
  /** Whether the targets of files are marked for showFiles. Default: false, as GFM has it. */
  readonly files?: boolean
  /** Whether those of other hosts are shown; otherwise they are links. Default: true. */
  readonly remote?: boolean
}

/**
 * Renders a note's body (GFM) as a sanitized HTML fragment without active content: only elements of the allowlist. The
 * same body and the same resolution give the same text. There is no time limit here: marked takes minutes for hostile
 * text, so render-in-worker.ts limits it.
 * @throws RangeError if the body nests too deep for the stack, or the HTML exceeds MAX_HTML_LENGTH or MAX_FILE_MARKS
 */
export function renderHtml(markdown: string, resolve: ResolveTarget, shown: ShownPictures = {}): string {
  const links = new WikiLinks(markdown, resolve, shown.files ?? false)
  const html = links.restore(createMarked(links).parse(links.marked, { async: false }), Bun.escapeHTML)
  if (html.length > MAX_HTML_LENGTH) throw new RangeError('The HTML grows too long')
  const transformTags: sanitizeHtml.IOptions['transformTags'] = {
    '*': (tagName, attributes) => filterElement(tagName, attributes, links, shown),
  }
  const safe = sanitizeHtml(html, { ...ALLOWLIST, transformTags })
  if (safe.split(`"${FILE_SCHEME}:`).length > MAX_FILE_MARKS + 1) throw new RangeError('The HTML shows too many files')
  return safe
}

/**
 * Removes the attributes of an element that are not on the allowlist, sets those of a link to a note, and marks the targets
 * of files; see shown-files.ts.
 */
function filterElement(
  tagName: string,
  attributes: sanitizeHtml.Attributes,
  links: WikiLinks,
  { remote = true, files = false }: ShownPictures,
): sanitizeHtml.Tag {
  const link = /^(?:a|img)$/.test(tagName)
    ? links.find((tagName === 'a' ? attributes.href : attributes.src) ?? '')
    : null
  if (link) return toWikiElement(link, links)
  const path = tagName === 'a' ? readNotePath(attributes.href ?? '')?.path : undefined
  if (path !== undefined) {
    const title = attributes.title === undefined ? {} : { title: attributes.title }
    return { tagName, attribs: { ...toLinkAttributes(path, links.getNoteId(path)), ...title } }
  }
  const patterns = Object.hasOwn(ELEMENTS, tagName) ? (ELEMENTS[tagName] ?? {}) : {}
  const kept = Object.entries(attributes).filter(
    ([name, value]) => Object.hasOwn(patterns, name) && patterns[name]?.test(value),
  )
  const attribs = Object.fromEntries(kept)
  if (tagName === 'img') return toPicture(attribs, remote, files)
  if (tagName === 'a' && files) return { tagName, attribs: markFile('href', attribs, isFileTarget) }
  return { tagName, attribs }
}

/** Returns the attributes of a link to a note: its address and its id, or the target if there is no such note. */
function toLinkAttributes(target: string, id: string | null): sanitizeHtml.Attributes {
  return id === null
    ? { class: 'wikilink', 'data-target': target }
    : { class: 'wikilink', href: `/api/notes/${id}`, 'data-note-id': id }
}

function toPicture(attributes: sanitizeHtml.Attributes, remote: boolean, files: boolean): sanitizeHtml.Tag {
  const { src = '', ...attribs } = attributes
  const address = readAddress(src)
  if (!remote && OTHER_HOST.test(address))
    return { tagName: 'img', attribs: { src: writeRemoteTarget(address), ...attribs } }
  if (/^data:/i.test(address)) return { tagName: 'img', attribs: DATA_PICTURE.test(src) ? attributes : attribs }
  return { tagName: 'img', attribs: files ? markFile('src', attributes, () => true) : attributes }
}

/** Marks the address of a file, as the first attribute. A mark that the body brought along is removed. */
function markFile(
  name: 'src' | 'href',
  { [name]: address = '', ...rest }: sanitizeHtml.Attributes,
  isFile: (address: string) => boolean,
): sanitizeHtml.Attributes {
  if (address.trim().toLowerCase().startsWith(FILE_SCHEME)) return rest
  const path = address.replace(/[?#].*$/s, '')
  return { [name]: isRelativeAddress(path) && isFile(path) ? writeFileTarget(address) : address, ...rest }
}

/** Makes the element of a wiki link: a file that it embeds is a picture, as far as one can tell here. */
function toWikiElement(link: WikiLink, links: WikiLinks): sanitizeHtml.Tag {
  const { target, heading, alias } = link
  if (!links.isFile(link))
    return { tagName: 'a', attribs: toLinkAttributes(target || `#${heading ?? ''}`, links.getNoteId(target)) }
  const address = writeFileTarget(target)
  if (!links.isEmbeddedFile(link)) return { tagName: 'a', attribs: { href: address, class: 'wikilink' } }
  const [, width, height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(alias ?? '') ?? []
  const size = { ...(width ? { width } : {}), ...(height ? { height } : {}) }
  return { tagName: 'img', attribs: { src: address, alt: width ? target : links.getLabel(link), ...size } }
}

/**
 * The wiki links that our scanner finds, passed to marked as autolinks with a private scheme. So marked treats them as
 * our scanner does: as inline text that ends URLs and begins no block. Removes Obsidian's comments.
 */
class WikiLinks {
  readonly marked: string
  private readonly links: readonly WikiLink[]
  private readonly scheme: string
  private readonly pattern: RegExp

  constructor(
    private readonly source: string,
    private readonly resolve: ResolveTarget,
    private readonly files: boolean,
  ) {
    const { links, comments } = scanMarkdown(source)
    this.links = links
    // A body cannot contain its own hash, so no body can forge such a link.
    this.scheme = `wiki-${Bun.hash(source)}`
    this.pattern = new RegExp(`(?:<|&lt;|%3C)${this.scheme}:(\\d+)(?:>|&gt;|%3E)`, 'g')
    const cuts = [
      ...links.map(({ start, end }, index) => ({ start, end, text: `<${this.scheme}:${index}>` })),
      ...comments.filter(({ start }) => source.startsWith('%%', start)).map((span) => ({ ...span, text: '' })),
    ].sort((a, b) => a.start - b.start)
    const parts = cuts.map(({ start, text }, index) => source.slice(cuts[index - 1]?.end ?? 0, start) + text)
    this.marked = parts.join('') + source.slice(cuts.at(-1)?.end ?? 0)
  }

  /** Returns the wiki link of one of these autolinks; null for any other URL. */
  find(href: string): WikiLink | null {
    return href.startsWith(`${this.scheme}:`) ? (this.links[Number(href.slice(this.scheme.length + 1))] ?? null) : null
  }

  getNoteId(target: string): string | null {
    return this.resolve(target)
  }

  isFile(link: WikiLink): boolean {
    return this.files && isFileTarget(link.target) && this.getNoteId(link.target) === null
  }

  isEmbeddedFile(link: WikiLink): boolean {
    return link.embed && this.isFile(link)
  }

  getLabel({ alias, target, heading }: WikiLink): string {
    return alias ?? (heading === null ? target : `${target}#${heading}`)
  }

  /** Puts back the source of links that marked took for code or an attribute. */
  restore(text: string, show: (source: string) => string): string {
    return text.replace(this.pattern, (_, index) => {
      const link = this.links[Number(index)]
      return link ? show(this.source.slice(link.start, link.end)) : ''
    })
  }
}

function createMarked(links: WikiLinks): Marked {
  return new Marked({ gfm: true, tokenizer: createTokenizer(links), renderer: createRenderer(links) })
}

function createTokenizer(links: WikiLinks): TokenizerObject {
  let cells = 0
  return {
    autolink(source) {
      const [raw, href] = /^<([a-z]+-\d+:\d+)>/.exec(source) ?? []
      const link = raw && href ? links.find(href) : null
      if (!raw || !href || !link) return false
      const text = links.getLabel(link)
      // Links cannot nest: marked then shows a link around this one as text.
      this.lexer.state.linkEmitted = true
      return { type: 'link', raw, href, text, autolink: true, tokens: [{ type: 'text', raw: text, text }] }
    },
    table(source) {
      const [, , rule = '', rows = ''] = this.rules.block.table.exec(source) ?? []
      cells += rule.split('|').length * rows.split('\n').length
      if (cells > MAX_TABLE_CELLS) throw new RangeError('The tables have too many cells')
      return false
    },
  }
}

function createRenderer(links: WikiLinks): RendererObject {
  const ids = new HeadingIds()
  let length = 0
  /** Adds up URLs, since many links may share one long URL of a definition. False: marked renders the link as usual. */
  const addLength = ({ href, title }: { href: string; title?: string | null | undefined }): false => {
    length += href.length + (title?.length ?? 0)
    if (length > MAX_HTML_LENGTH) throw new RangeError('The addresses grow too long')
    return false
  }
  return {
    link(token) {
      const wiki = links.find(token.href)
      return wiki && links.isEmbeddedFile(wiki) ? `<img src="${token.href}">` : addLength(token)
    },
    image: addLength,
    heading({ tokens, depth, text }) {
      const id = ids.create(stripInlineMarkup(links.restore(text, (source) => source)))
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    html: ({ text }) => text.replace(RAW_TEXT, '&lt;'),
    text(token) {
      // Marked takes text between inline tags for escaped HTML; have it escape that text.
      if ('escaped' in token && token.escaped) token.escaped = false
      return false
    },
  }
}
