import type { Token } from 'marked'
import { HeadingIds } from '../../src/notes/markdown/heading-ids'
import { collapseWhitespace, stripInlineMarkup } from '../../src/notes/markdown/plain-text'
import type { MarkdownActions } from './actions'
import { type LexedBody, lexBody } from './lexer'
import { readSource, type Source } from './source'

/** A heading of a note. */
export interface OutlineHeading {
  readonly level: number
  /** Plain text on one line; may be empty. */
  readonly text: string
  /** The id of its element. */
  readonly id: string
}

/** A body that is read, with the ids of its headings. */
export interface ReadBody {
  readonly source: Source
  readonly lexed: LexedBody
  readonly headings: ReadonlyMap<Token, OutlineHeading>
}

/** What the elements of a body are made from. */
export interface Shown extends ReadBody {
  readonly actions: MarkdownActions
}

/** The last body, since a page shows its text and its outline. */
let last: { readonly body: string; readonly read: ReadBody } | null = null

/** @throws TooComplexError if the body is too large, or takes too long */
export function readBody(body: string): ReadBody {
  if (last?.body === body) return last.read
  const source = readSource(body)
  const lexed = lexBody(source)
  const headings = new Map<Token, OutlineHeading>()
  const ids = new HeadingIds()
  collectHeadings([...lexed.blocks, ...lexed.footnotes.flat()], source, (token, level, text) =>
    headings.set(token, { level, text, id: ids.create(text) }),
  )
  const read = { source, lexed, headings }
  last = { body, read }
  return read
}

/** Walks the headings, also those of quotes and lists, in the order of the body. */
function collectHeadings(
  tokens: readonly Token[],
  source: Source,
  found: (token: Token, level: number, text: string) => void,
): void {
  for (const token of tokens) {
    if (token.type === 'heading')
      found(token, token.depth, collapseWhitespace(stripInlineMarkup(source.restore(token.text))))
    else if (token.type === 'blockquote') collectHeadings(token.tokens ?? [], source, found)
    else if (token.type === 'list') for (const item of token.items) collectHeadings(item.tokens, source, found)
  }
}
