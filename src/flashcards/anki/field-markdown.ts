import { address, type Dialect, htmlToMarkdown, span } from '../../lib/markdown/from-html'
import { escapeMarkdown } from '../../lib/markdown/writer'
import { writeMediaReference } from '../media/media-file'

/** The HTML of Anki's fields as Markdown. Sounds are links, pictures are images, both to `media:name`. */
const ANKI: Dialect = {
  xhtml: false,
  elements: {
    sub: span('<sub>', '</sub>'),
    sup: span('<sup>', '</sup>'),
    u: span('<u>', '</u>'),
    mark: span('<mark>', '</mark>'),
    img(writer, { src = '', alt = '' }) {
      const target = /^https?:/i.test(src) ? address(src) : writeMediaReference(decodeAddress(src).normalize('NFC'))
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
const SOUND_TAG = /\[sound:([^[\]\r\n<>]{1,300})\]/g
const SCRIPT_OR_STYLE = /<(?:script|style)\b/i

/** Throws ItemFault: too_deep, too_long. */
export function fieldToMarkdown(html: string): string {
  const marked = html.replace(
    SOUND_TAG,
    (_, name: string) => `<anki-sound src="${name.replaceAll('"', '&quot;')}"></anki-sound>`,
  )
  return htmlToMarkdown(marked, ANKI).trim()
}

/** Whether something in it is left out that a browser would run or apply. */
export function hasScriptOrStyle(html: string): boolean {
  return SCRIPT_OR_STYLE.test(html)
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A name with a percent sign of its own.
    return text
  }
}
