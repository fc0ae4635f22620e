import { findMaths } from '../../src/lib/markdown/maths'
import { type MarkdownStructure, type Span, scanMarkdown, type WikiLink } from '../../src/notes/markdown/scan-markdown'

/** What the lexer does not know, each taken out of the body before it is lexed. */
export type Piece = Span &
  (
    | { readonly kind: 'link'; readonly link: WikiLink }
    | { readonly kind: 'tag'; readonly name: string }
    /** `start` is the offset of the `[` in the body. */
    | { readonly kind: 'box'; readonly checked: boolean }
    | { readonly kind: 'maths'; readonly tex: string; readonly isBlock: boolean }
    /** A footnote's mark in the text; `count` is 1 for the first mark of the footnote. */
    | { readonly kind: 'mark'; readonly number: number; readonly count: number }
  )

/** A body that is ready to be lexed. */
export interface Source {
  /** The text of the front matter without its lines of dashes, or null. */
  readonly frontMatter: string | null
  readonly text: string
  /** The texts of the footnotes in the order of their numbers, from 1. `marks` says how often the text refers to it. */
  readonly footnotes: readonly { readonly text: string; readonly marks: number }[]
  /** The piece that the lexer saw as a link to this address, or null. */
  readonly find: (address: string) => Piece | null
  /** Puts the source of pieces back into a text that the lexer took for code, HTML or an address. */
  readonly restore: (text: string) => string
  /** The text of the line behind a position in the body. */
  readonly lineAfter: (offset: number) => string
}

/** A comment of Obsidian or the definition of a footnote, which the text does not show; code, which nothing is taken of. */
type Cut = Piece | (Span & { readonly kind: 'hidden' | 'code' })

const isPiece = (cut: Cut): cut is Piece => cut.kind !== 'hidden' && cut.kind !== 'code'

const FRONT_MATTER = /^---[ \t]*\r?\n(?=[\w"'-][^\r\n]*:)([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
const BLANK_LINE = /\n[ \t>]*\r?\n/
const FOOTNOTE = /^ {0,3}\[\^([^\]\s^]{1,100})\]:[ \t]*/gm
const FOOTNOTE_MARK = /(?<![\\!])\[\^([^\]\s^]{1,100})\]/g
/** A line that begins another block than the paragraph before it. */
const BLOCK_START = /^ {0,3}(?:[#>|~`]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^)/

/**
 * Takes out of a body what the lexer does not know, and leaves links of a private scheme in its place: so the lexer treats
 * them as inline text, and their offsets are those of the scanner that the server has. In linear time.
 */
export function readSource(body: string): Source {
  const structure = scanMarkdown(body)
  const [whole = '', frontMatter = null] = FRONT_MATTER.exec(body) ?? []
  const definitions = findDefinitions(body, structure, whole.length)
  const cuts = listCuts(body, structure, definitions).filter(({ start }) => start >= whole.length)
  const { pieces, marks } = numberMarks(cuts, definitions)
  const scheme = chooseScheme(body)
  const address = new RegExp(`<?${scheme}:(\\d+)>?`, 'g')
  const write = (start: number, end: number, hides: boolean) => writePart(body, { pieces, scheme, start, end, hides })
  return {
    frontMatter,
    text: write(whole.length, body.length, true),
    footnotes: [...marks].map(([label, count]) => {
      const { from = 0, end = 0 } = definitions.get(label) ?? {}
      return { text: write(from, end, false).replace(/^(?: {4}|\t)/gm, ''), marks: count }
    }),
    find(href) {
      const piece = href.startsWith(`${scheme}:`) ? pieces[Number(href.slice(scheme.length + 1))] : undefined
      return piece && isPiece(piece) ? piece : null
    },
    restore: (text) =>
      text.replace(address, (_, index: string) => {
        const piece = pieces[Number(index)]
        return piece ? body.slice(piece.start, piece.end) : ''
      }),
    lineAfter: (offset) => /[^\r\n]{0,200}/.exec(body.slice(offset, offset + 200))?.[0].trim() ?? '',
  }
}

/** The beginning of a scheme that a body is very unlikely to hold. If it does: its author shows a piece of it twice. */
const MAX_SCHEMES = 100

function chooseScheme(body: string): string {
  let number = 0
  while (number < MAX_SCHEMES && body.includes(`piece${number}-`)) number += 1
  return `piece${number}-`
}

interface Definition extends Span {
  /** Where its text begins. */
  readonly from: number
}

/** Finds the footnotes by their labels; the first of a label counts. */
function findDefinitions(body: string, { code }: MarkdownStructure, from: number): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>()
  if (!body.includes('[^')) return definitions
  const isCode = makeFinder(code)
  const starts = new RegExp(FOOTNOTE)
  starts.lastIndex = from
  for (let match = starts.exec(body); match; match = starts.exec(body)) {
    const [all, label = ''] = match
    if (isCode(match.index) || definitions.has(label)) continue
    const end = findDefinitionEnd(body, match.index + all.length)
    definitions.set(label, { start: match.index, from: match.index + all.length, end })
    starts.lastIndex = end
  }
  return definitions
}

/** The end of a footnote: its paragraph, and all that is indented behind it. */
function findDefinitionEnd(body: string, from: number): number {
  let end = lineEnd(body, from)
  let blank = false
  for (let at = end; at < body.length; ) {
    const next = lineEnd(body, at)
    const line = body.slice(at, next)
    const isIndented = /^(?: {4}|\t)/.test(line)
    if (line.trim() === '') blank = true
    else if (isIndented || !(blank || BLOCK_START.test(line))) {
      end = next
      blank = false
    } else break
    at = next
  }
  return end
}

/** The start of the line after the one of `at`. */
function lineEnd(body: string, at: number): number {
  const end = body.indexOf('\n', at)
  return end < 0 ? body.length : end + 1
}

/** Tells whether an offset is in one of the spans, which are in order. Offsets must be asked for in ascending order. */
function makeFinder(spans: readonly Span[]): (offset: number) => boolean {
  let next = 0
  return (offset) => {
    while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) <= offset) next += 1
    return (spans[next]?.start ?? Number.POSITIVE_INFINITY) <= offset
  }
}

