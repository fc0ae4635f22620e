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
import { writeTex } from '../../lib/markdown/tex.ts'
import { type MarkdownDocument, readDocument } from '../markdown/document.ts'
import { MAX_EMBED_DEPTH, MAX_EMBED_UNITS, RIGHT_TO_LEFT, readEmbedSize } from '../markdown/extensions.ts'
import { type LinkTo, labelOf } from '../markdown/inlines.ts'
import { readNotePath } from '../markdown/note-path.ts'
import { HeadingIds } from '../markdown/plain-text.ts'
import type { WikiLink } from '../markdown/scan-markdown.ts'
import {
  type Attributes,
  type Face,
  findPart,
  type Picture,
  type Place,
  readHeadings,
  Shower,
  type TaskBox,
} from '../markdown/show.ts'
import { FILE_SCHEME, isRelativeAddress, writeFileTarget, writeRemoteTarget } from './shown-files.ts'

/** Returns the id of the note that a link's target resolves to, or null. The target is empty for the note itself. */
export type ResolveTarget = (target: string) => string | null

/**
 * In UTF-16 units: 16 times the largest body. Only text that multiplies, such as links to one long address, exceeds it.
 */
const MAX_HTML_LENGTH = 16 * 2 ** 20
/** Pictures and links whose addresses showFiles writes, on the thread that answers requests: as many as a note has links. */
const MAX_FILE_MARKS = 10_000
/** Formulas of one note, each of which takes a fraction of a millisecond; others are shown as they are written. */
const MAX_FORMULAS = 2000
/** The place of a formula in the HTML until it has passed the sanitizer. */
const MATHS_PLACE = 'maths-place'

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
/** What only elements that are made here have; see HtmlFace. */
const OWN = 'align aria-label class data-callout data-note-id data-target data-task dir id n'.split(' ')
const ALLOWLIST = {
  allowedTags: [...Object.keys(ELEMENTS), 'section', MATHS_PLACE],
  allowedAttributes: {
    '*': OWN,
    ...Object.fromEntries(Object.entries(ELEMENTS).map(([name, attributes]) => [name, Object.keys(attributes)])),
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

/** A note that another one shows in itself, and the ids of the notes that its links lead to. */
export interface EmbeddedNote {
  readonly body: string
  readonly targets: ReadonlyMap<string, string>
}

export interface ShownParts {
  /** Whether the targets of files are marked for showFiles. Default: false, as GFM has it. */
  readonly files?: boolean
  /** Whether pictures of other hosts are shown; otherwise they are links. Default: true. */
  readonly remote?: boolean
  /** Whether a line end within a paragraph is one, as Obsidian has it. Default: true. */
  readonly lineBreaks?: boolean
  /** The notes that may be shown in this one, by their ids. */
  readonly notes?: ReadonlyMap<string, EmbeddedNote>
}

/**
 * Renders a note's body as a sanitized HTML fragment without active content: only elements of the allowlist. The same body
 * and the same resolution give the same text.
 * @throws RangeError if the body nests too deep, or the HTML exceeds MAX_HTML_LENGTH or MAX_FILE_MARKS
 */
export function renderHtml(markdown: string, resolve: ResolveTarget, shown: ShownParts = {}): string {
  const page = new Page(markdown, shown)
  const html = page.show(readDocument(markdown), new HtmlFace(page, resolve, [resolve('') ?? '']), null).join('')
  if (html.length > MAX_HTML_LENGTH) throw new RangeError('The HTML grows too long')
  const transformTags: sanitizeHtml.IOptions['transformTags'] = {
    '*': (tagName, attributes) => filterElement(tagName, attributes, page, resolve),
  }
  const safe = sanitizeHtml(html, { ...ALLOWLIST, transformTags })
  if (safe.split(`"${FILE_SCHEME}:`).length > MAX_FILE_MARKS + 1) throw new RangeError('The HTML shows too many files')
  return page.writeMaths(safe)
}

/** What one HTML has of all notes that it shows. */
class Page {
  /** The attribute of the elements that are made here. No body contains a digest of itself, so none can forge one. */
  readonly own: string
  readonly directions: boolean
  private readonly ids = new HeadingIds()
  private readonly documents = new Map<string, MarkdownDocument>()
  private readonly formulas: string[] = []
  private embeds = 0
  private embedUnits = 0
  private addressUnits = 0

  constructor(
    markdown: string,
    readonly shown: ShownParts,
  ) {
    const digest = new Bun.CryptoHasher('sha256').update(markdown)
    for (const { body } of shown.notes?.values() ?? []) digest.update('\0').update(body)
    this.own = `own-${digest.digest('hex').slice(0, 32)}`
    this.directions = RIGHT_TO_LEFT.test(markdown)
  }

  /** Shows a document, or the part of it with this name; nothing if it has no such part. */
  show(document: MarkdownDocument, face: HtmlFace, part: string | null): string[] {
    const blocks = part === null ? document.blocks : findPart(document, part)
    if (!blocks) return []
    const prefix = this.embeds === 0 ? '' : `${this.embeds}-`
    const shower = new Shower(document, face, readHeadings(document, this.ids), prefix)
    return part === null ? shower.showAll() : shower.showPart(blocks)
  }

  /** Reads a note to be shown in another one; null if it is not there, or would be too much. */
  readEmbedded(id: string): { readonly note: EmbeddedNote; readonly document: MarkdownDocument } | null {
    const note = this.shown.notes?.get(id)
    if (!note || this.embedUnits + note.body.length > MAX_EMBED_UNITS) return null
    this.embedUnits += note.body.length
    this.embeds += 1
    const document = this.documents.get(id) ?? readDocument(note.body)
    this.documents.set(id, document)
    return { note, document }
  }

  /** Adds up addresses, since many links may share one long address of a definition. */
  addAddress({ href, title }: LinkTo): void {
    this.addressUnits += href.length + title.length
    if (this.addressUnits > MAX_HTML_LENGTH) throw new RangeError('The addresses grow too long')
  }

  /** Returns the place of a formula, or its source. */
  addMaths(tex: string, isBlock: boolean): string {
    const formula = this.formulas.length < MAX_FORMULAS ? writeTex(tex, isBlock) : null
    if (formula === null) return this.write('code', { dir: 'ltr' }, Bun.escapeHTML(tex))
    return this.write(MATHS_PLACE, { n: this.formulas.push(formula) - 1 }, '')
  }

  writeMaths(html: string): string {
    const place = new RegExp(`<${MATHS_PLACE} n="(\\d+)"></${MATHS_PLACE}>`, 'g')
    return html.replace(place, (_, index: string) => this.formulas[Number(index)] ?? '')
  }

  /** Writes an element. What has attributes is marked as one of ours. */
  write(name: string, attributes: Attributes, content: string | null): string {
    const written = writeAttributes(attributes)
    const tag = written === '' ? name : `${name} ${this.own}=""${written}`
    return content === null ? `<${tag}>` : `<${tag}>${content}</${name}>`
  }
}

function writeAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      if (value === undefined) return ''
      // The name of a language may have entities.
      const text = name === 'class' ? escapeWritten(String(value)) : Bun.escapeHTML(String(value))
      return ` ${name}="${value === true ? '' : text}"`
    })
    .join('')
}

