import { Marked } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { readMediaReference } from '../media/media-file'

/** The Markdown of facts as the HTML of Anki's fields, in which nothing can act. */

const ALLOWED_TAGS =
  'blockquote div dl dt dd hr p pre ul ol li table thead tbody tr th td b br del em i ins kbd mark s small strong sub sup u code h1 h2 h3 h4 h5 h6'
const SOUND_FILE = /\.(mp3|ogg|oga|opus|wav|m4a|flac|aac|3gp|mp4|webm|mkv|mov|avi)$/i
/** Marks of emphasis beyond which the parser would take seconds for one text: its time grows with their square. */
const MAX_EMPHASIS_MARKS = 1000
const SANITIZE_OPTIONS = {
  allowedTags: [...ALLOWED_TAGS.split(' '), 'a', 'img'],
  allowedAttributes: { a: ['href', 'title'], img: ['src', 'alt', 'title'], ol: ['start'] },
  allowedEmptyAttributes: ['alt'],
  allowedSchemes: [],
  allowedSchemesByTag: { a: ['http', 'https', 'mailto'], img: ['http', 'https'] },
  allowProtocolRelative: false,
  nestingLimit: 200,
}

const marked = new Marked({
  gfm: true,
  renderer: {
    link({ href, tokens }) {
      const name = readMediaReference(href)
      if (name === null) return false
      return SOUND_FILE.test(name)
        ? `[sound:${Bun.escapeHTML(name)}]`
        : `<a href="${toMediaAddress(name)}">${this.parser.parseInline(tokens)}</a>`
    },
    image({ href, text }) {
      const name = readMediaReference(href)
      return name === null ? false : `<img src="${toMediaAddress(name)}" alt="${Bun.escapeHTML(text)}">`
    },
    // Every task list would need a form's field.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

/**
 * A field's HTML; a single paragraph has no tags around it, as in Anki's own fields. What is too much for the parser is
 * written as it is.
 */
export function markdownToField(markdown: string): string {
  const html = sanitizeHtml(renderHtml(markdown), SANITIZE_OPTIONS).trim()
  const [, paragraph] = /^<p>([\s\S]*)<\/p>$/.exec(html) ?? []
  // Anki divides fields by this character.
  return (paragraph === undefined || paragraph.includes('<p>') ? html : paragraph).replaceAll('\x1f', ' ')
}

function renderHtml(markdown: string): string {
  if ((markdown.match(/[*_~]/g)?.length ?? 0) > MAX_EMPHASIS_MARKS) return renderPlain(markdown)
  try {
    return marked.parse(markdown, { async: false })
  } catch (error) {
    if (error instanceof RangeError) return renderPlain(markdown)
    throw error
  }
}

function renderPlain(markdown: string): string {
  return `<pre>${Bun.escapeHTML(markdown)}</pre>`
}

/** Anki takes addresses of media as they are, but for the signs of HTML. A relative address has no scheme. */
function toMediaAddress(name: string): string {
  return Bun.escapeHTML(name.includes(':') ? encodeURIComponent(name) : name.replaceAll('%', '%25'))
}
