import { type Dialect, escapeAddress, htmlToMarkdown, openSpanOf } from '../../lib/markdown/from-html'
import { escapeMarkdown } from '../../lib/markdown/writer'
import { mediaReference } from '../media/media-file'

/** The HTML of Anki's fields as Markdown. Sounds are links, pictures are images, both to `media:name`. */
const ANKI: Dialect = {
  xhtml: false,
  elements: {
    sub: openSpanOf('<sub>', '</sub>'),
    sup: openSpanOf('<sup>', '</sup>'),
    u: openSpanOf('<u>', '</u>'),
    mark: openSpanOf('<mark>', '</mark>'),
    img(writer, { src = '', alt = '' }) {
      const target = /^https?:/i.test(src) ? escapeAddress(src) : mediaReference(decoded(src).normalize('NFC'))
      const isKnown = src !== '' && !/^(?!https?:)[a-z]{2,}:/i.test(src)
      if (writer.code === null && isKnown) writer.add(`![${escapeMarkdown(alt, false)}](${target})`)
      return undefined
    },
    'anki-sound'(writer, { src = '' }) {
      if (writer.code === null) writer.add(`[${escapeMarkdown(src, false)}](${mediaReference(src.normalize('NFC'))})`)
      return undefined
    },
  },
}
const SOUND = /\[sound:([^[\]\r\n<>]{1,300})\]/g
const MUTED = /<(?:script|style)\b/i

/** Throws ItemFault: too_deep, too_long. */
export function fieldToMarkdown(html: string): string {
  const marked = html.replace(
    SOUND,
    (_, name: string) => `<anki-sound src="${name.replaceAll('"', '&quot;')}"></anki-sound>`,
  )
  return htmlToMarkdown(marked, ANKI).trim()
}

/** Whether something in it is left out that a browser would run or apply. */
export function holdsMuted(html: string): boolean {
  return MUTED.test(html)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A name with a percent sign of its own.
    return text
  }
}