const EMPTY = new Set(['br', 'hr'])
/** Elements behind which a line ends, and those within which lines stand. */
const LINES = new Set('blockquote ul ol table thead tbody tr details section div'.split(' '))
const BLOCKS = new Set([...LINES, ...'p h1 h2 h3 h4 h5 h6 hr pre li th td summary'.split(' ')])

/** Writes the HTML of one note. */
class HtmlFace implements Face<string> {
  readonly lineBreaks: boolean
  readonly directions: boolean

  /** @param chain the ids of the notes around what is shown, this note's last */
  constructor(
    private readonly page: Page,
    private readonly resolve: ResolveTarget,
    private readonly chain: readonly string[],
  ) {
    this.lineBreaks = page.shown.lineBreaks ?? true
    this.directions = page.directions
  }

  text(text: string): string {
    return Bun.escapeHTML(text)
  }

  /** The sanitizer decodes it, as a browser does. */
  entity(written: string): string {
    return written
  }

  element(name: string, attributes: Attributes, children: readonly string[]): string {
    // The app alone has no bullets at the items of tasks.
    if (name === 'li' && attributes.class === 'task')
      return this.element(name, { ...attributes, class: undefined }, children)
    const content = EMPTY.has(name) ? null : `${LINES.has(name) ? '\n' : ''}${children.join('')}`
    return this.page.write(name, attributes, content) + (BLOCKS.has(name) || name === 'br' ? '\n' : '')
  }

  html(source: string, isBlock: boolean): string {
    return source.replace(RAW_TEXT, '&lt;') + (isBlock ? '\n' : '')
  }

  link(to: LinkTo, content: readonly string[], { inLink }: Place): string {
    if (inLink) return content.join('')
    this.page.addAddress(to)
    return `<a href="${writeAddress(to.href)}"${writeTitle(to)}>${content.join('')}</a>`
  }

  picture({ alt, width, height, ...to }: Picture): string {
    this.page.addAddress(to)
    const size = writeAttributes({ width, height })
    return `<img src="${writeAddress(to.href)}" alt="${escapeWritten(alt)}"${writeTitle(to)}${size}>`
  }

