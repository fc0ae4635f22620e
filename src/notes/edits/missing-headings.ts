import { invalid } from '../../http/api-error'
import { collapseWhitespace } from '../markdown/plain-text'
import { scanMarkdown } from '../markdown/scan-markdown'
import { type ContentJoin, trimContent } from './put-content'

/** Markdown has no heading below level 6. */
export const MAX_HEADING_LEVEL = 6
const MARKUP = /[\\`*_~<>&[\]#%|$!^=:-]/g

/**
 * Headings for the texts, each a level below the one before, and the content under the last. Throws invalid_request
 * if they would go too deep, or if a text cannot be a heading.
 */
export function writeMissingHeadings(
  texts: readonly string[],
  level: number,
  content: string,
  join: ContentJoin,
  lineEnd: string,
  pointer: string,
): string {
  if (level + texts.length - 1 > MAX_HEADING_LEVEL)
    throw invalid(pointer, 'too_deep', `the missing headings would go deeper than level ${MAX_HEADING_LEVEL}`)
  const headings = texts.map((text, i) => `${'#'.repeat(level + i)} ${toHeadingMarkdown(text, pointer)}`)
  const gap = join === 'block' ? lineEnd + lineEnd : lineEnd
  const below = trimContent(content, join)
  return headings.join(lineEnd + lineEnd) + (below === '' ? '' : gap + below)
}

/** Markdown whose plain text is the text: as it is where that will do, else with its signs escaped. */
function toHeadingMarkdown(text: string, pointer: string): string {
  const wanted = collapseWhitespace(text).normalize('NFC')
  // A link definition elsewhere in the body can make markup of brackets.
  const ways = wanted.includes('[') ? [] : [wanted]
  const found = [...ways, wanted.replace(MARKUP, '\\$&')].find((way) => readHeadingText(way) === wanted)
  if (found === undefined || wanted === '')
    throw invalid(pointer, 'invalid_value', 'a heading that is to be created must be one line of text')
  return found
}

function readHeadingText(markdown: string): string | undefined {
  const { headings } = scanMarkdown(`# ${markdown}`)
  return headings[0]?.text.normalize('NFC')
}
