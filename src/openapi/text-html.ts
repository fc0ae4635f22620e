/** Markdown of the document as HTML, with links that work wherever the server is mounted. */
import { Marked } from 'marked'

export const escapeHtml = Bun.escapeHTML

/** Returns a link target relative to the page: what begins with a slash is below `root`. */
export function relativeTo(root: string, target: string): string {
  return target.startsWith('/') && !target.startsWith('//') ? root + target.slice(1) : target
}

/** The readers of Markdown by their way to the root: links are written when they are read. */
const READERS = new Map<string, Marked>()

/** Renders Markdown of ours; HTML in it is shown as text. @param root the way from the page to the root, `../` for example */
export function renderMarkdown(markdown: string, root: string, kind: 'blocks' | 'inline' = 'blocks'): string {
  const reader = READERS.getOrInsertComputed(root, createReader)
  return String(kind === 'inline' ? reader.parseInline(markdown) : reader.parse(markdown)).trim()
}

function createReader(root: string): Marked {
  return new Marked({
    walkTokens: (token) => {
      if (token.type === 'link') token.href = relativeTo(root, token.href)
    },
    renderer: { html: ({ text }) => escapeHtml(text) },
  })
}