  wikiLink(link: WikiLink, { inLink }: Place): string {
    const { target, heading, alias, embed } = link
    const label = labelOf(link)
    if (!this.isFile(link)) {
      if (inLink) return this.text(label)
      return this.page.write(
        'a',
        toLinkAttributes(target || `#${heading ?? ''}`, this.resolve(target)),
        this.text(label),
      )
    }
    const address = writeFileTarget(target)
    if (!embed)
      return inLink ? this.text(label) : this.page.write('a', { href: address, class: 'wikilink' }, this.text(label))
    const size = readEmbedSize(alias)
    return this.page.write('img', { src: address, alt: size ? target : label, ...size }, null)
  }

  private isFile({ target }: WikiLink): boolean {
    return (this.page.shown.files ?? false) && isFileTarget(target) && this.resolve(target) === null
  }

  embed(link: WikiLink): string | null {
    const id = this.isFile(link) ? null : this.resolve(link.target)
    if (id === null || this.chain.length > MAX_EMBED_DEPTH || this.chain.includes(id)) return null
    const embedded = this.page.readEmbedded(id)
    if (!embedded) return null
    const { note, document } = embedded
    const face = new HtmlFace(this.page, (target) => note.targets.get(target) ?? null, [...this.chain, id])
    const shown = this.page.show(document, face, link.heading)
    if (shown.length === 0) return null
    const title = this.element('p', { class: 'embed-title' }, [this.wikiLink(link, { inLink: false })])
    return this.element('div', { class: 'embed', 'data-note-id': id }, [title, ...shown])
  }

  tag(name: string): string {
    return this.text(`#${name}`)
  }

  maths(tex: string, isBlock: boolean): string {
    return this.page.addMaths(tex, isBlock)
  }

  box({ state }: TaskBox): string {
    const isDone = /x/i.test(state)
    const task = isDone || state === ' ' ? undefined : state
    const attributes = { checked: isDone ? (true as const) : undefined, disabled: true as const, type: 'checkbox' }
    return this.page.write('input', { ...attributes, 'data-task': task }, null)
  }

  jump(to: string, label: string, content: readonly string[], { inLink }: Place): string {
    if (inLink) return content.join('')
    return this.page.write('a', { href: `#${to}`, 'aria-label': label }, content.join(''))
  }
}

/** Writes an address in an attribute, percent-encoded where it is not yet. */
function writeAddress(href: string): string {
  return escapeWritten(encodeURI(href.toWellFormed()).replaceAll('%25', '%'))
}

function writeTitle({ title }: LinkTo): string {
  return title === '' ? '' : ` title="${escapeWritten(title)}"`
}

/** Escapes a text that may have entities, which stay. */
function escapeWritten(text: string): string {
  return text.replace(/&(?!#?\w+;)|[<>"]/g, (sign) => Bun.escapeHTML(sign))
}

/**
 * Removes the attributes of an element that are not on the allowlist, but for elements that are made here, and marks the
 * targets of files; see shown-files.ts.
 */
function filterElement(
  tagName: string,
  attributes: sanitizeHtml.Attributes,
  { own, shown: { remote = true, files = false } }: Page,
  resolve: ResolveTarget,
): sanitizeHtml.Tag {
  // In a tag that the body leaves open, the mark comes after what the body wrote.
  if (Object.keys(attributes)[0] === own) {
    const { [own]: _mark, ...attribs } = attributes
    return { tagName, attribs }
  }
  const path = tagName === 'a' ? readNotePath(attributes.href ?? '')?.path : undefined
  if (path !== undefined) {
    const title = attributes.title === undefined ? {} : { title: attributes.title }
    return { tagName, attribs: { ...toLinkAttributes(path, resolve(path)), ...title } }
  }
  // Only this page writes such places.
  if (tagName === MATHS_PLACE) return { tagName: '', attribs: {} }
  const patterns = Object.hasOwn(ELEMENTS, tagName) ? (ELEMENTS[tagName] ?? {}) : {}
  const kept = Object.entries(attributes).filter(
    ([name, value]) => Object.hasOwn(patterns, name) && patterns[name]?.test(value),
  )
  // A tag that the body leaves open takes what is written after it for a value.
  const attribs = Object.fromEntries(kept.map(([name, value]) => [name, value.replaceAll(` ${own}=""`, '')]))
  if (tagName === 'img') return toPicture(attribs, remote, files)
  if (tagName === 'a' && files) return { tagName, attribs: markFile('href', attribs, isFileTarget) }
  return { tagName, attribs }
}

/** Returns the attributes of a link to a note: its address and its id, or the target if there is no such note. */
function toLinkAttributes(target: string, id: string | null): Record<string, string> {
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
