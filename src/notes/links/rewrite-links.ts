import { titleKey } from '../../lib/text'
import { type MarkdownStructure, scanMarkdown, type WikiLink } from '../markdown/scan-markdown'

/** What a link is to say instead. */
export interface LinkSpelling {
  readonly target: string
  /** The alias for a link that has none; null to leave it without. */
  readonly display: string | null
}

/** What a link is to say, and what instead where that would change how the text around it reads. */
export interface LinkRewrite {
  readonly wanted: LinkSpelling
  readonly safe: LinkSpelling
}

/** How far around a link the line is looked at: a table's row is rarely longer. */
const MAX_LINE_LOOKAROUND_UNITS = 1000

/** Whether a link can spell this target so that it reads back as just that. */
export function isSpellable(target: string): boolean {
  if (/[[\]|#^]/.test(target)) return false
  const [link, ...more] = scanMarkdown(`[[${target}]]`).links
  return link !== undefined && more.length === 0 && link.alias === null && titleKey(link.target) === titleKey(target)
}

/** Links that name the note by its id: these always lead there. A link's alias holds no brackets. */
export function spellById(id: string, title: string): LinkSpelling {
  return { target: `note:${id}`, display: title.trim().replaceAll('[', '(').replaceAll(']', ')') }
}

/**
 * The body with other targets in its links; heading, alias and every byte outside of these targets stay.
 * A backtick or `%%` in a new title may change how the text around it reads; then all are spelled `safe`.
 * @param spellings by target, as titles are compared
 * @returns null if even that would change what else the body holds
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
      const spelling = spellings.get(titleKey(link.target))
      return spelling ? fitSpelling(body, link, attempt(spelling)) : null
    })
    const rewritten = spliceLinks(body, before.links, wanted)
    if (isReadAsWanted(before, wanted, scanMarkdown(rewritten))) return rewritten
  }
  return null
}

interface FittedSpelling {
  readonly target: string
  /** What is inserted behind the target, up to the closing brackets; null where nothing is. */
  readonly alias: { readonly bar: string; readonly text: string } | null
}

function fitSpelling(body: string, link: WikiLink, { target, display }: LinkSpelling): FittedSpelling {
  if (display === null || link.alias !== null) return { target, alias: null }
  const inRow = isInTableRow(body, link)
  if (inRow && display.includes('|')) return { target, alias: null }
  const hasBar = body.slice(link.targetEnd, link.end - 2).includes('|')
  return { target, alias: { bar: hasBar ? '' : inRow ? '\\|' : '|', text: display } }
}

/** Whether the line has bars outside of links: in a row of a table, a bar of ours must not part two cells. */
function isInTableRow(body: string, { start, end }: WikiLink): boolean {
  const ahead =
    body
      .slice(Math.max(0, start - MAX_LINE_LOOKAROUND_UNITS), start)
      .split(/[\r\n]/)
      .at(-1) ?? ''
  const [behind = ''] = body.slice(end, end + MAX_LINE_LOOKAROUND_UNITS).split(/[\r\n]/, 1)
  return `${ahead} ${behind}`.replace(/\[\[[^[\]]*\]\]|\\\|/g, '').includes('|')
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

function isReadAsWanted(
  before: MarkdownStructure,
  wanted: readonly (FittedSpelling | null)[],
  after: MarkdownStructure,
): boolean {
  const same = before.code.length === after.code.length && before.comments.length === after.comments.length
  if (!same || before.links.length !== after.links.length) return false
  return before.links.every((link, i) => {
    const [now, spelling] = [after.links[i], wanted[i]]
    const target = titleKey(spelling?.target ?? link.target)
    const alias = spelling?.alias?.text ?? link.alias
    return (
      now?.embed === link.embed &&
      titleKey(now.target) === target &&
      now.heading === link.heading &&
      now.alias === alias
    )
  })
}
