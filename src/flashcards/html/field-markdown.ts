import { Parser } from 'htmlparser2'
import { type Dialect, escapeAddress, htmlToMarkdown } from '../../lib/markdown/from-html'
import { escapeFalseMaths, takeMathsOutOfHtml } from '../../lib/markdown/maths'
import { escapeMarkdown } from '../../lib/markdown/writer'
import { writeMediaReference } from '../media/media-file'

/** How the HTML of Anki's fields becomes Markdown: sounds are links and pictures are images, both to `media:name`. */
const ANKI: Dialect = {
  xhtml: false,
  elements: {
    img(writer, { src = '', alt = '' }) {
      const target = /^https?:/i.test(src)
        ? escapeAddress(src)
        : writeMediaReference(decodeAddress(src).normalize('NFC'))
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

/**
 * Converts the HTML of a field to Markdown. Maths stays as it is.
 * @throws UnreadableItem too_deep, too_long
 */
export function fieldToMarkdown(html: string): string {
  const marked = html.replace(
    SOUND_TAG,
    (_, name: string) => `<anki-sound src="${name.replaceAll('"', '&quot;')}"></anki-sound>`,
  )
  const { text, restore } = takeMathsOutOfHtml(marked, decodeEntities)
  return restore(escapeFalseMaths(htmlToMarkdown(text, ANKI)), (maths) => maths).trim()
}

/** Decodes the entities of a text, once, as the HTML around it is. */
function decodeEntities(text: string): string {
  let decoded = ''
  const parser = new Parser({ ontext: (part) => (decoded += part) })
  parser.parseComplete(text.replaceAll('<', '&lt;'))
  return decoded
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The percent sign is part of the name.
    return text
  }
}
