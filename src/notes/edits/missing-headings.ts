import { invalid } from '../../http/api-error'
import { collapseWhitespace } from '../markdown/plain-text'
import { scanMarkdown } from '../markdown/scan-markdown'
import { type ContentJoin, trimContent } from './put-content'

export const MAX_HEADING_LEVEL = 6
const MARKUP = /[\\`*_~<>&[\]#%|$!^=:-]/g

/**
 * Writes headings for the texts, each one level below the one before, and the content under the last. Throws
 * invalid_request if they would nest too deep, or if a text cannot be a heading.
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

/**
 * Writes a heading's text as Markdown: unchanged if it reads back as the same text, else with its punctuation escaped.
 */
function toHeadingMarkdown(text: string, pointer: string): string {
  const wanted = collapseWhitespace(text).normalize('NFC')
  // A link definition elsewhere in the body can make markup of brackets.
  const unescaped = wanted.includes('[') ? [] : [wanted]
  const markdown = [...unescaped, wanted.replace(MARKUP, '\\$&')].find((text) => readHeadingText(text) === wanted)
  if (markdown === undefined || wanted === '')
    throw invalid(pointer, 'invalid_value', 'a missing heading must be one line of text')
  return markdown
}

function readHeadingText(markdown: string): string | undefined {
  const { headings } = scanMarkdown(`# ${markdown}`)
  return headings[0]?.text.normalize('NFC')
}
