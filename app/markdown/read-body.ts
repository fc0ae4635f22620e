import { type Block, type MarkdownDocument, readDocument } from '../../src/notes/markdown/document'
import { createHeadingFinder, readHeadingPath } from '../../src/notes/markdown/headings'
import { type OutlineHeading, readHeadings } from '../../src/notes/markdown/show'

/** A body that is read, with the ids of its headings. */
export interface ReadBody {
  /** The text of the front matter without its lines of dashes, or null. */
  readonly frontMatter: string | null
  /** Where the text behind the front matter begins, in UTF-16 units. */
  readonly from: number
  readonly document: MarkdownDocument
  readonly headings: ReadonlyMap<Block, OutlineHeading>
  /** Returns the id of the heading that a link names by its path or its id. */
  findHeading(written: string): string | undefined
}

/** The body is too large or too complex to be shown as elements. */
export class TooComplexError extends Error {}

/** UTF-16 units of a body that is shown as Markdown; a longer one would be too many elements. */
const MAX_BODY_UNITS = 400_000
/** Of all tables together. */
const MAX_CELLS = 40_000
const FRONT_MATTER = /^---[ \t]*\r?\n(?=[\w"'-][^\r\n]*:)([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** The last body, since a page shows its text and its outline. */
let last: { readonly body: string; readonly read: ReadBody } | null = null

/** @throws TooComplexError */
export function readBody(body: string): ReadBody {
  if (last?.body === body) return last.read
  if (body.length > MAX_BODY_UNITS) throw new TooComplexError('too large')
  const [whole = '', frontMatter = null] = FRONT_MATTER.exec(body) ?? []
  const document = guard(() => readDocument(body.slice(whole.length), MAX_CELLS))
  const headings = readHeadings(document)
  const listed = [...headings.values()]
  const find = createHeadingFinder(listed.map(({ level, text }) => [level, text]))
  const ids = new Set(listed.map(({ id }) => id))
  const findHeading = (written: string) => {
    const found = find(readHeadingPath(written) ?? [])?.at(-1)
    if (found !== undefined) return listed[found]?.id
    return ids.has(written) ? written : undefined
  }
  const read = { frontMatter, from: whole.length, document, headings, findHeading }
  last = { body, read }
  return read
}

/** Makes a TooComplexError of what says that a text nests too deep or grows too large. */
export function guard<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw new TooComplexError('too complex', { cause: error })
    throw error
  }
}
