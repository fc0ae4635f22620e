import { type Dialect, htmlToMarkdown } from '../../markdown/from-html'

/** ENML, the XHTML of Evernote: boxes to tick are elements of its own. */
const ENML: Dialect = {
  xhtml: true,
  elements: {
    'en-todo': (writer, { checked }) => {
      writer.todo(checked === 'true' || checked === 'checked')
      return undefined
    },
  },
}

/** The text of an Evernote note as Markdown. Throws ItemFault. */
export function enmlToMarkdown(enml: string): string {
  return htmlToMarkdown(enml, ENML)
}
