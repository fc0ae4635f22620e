import { type ComponentChild, h } from 'preact'
import { decodeEntities } from './entities'

/** The elements of HTML that a note may hold, none of them with attributes. Other HTML is shown as it is written. */
const INLINE = ['kbd', 'mark', 'sub', 'sup']
const BLOCKS = ['details', 'summary']
const TAG = /<(\/?)([a-z]+)(?:\s[^<>]*)?\/?>/gi
const COMMENT = /<!--[\s\S]*?-->/g
/** Levels of nested elements; deeper tags are text. */
const MAX_DEPTH = 24

/** A part of a text that may hold HTML: a tag, or what is shown between tags. */
export type HtmlPart =
  | { readonly kind: 'open' | 'close'; readonly name: string; readonly written: string }
  | { readonly kind: 'child'; readonly child: ComponentChild }

const asChild = (child: ComponentChild): HtmlPart => ({ kind: 'child', child })

/** Reads HTML within a line, which marked hands over tag by tag. */
export function readInlineHtml(html: string): HtmlPart[] {
  return splitTags(withoutComments(html), INLINE)
}

/** Reads a block of HTML. Text between the tags of blocks is a paragraph of its own. */
export function readHtmlBlock(html: string): HtmlPart[] {
  const parts: HtmlPart[] = []
  let line: HtmlPart[] = []
  let inSummary = false
  const endLine = () => {
    const isBlank = line.every((part) => part.kind === 'child' && typeof part.child === 'string' && !part.child.trim())
    if (!isBlank) parts.push(asChild(h(inSummary ? 'span' : 'p', { dir: 'auto', class: 'md-html' }, nest(line))))
    line = []
  }
  for (const part of splitTags(withoutComments(html), [...INLINE, ...BLOCKS])) {
    if (part.kind === 'child' || !BLOCKS.includes(part.name)) line.push(part)
    else {
      endLine()
      parts.push(part)
      inSummary = part.kind === 'open' && part.name === 'summary'
    }
  }
  endLine()
  return parts
}

/** Removes comments, as far as they end: without that, each beginning would be read to the end of the text. */
function withoutComments(html: string): string {
  const end = html.lastIndexOf('-->') + 3
  return end < 3 ? html : html.slice(0, end).replace(COMMENT, '') + html.slice(end)
}

function splitTags(html: string, names: readonly string[]): HtmlPart[] {
  const parts: HtmlPart[] = []
  let from = 0
  for (const match of html.matchAll(TAG)) {
    const [written, slash, tag = ''] = match
    const name = tag.toLowerCase()
    if (name !== 'br' && !names.includes(name)) continue
    if (match.index > from) parts.push(asChild(decodeEntities(html.slice(from, match.index))))
    if (name === 'br') parts.push(asChild(h('br', null)))
    else parts.push({ kind: slash ? 'close' : 'open', name, written })
    from = match.index + written.length
  }
  if (from < html.length) parts.push(asChild(decodeEntities(html.slice(from))))
  return parts
}

interface Frame {
  readonly name: string
  readonly written: string
  readonly children: ComponentChild[]
}

/** Makes elements of the tags that have their other one; tags without it are text. */
export function nest(parts: readonly HtmlPart[]): ComponentChild[] {
  const root: Frame = { name: '', written: '', children: [] }
  const open: Frame[] = []
  const getInnermost = () => open.at(-1) ?? root
  const leave = () => {
    const frame = open.pop()
    if (!frame) return
    const { children } = getInnermost()
    children.push(frame.written)
    // Not all at once: there may be more than a call takes arguments.
    for (const child of frame.children) children.push(child)
  }
  for (const part of parts) {
    if (part.kind === 'child') getInnermost().children.push(part.child)
    else if (part.kind === 'open' && open.length < MAX_DEPTH) open.push({ ...part, children: [] })
    else if (part.kind === 'close' && open.some(({ name }) => name === part.name)) {
      while (open.at(-1)?.name !== part.name) leave()
      const frame = open.pop()
      if (frame) getInnermost().children.push(h(frame.name, null, frame.children))
    } else getInnermost().children.push(part.written)
  }
  while (open.length > 0) leave()
  return root.children
}
