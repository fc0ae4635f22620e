/** Pasted HTML as Markdown, with the converter of the imports. Loaded when HTML is first pasted. */
import { UnreadableItem } from '../../src/lib/file-fault'
import { type Dialect, htmlToMarkdown, openStyle } from '../../src/lib/markdown/from-html'

const WEB_PAGE: Dialect = {
  xhtml: false,
  math: true,
  elements: {
    input(writer, { type, checked }) {
      if (type === 'checkbox') writer.todo(checked !== undefined)
      return undefined
    },
  },
  attributes: (writer, name, { style = '' }) => openStyle(writer, name, style),
}
/** One cell of a spreadsheet is copied as a table. */
const ONE_CELL = /^\|[^|\n]*\|\n\|[ -]*\|$/

/** Returns null if the Markdown would be the plain text, or text without the shape it has in the HTML. */
export function readPasted(html: string, plain: string): string | null {
  try {
    const markdown = htmlToMarkdown(html, WEB_PAGE).trim()
    return signs(markdown) === signs(plain) || ONE_CELL.test(markdown) ? null : markdown
  } catch (error) {
    // Too deep or too large for Markdown.
    if (!(error instanceof UnreadableItem)) throw error
    return null
  }
}

/** What tells Markdown from plain text: all but white space and escapes. */
const signs = (text: string) => text.replace(/\\(?=[!-/:-@[-`{-~])|[\s\u00a0]/g, '')
