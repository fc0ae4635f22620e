import { htmlTagEnd } from './grammar.ts'

/** How an HTML block ends: at the first blank line, or behind a mark. */
export type HtmlBlockEnd = 'blank' | '-->' | '?>' | '>' | ']]>' | RegExp

const RAW = /<(?:script|pre|style|textarea)(?:[ \t\r\n>]|$)/iy
const DECLARATION = /<![a-z]/iy
const BLOCK_NAMES = `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir
  div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li
  link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead
  title tr track ul`
const BLOCK = new RegExp(`</?(?:${BLOCK_NAMES.split(/\s+/).join('|')})(?:[ \\t\\r\\n]|/?>|$)`, 'iy')

/** Ends what RAW begins; it is asked through a search that keeps its place, hence global. */
const RAW_END = /<\/(?:script|pre|textarea|style)>/gi

/**
 * The end to look for if an HTML block of CommonMark begins with `<` at `at`, else null. A tag of another name must
 * stand alone on its line and cannot interrupt a paragraph.
 */
export function htmlBlockEnd(body: string, at: number, eol: number, inParagraph: boolean): HtmlBlockEnd | null {
  if (matches(RAW, body, at)) return RAW_END
  if (body.startsWith('<!--', at)) return '-->'
  if (body.startsWith('<?', at)) return '?>'
  if (body.startsWith('<![CDATA[', at)) return ']]>'
  if (matches(DECLARATION, body, at)) return '>'
  if (matches(BLOCK, body, at)) return 'blank'
  if (inParagraph) return null
  const end = htmlTagEnd(body, at, eol)
  return end >= 0 && /^[ \t]*$/.test(body.slice(end, eol)) ? 'blank' : null
}

function matches(pattern: RegExp, body: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(body)
}
