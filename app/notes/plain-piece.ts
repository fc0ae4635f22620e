/** What the server quotes of a text, as it is rendered: without the marks of Markdown. */
import { titleKey } from '../../src/lib/text'
import { collapseWhitespace, stripInlineMarkup } from '../../src/notes/markdown/plain-text'
import type { SearchResult } from '../api/types'
import { partText, type Range, toUnits } from './find-notes'

/** Around what is marked, while the marks of Markdown are taken out: noncharacters, which no text has. */
const [OPEN, CLOSE] = ['\ufdd0', '\ufdd1']
/** What begins a block, anywhere, since line ends come as spaces. A dash may be one of prose, and stays but at the start. */
const BLOCK_MARKS = /(?<!\S)(?:\[![\w-]+\][+-]?|#{1,6}(?=\s)|[-*+] \[.\](?=\s)|\[\^[^\]\s]+\]:)|^[-*+](?=\s)/g
const QUOTED = /^>|(?<!\S)\[![\w-]+\]/
const TABLE_RULE = /\|(?:\s*:?-+:?\s*\|)+/g

export interface Piece {
  readonly field: SearchResult['snippets'][number]['field']
  readonly text: string
  readonly ranges: readonly Range[]
}

/** Titles and tags have no marks: they stay as they are. */
export const toPieces = (snippets: SearchResult['snippets']): Piece[] =>
  snippets.map(({ field, text, ranges }) => ({
    field,
    ...(field === 'body' ? plainPiece(text, ranges) : { text, ranges: toUnits(text, ranges) }),
  }))

/** @param ranges in code points of `text`; they are returned in UTF-16 units */
export function plainPiece(text: string, ranges: readonly (readonly number[])[]): { text: string; ranges: Range[] } {
  const marked = partText(text, toUnits(text, ranges))
    .map((part) => ({ ...part, text: part.text.replace(/[\ufdd0\ufdd1]/g, '') }))
    .map((part) => (part.isMarked ? OPEN + part.text + CLOSE : part.text))
    .join('')
  const unquoted = QUOTED.test(text) ? marked.replace(/(?<!\S)>(?=\s)/g, '') : marked
  const blocks = unquoted.trimStart().replace(BLOCK_MARKS, '').replace(TABLE_RULE, '|')
  // The definitions of footnotes are elsewhere in the note.
  const footnotes = new Set(Array.from(blocks.matchAll(/\[(\^[^\]\s]+)\]/g), ([, label = '']) => titleKey(label)))
  const inline = stripInlineMarkup(blocks, footnotes)
  const plain = collapseWhitespace(/^\s*\|/.test(inline) ? inline.replaceAll('|', ' ') : inline)
  const found: Range[] = []
  let shown = ''
  for (const [piece, mark] of Array.from(
    plain.matchAll(/([^\ufdd0\ufdd1]*)([\ufdd0\ufdd1]?)/g),
    ([, ...parts]) => parts,
  )) {
    const from = shown.length
    shown += piece
    if (mark === CLOSE && shown.length > from) found.push([from, shown.length])
  }
  return { text: shown, ranges: found }
}
