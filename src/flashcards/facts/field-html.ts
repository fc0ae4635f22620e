import { Parser } from 'htmlparser2'
import { Marked, Renderer } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { LINK_SCHEMES, STRICT_ADDRESSES, TEXT_ELEMENTS } from '../../lib/markdown/allowed-html'
import { type Dialect, escapeAddress, htmlToMarkdown } from '../../lib/markdown/from-html'
import type { HtmlWriter } from '../../lib/markdown/html-writer'
import {
  escapeFalseMaths,
  findFieldLiterals,
  takeMathsOut,
  takeMathsOutOfField,
  writeFieldMaths,
} from '../../lib/markdown/maths'
import { escapeMarkdown } from '../../lib/markdown/writer'
import { replaceParts } from '../../lib/text'
import { decodeAddress, readMediaReference, writeMediaReference } from '../media/media-file'

/** Between the Markdown of facts and the HTML of Anki's fields, which is sanitized. */

const SOUND_FILE = /\.(mp3|ogg|oga|opus|wav|m4a|flac|aac|3gp|mp4|webm|mkv|mov|avi)$/i
/** The most emphasis marks that are parsed. Parsing time grows with their square, to seconds for one text. */
const MAX_EMPHASIS_MARKS = 1000
const RUBY = ['ruby', 'rb', 'rt', 'rp']
const SANITIZE_OPTIONS = {
  allowedTags: [...TEXT_ELEMENTS, ...RUBY, 'a', 'img'],
  allowedAttributes: { a: ['href', 'title'], img: ['src', 'alt', 'title'], ol: ['start'] },
  allowedEmptyAttributes: ['alt'],
  ...STRICT_ADDRESSES,
  allowedSchemesByTag: { a: [...LINK_SCHEMES], img: ['http', 'https'] },
}

const HAN = String.raw`\p{sc=Han}々〆ヶ`
const KANA = String.raw`\p{sc=Hiragana}\p{sc=Katakana}ー`
/**
 * A word in Han characters, and in brackets how it is read: `日本[にほん]`. With kana at its end it begins at a space:
 * `食べる[たべる]`. As in Anki, the space before a word only says where it begins.
 */
const FURIGANA = new RegExp(
  String.raw`(?:(?<=[${HAN}${KANA}、。]) )?([${HAN}]{1,20}|(?<=^|\s)[${HAN}][${HAN}${KANA}]{0,20}[${KANA}])\[(\p{L}[^[\]<>]{0,99})\]`,
  'gu',
)

/** The line below a heading without `#`. The parser's own search for it takes 4 µs for each character before it. */
const HEADING_LINE = /\n {0,3}(?:=+|-+)[ \t]*(?:\n|$)/

