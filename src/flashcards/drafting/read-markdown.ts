import { ApiError } from '../../http/api-error'
import { decodeText, type ParsedFact } from '../formats/parsed'
import { findDrafts } from './service'

/** The most lines of a file. Each line is an object, so a file of only line ends would not fit in memory. */
const MAX_MARKDOWN_LINES = 1_000_000

/** Reads the facts in a Markdown file, by the patterns of drafts. Throws invalid_request, too_large. */
export function* readMarkdown(bytes: Uint8Array): Generator<ParsedFact> {
  const text = decodeText(bytes)
  if (countLines(text) > MAX_MARKDOWN_LINES)
    throw new ApiError('too_large', `The file may have at most ${MAX_MARKDOWN_LINES} lines.`)
  for (const { fact, line } of findDrafts(text))
    yield {
      kind: 'fact',
      where: `line ${line}`,
      fact,
      deck: [],
      external_modified_at: null,
      cards: [],
      log: [],
    }
}

function countLines(text: string): number {
  let count = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) count += 1
  }
  return count
}