/** A mark whose footnote is not numbered yet. */
type Mark = Span & { readonly kind: 'label'; readonly label: string }

/** Lists all that is taken out, in the order of the body; of what overlaps, what begins first. */
function listCuts(
  body: string,
  { code, comments, links, tags, checkboxes }: MarkdownStructure,
  definitions: ReadonlyMap<string, Definition>,
): (Cut | Mark)[] {
  const all: (Cut | Mark)[] = [
    ...code.map(({ start, end }): Cut => ({ kind: 'code', start, end })),
    ...comments.filter(({ start }) => body.startsWith('%%', start)).map((span): Cut => ({ kind: 'hidden', ...span })),
    ...links.map((link): Cut => ({ kind: 'link', start: link.start, end: link.end, link })),
    ...tags.map(({ start, end, name }): Cut => ({ kind: 'tag', start, end, name })),
    ...checkboxes.map(({ mark, checked }): Cut => ({ kind: 'box', start: mark - 1, end: mark + 2, checked })),
    ...listMaths(body, makeFinder(checkboxes.map(({ mark }) => ({ start: mark, end: mark + 1 })))),
    ...listMarks(body, definitions),
  ]
  let end = 0
  const ordered = all.sort(inOrder)
  return ordered.filter((cut) => {
    if (cut.start < end) return false
    end = cut.end
    return true
  })
}

/** Lists maths between dollars. A blank line or a check box within shows that the dollars were none of maths. */
function listMaths(body: string, isBox: (offset: number) => boolean): Cut[] {
  return findMaths(body).flatMap(([start, end]) => {
    const source = body.slice(start, end)
    const boxed = /\[[ xX]\]/g
    const hasBox = [...source.matchAll(boxed)].some(({ index }) => isBox(start + index + 1))
    if (!source.startsWith('$') || hasBox || BLANK_LINE.test(source)) return []
    const isBlock = source.startsWith('$$')
    const tex = source.slice(isBlock ? 2 : 1, isBlock ? -2 : -1).replace(/\n[ \t]*(?:>[ \t]?)+/g, '\n')
    return [{ kind: 'maths', start, end, tex: tex.trim(), isBlock }]
  })
}

function listMarks(body: string, definitions: ReadonlyMap<string, Definition>): (Cut | Mark)[] {
  if (definitions.size === 0) return []
  const starts = new Set([...definitions.values()].map(({ start }) => start))
  return [...body.matchAll(FOOTNOTE_MARK)].flatMap((match): (Cut | Mark)[] => {
    const [source, label = ''] = match
    const end = match.index + source.length
    const before = /(?<=^|\n) {0,3}$/.exec(body.slice(Math.max(match.index - 4, 0), match.index))
    if (!definitions.has(label) || (before && starts.has(match.index - before[0].length))) return []
    return [{ kind: 'label', start: match.index, end, label }]
  })
}

/** Numbers the footnotes in the order of their first marks, and those without a mark behind them. */
function numberMarks(cuts: readonly (Cut | Mark)[], definitions: ReadonlyMap<string, Definition>) {
  const marks = new Map<string, number>()
  const numbers = new Map<string, number>()
  const pieces = cuts.map((cut): Cut => {
    if (cut.kind !== 'label') return cut
    const { start, end, label } = cut
    const count = (marks.get(label) ?? 0) + 1
    if (count === 1) numbers.set(label, numbers.size + 1)
    marks.set(label, count)
    return { kind: 'mark', start, end, number: numbers.get(label) ?? 0, count }
  })
  for (const label of definitions.keys()) if (!marks.has(label)) marks.set(label, 0)
  // The definitions themselves: what is within them stays in the list, for the texts of the footnotes.
  for (const { start, end } of definitions.values()) pieces.push({ kind: 'hidden', start, end })
  return { pieces: pieces.sort(inOrder), marks }
}

/** Sorts by the start; of two, what holds the other comes first. */
const inOrder = (a: Span, b: Span) => a.start - b.start || b.end - a.end

interface Part extends Span {
  readonly pieces: readonly Cut[]
  readonly scheme: string
  /** Whether hidden parts that hold others are left out: the definitions of footnotes. */
  readonly hides: boolean
}

/** Writes a part of the body for the lexer: with links in the place of pieces, and LF as line ends. */
function writePart(body: string, { pieces, scheme, start, end, hides }: Part): string {
  let from = start
  let text = ''
  for (let index = findFirst(pieces, start); index < pieces.length; index += 1) {
    const piece = pieces[index]
    if (!piece || piece.start >= end) break
    const isHidden = piece.kind === 'hidden'
    if (piece.kind === 'code' || piece.start < from || (isHidden && !hides && !body.startsWith('%%', piece.start)))
      continue
    text += body.slice(from, piece.start) + (isHidden ? '' : `<${scheme}:${index}>`)
    from = piece.end
  }
  return (text + body.slice(Math.min(from, end), end)).replace(/\r\n?/g, '\n')
}

/** The index of the first span that begins at `start` or later. */
function findFirst(spans: readonly Span[], start: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.start ?? start) < start) low = middle + 1
    else high = middle
  }
  return low
}
