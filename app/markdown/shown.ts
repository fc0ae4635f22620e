import type { Token } from 'marked'
import { titleKey } from '../../src/lib/text'
import { collapseWhitespace, HeadingIds, stripInlineMarkup } from '../../src/notes/markdown/plain-text'
import type { MarkdownActions } from './actions'
import { type LexedBody, lexBody, TooComplexError } from './lexer'
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
  /** The ids of headings by titleKey of their texts and by themselves. */
  readonly headingIds: ReadonlyMap<string, string>
}

/** What the elements of a body are made from. */
export interface Shown extends ReadBody {
  readonly actions: MarkdownActions
}

/** UTF-16 units of a body that is shown as Markdown; a longer one is shown as plain text. */
const MAX_BODY_UNITS = 400_000

/** The last body, since a page shows its text and its outline. */
let last: { readonly body: string; readonly read: ReadBody } | null = null

/** @throws TooComplexError if the body is too large, or takes too long */
export function readBody(body: string): ReadBody {
  if (last?.body === body) return last.read
  if (body.length > MAX_BODY_UNITS) throw new TooComplexError('The text is too large')
  const source = readSource(body)
  const lexed = lexBody(source)
  const headings = new Map<Token, OutlineHeading>()
  const headingIds = new Map<string, string>()
  const ids = new HeadingIds()
  collectHeadings([...lexed.blocks, ...lexed.footnotes.flat()], source, (token, level, text) => {
    const id = ids.create(text)
    headings.set(token, { level, text, id })
    for (const name of [titleKey(text), id]) if (!headingIds.has(name)) headingIds.set(name, id)
  })
  const read = { source, lexed, headings, headingIds }
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