const marked = new Marked({
  gfm: true,
  tokenizer: { lheading: (src) => (HEADING_LINE.test(src) ? false : undefined) },
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
    text(token) {
      if ('tokens' in token && token.tokens) return false
      return Renderer.prototype.text.call(this, token).replace(FURIGANA, '<ruby>$1<rt>$2</rt></ruby>')
    },
    // A checkbox would be a form field, which the sanitizer removes.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

/** What begins maths in a field. Text that only looks so is written with entities. */
const FALSE_MATHS = /\\(?=[([])|\[(?=(?:latex|\$\$?)\])/gi

/**
 * Returns the HTML of a field. Maths stays TeX, between the marks that fields have. A single paragraph is not
 * wrapped in tags, as in Anki's own fields. Markdown that is too much for the parser is shown unparsed.
 */
export function markdownToField(markdown: string): string {
  const { text, restore } = takeMathsOut(markdown)
  const safe = sanitizeHtml(renderHtml(text), SANITIZE_OPTIONS).trim()
  const bare = safe.replace(FALSE_MATHS, (sign) => `&#${sign.charCodeAt(0)};`)
  const html = restore(bare, (maths) => escapeText(writeFieldMaths(maths)))
  const [, paragraph] = /^<p>([\s\S]*)<\/p>$/.exec(html) ?? []
  // Anki separates fields by this character.
  return (paragraph === undefined || paragraph.includes('<p>') ? html : paragraph).replaceAll('\x1f', ' ')
}

/**
 * Returns the HTML of a field with clozes. Anki reads these before code and maths, so what would end a cloze in them, or
 * begin its hint, is written with entities, unless the cloze is in them, too.
 */
export function clozeToField(markdown: string): string {
  const html = markdownToField(markdown)
  const { maths, code } = findFieldLiterals(html)
  const parts = [...maths, ...code].map(([from, to]) => ({ from, to, text: html.slice(from, to) }))
  const changes = parts.flatMap(({ from, to, text }) => {
    const safe = text.replace(/([}:])(?=\1)/g, (sign) => `&#${sign.charCodeAt(0)};`)
    return text.includes('{{c') ? [] : [{ from, to, text: safe }]
  })
  return replaceParts(
    html,
    changes.sort((a, b) => a.from - b.from),
  )
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

/** Escapes for text and for attributes, where a picture's description may hold maths. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function renderPlain(markdown: string): string {
  return `<pre>${Bun.escapeHTML(markdown)}</pre>`
}

/**
 * Returns the address of a medium as Anki reads it: only HTML is escaped. A name with a colon would look like a scheme.
 */
function toMediaAddress(name: string): string {
  return Bun.escapeHTML(name.includes(':') ? encodeURIComponent(name) : name.replaceAll('%', '%25'))
}

/** How the HTML of Anki's fields becomes Markdown: sounds are links and pictures are images, both to `media:name`. */
const ANKI: Dialect = {
  xhtml: false,
  elements: {
    ...Object.fromEntries(
      RUBY.map((name) => [name, (writer: HtmlWriter) => writer.openMark(`<${name}>`, `</${name}>`)]),
    ),
    img(writer, { src = '', alt = '' }) {
      const target = /^https?:/i.test(src) ? escapeAddress(src) : writeMediaReference(decodeAddress(src))
      const isKnown = src !== '' && !/^(?!https?:)[a-z]{2,}:/i.test(src)
      if (writer.code === null && isKnown) writer.add(`![${escapeMarkdown(alt, false)}](${target})`)
      return undefined
    },
    'anki-sound'(writer, { src = '' }) {
      if (writer.code === null)
        writer.add(`[${escapeMarkdown(src, false)}](${writeMediaReference(src.normalize('NFC'))})`)
      return undefined
    },
  },
}
export const SOUND_TAG = /\[sound:([^[\]\r\n<>]{1,300})\]/g

/**
 * Converts the HTML of a field to Markdown. Maths stays as it is.
 * @throws UnreadableItem too_deep, too_long
 */
export function fieldToMarkdown(html: string): string {
  const { text, restore } = takeMathsOutOfField(markSounds(html), decodeEntities)
  return restore(escapeFalseMaths(htmlToMarkdown(text, ANKI)), (maths) => maths).trim()
}

/** Marks the sounds of a text, which Anki writes outside of HTML. */
export function markSounds(html: string): string {
  return html.replace(
    SOUND_TAG,
    (_, name: string) => `<anki-sound src="${name.replaceAll('"', '&quot;')}"></anki-sound>`,
  )
}

/** Decodes the entities of a text, once, as the HTML around it is. */
export function decodeEntities(text: string): string {
  return readText(text.replaceAll('<', '&lt;'))
}

/** The text of a field as Anki compares it with what is typed: without sounds and tags, with a space between lines. */
export function fieldToPlainText(html: string): string {
  const line = html.replace(SOUND_TAG, '').replace(/(?:\n|<br\s?\/?>|<\/?div>)+/gi, ' ')
  return readText(line).replaceAll('\u00a0', ' ').trim()
}

function readText(html: string): string {
  let text = ''
  let silent = 0
  const isSilent = (name: string) => Number(name === 'style' || name === 'script')
  const parser = new Parser({
    onopentagname: (name) => (silent += isSilent(name)),
    onclosetag: (name) => (silent -= isSilent(name)),
    ontext: (part) => (text += silent > 0 ? '' : part),
  })
  parser.parseComplete(html)
  return text
}
