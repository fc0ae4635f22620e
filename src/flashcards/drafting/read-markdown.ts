import { ApiError } from '../../http/api-error'
import { readLines } from '../../lib/markdown/lines'
import { decodeText, type ParsedFact } from '../formats/parsed'
import { findDrafts } from './service'

/** Each line is held apart: a file of nothing but line ends would not fit otherwise. */
const MAX_MARKDOWN_LINES = 1_000_000

/** The facts that a Markdown file has the form of, as drafts are made. Throws invalid_request, too_large. */
export function* readMarkdown(bytes: Uint8Array): Generator<ParsedFact> {
  const text = decodeText(bytes)
  if (countLines(text) > MAX_MARKDOWN_LINES)
    throw new ApiError('too_large', `The file may have at most ${MAX_MARKDOWN_LINES} lines.`)
  for (const { fact, line } of findDrafts(readLines(text)))
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
