import { type MarkdownStructure, scanMarkdown, type WikiLink } from '../markdown/scan-markdown'
import { toNameKey } from './names'

/** A new spelling of a link. */
export interface LinkSpelling {
  readonly target: string
  /** The alias to add to a link that has none; null adds none. */
  readonly display: string | null
}

/**
 * The wanted new spelling of a link, and a safe one in case the wanted one would change how the text around it is
 * parsed.
 */
export interface LinkRewrite {
  readonly wanted: LinkSpelling
  readonly safe: LinkSpelling
}

/** UTF-16 units of the line that are checked before and after a link; rows of tables are rarely longer. */
const MAX_LINE_LOOKAROUND_UNITS = 1000

/** Whether a link with this target is parsed as a link to just this target. */
export function isSpellable(target: string): boolean {
  if (/[[\]|#^]/.test(target)) return false
  const [link, ...more] = scanMarkdown(`[[${target}]]`).links
  return link !== undefined && more.length === 0 && link.alias === null && toNameKey(link.target) === toNameKey(target)
}

/**
 * Returns a spelling that names the note by its id, which always works. Brackets are replaced, since an alias cannot
 * contain them.
 */
export function spellById(id: string, title: string): LinkSpelling {
  return { target: `note:${id}`, display: title.trim().replaceAll('[', '(').replaceAll(']', ')') }
}

/**
 * Replaces the targets of links in a body. Headings, aliases and every byte outside of these targets do not change. A
 * backtick or `%%` in a new title may change how the text around it is parsed; then all links get their safe spelling.
 * @param spellings by target, folded by toNameKey
 * @returns the new body; null if even the safe spellings would change how other text is parsed
 */
export function rewriteLinks(body: string, spellings: ReadonlyMap<string, LinkRewrite>): string | null {
  const before = scanMarkdown(body)
  const attempts = [
    ({ wanted }: LinkRewrite) => wanted,
    ({ safe }: LinkRewrite) => safe,
    ({ safe }: LinkRewrite) => ({ ...safe, display: null }),
  ]
  for (const attempt of attempts) {
    const wanted = before.links.map((link) => {
      const spelling = spellings.get(toNameKey(link.target))
      return spelling ? fitSpelling(body, link, attempt(spelling)) : null
    })
    const rewritten = spliceLinks(body, before.links, wanted)
    if (isReadAsWanted(before, wanted, scanMarkdown(rewritten))) return rewritten
  }
  return null
}

/** The replacement of one link's target. */
interface FittedSpelling {
  readonly target: string
  /** The text to insert before the closing brackets; null for none. */
  readonly alias: { readonly bar: string; readonly text: string } | null
}

/** Fits a spelling to a link: one with `.md` keeps it, one in a row of a table escapes its bar. */
function fitSpelling(body: string, link: WikiLink, { target: name, display }: LinkSpelling): FittedSpelling {
  const [extension = ''] = /\.(?:md|markdown)$/i.exec(link.target) ?? []
  const target = name.startsWith('note:') || name.endsWith(extension) ? name : name + extension
  if (display === null || link.alias !== null) return { target, alias: null }
  const inTable = isInTableRow(body, link)
  if (inTable && display.includes('|')) return { target, alias: null }
  const hasBar = body.slice(link.targetEnd, link.end - 2).includes('|')
  return { target, alias: { bar: hasBar ? '' : inTable ? '\\|' : '|', text: display } }
}

/**
 * Whether the line has bars outside of links. It may be a row of a table, where an unescaped bar would separate two
 * cells.
 */
function isInTableRow(body: string, { start, end }: WikiLink): boolean {
  const before =
    body
      .slice(Math.max(0, start - MAX_LINE_LOOKAROUND_UNITS), start)
      .split(/[\r\n]/)
      .at(-1) ?? ''
  const [after = ''] = body.slice(end, end + MAX_LINE_LOOKAROUND_UNITS).split(/[\r\n]/, 1)
  return `${before} ${after}`.replace(/\[\[[^[\]]*\]\]|\\\|/g, '').includes('|')
}

function spliceLinks(body: string, links: readonly WikiLink[], wanted: readonly (FittedSpelling | null)[]): string {
  const parts: string[] = []
  let at = 0
  links.forEach((link, i) => {
    const spelling = wanted[i]
    if (!spelling) return
    parts.push(body.slice(at, link.targetStart), spelling.target)
    at = link.targetEnd
    if (!spelling.alias) return
    parts.push(body.slice(at, link.end - 2), spelling.alias.bar, spelling.alias.text)
    at = link.end - 2
  })
  return parts.join('') + body.slice(at)
}

/** Whether the new body is parsed like the old one, except for the wanted spellings. */
function isReadAsWanted(
  before: MarkdownStructure,
  wanted: readonly (FittedSpelling | null)[],
  after: MarkdownStructure,
): boolean {
  const isSame = before.code.length === after.code.length && before.comments.length === after.comments.length
  if (!isSame || before.links.length !== after.links.length) return false
  return before.links.every((link, i) => {
    const [now, spelling] = [after.links[i], wanted[i]]
    const target = toNameKey(spelling?.target ?? link.target)
    const alias = spelling?.alias?.text ?? link.alias
    return (
      now?.embed === link.embed &&
      toNameKey(now.target) === target &&
      now.heading === link.heading &&
      now.alias === alias
    )
  })
}
