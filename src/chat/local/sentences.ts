/**
 * Splits a Markdown body into blocks that can be quoted: paragraphs, list items, rows of tables and lines of code. One
 * pass over the lines, without recursion, so that no body is slow. Headings are not blocks, but the context of blocks.
 */

/** A piece of a body that can be quoted. */
export interface QuotableBlock {
  /** UTF-16 offsets into the body, without the markup of a list, quotation or table. */
  readonly start: number
  readonly end: number
  /** Whether it counts as one sentence, whatever its full stops: a list item, a row or a line of code. */
  readonly whole: boolean
  /** The headings above, the lead-in and the head of the table, outermost first, joined by line breaks; '' for none. */
  readonly context: string
}

const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/
/** A rule, without its white space. */
const RULE = /^(?:\*{3,}|-{3,}|_{3,})$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/
const QUOTATION = /^[ \t]{0,3}(?:>[ \t]?)+/
const ROW_RULE = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*$/

/** UTF-16 units from which a line counts as wrapped by an editor; shorter ones were ended on purpose. */
const MIN_WRAPPED_UNITS = 50

/** UTF-16 units of a heading or table head that are kept, since every block below holds a copy. */
const MAX_CONTEXT_UNITS = 200

/** Splits a body into blocks, in order and without overlaps. */
export function splitBlocks(body: string): QuotableBlock[] {
  const scan = new BlockScanner()
  let start = 0
  for (const { index, 0: mark } of body.matchAll(/\r\n|\r|\n/g)) {
    scan.takeLine(start, body.slice(start, index))
    start = index + mark.length
  }
  scan.takeLine(start, body.slice(start))
  scan.close()
  return scan.blocks
}

/** A paragraph or list item that may continue in the next line. */
interface OpenBlock {
  readonly start: number
  readonly whole: boolean
  end: number
  last: string
  lines: number
}

/** Reads a body line by line. */
class BlockScanner {
  readonly blocks: QuotableBlock[] = []
  private headings: string[] = []
  private tableHead = ''
  private lastRow: string | null = null
  /** A line such as "To restart it:", which is context of the list or code below it. */
  private leadIn = ''
  private fence = ''
  private open: OpenBlock | null = null

  takeLine(start: number, text: string): void {
    if (this.fence) this.takeCode(start, text)
    else if (!this.takeTableLine(start, text) && !this.takeHeading(text)) this.takeProse(start, text)
  }

  /** Ends the open paragraph or item. */
  close(): void {
    const open = this.open
    this.open = null
    if (!open) return
    this.add(open.start, open.end, open.whole)
    if (!open.whole && open.last.trimEnd().endsWith(':')) this.leadIn = clip(open.last.trim().slice(0, -1))
  }

  private add(start: number, end: number, whole: boolean): void {
    if (!whole) this.leadIn = ''
    const context = [...this.headings, this.leadIn, this.tableHead].filter((text) => text !== '').join('\n')
    this.blocks.push({ start, end, whole, context })
  }

  private takeCode(start: number, text: string): void {
    const mark = text.trim()
    if (mark.startsWith(this.fence) && mark === this.fence.charAt(0).repeat(mark.length)) this.fence = ''
    else if (mark) this.add(start, start + text.length, true)
  }

  /**
   * Takes a row, or the rule under the head of a table: then the row before it was the head. Returns whether it did.
   */
  private takeTableLine(start: number, text: string): boolean {
    const cells = text.trim()
    if (this.lastRow !== null && ROW_RULE.test(text)) {
      this.blocks.pop()
      this.tableHead = clip(this.lastRow)
      this.lastRow = null
      return true
    }
    const isRow = cells.length > 2 && cells.startsWith('|') && cells.endsWith('|')
    if (isRow) {
      this.close()
      this.add(start + text.indexOf('|') + 1, start + text.lastIndexOf('|'), true)
      this.lastRow = cells
    } else {
      this.lastRow = null
      this.tableHead = ''
    }
    return isRow
  }

  /**
   * Takes a heading, a rule or the start of a fence; `---` under one line of text makes that a heading. Returns whether
   * it did.
   */
  private takeHeading(text: string): boolean {
    const level = HEADING.exec(text)?.[1]?.length
    const underlined = this.open?.lines === 1 && !this.open.whole && UNDERLINE.test(text) ? this.open.last : null
    if (underlined !== null) this.open = null
    this.fence = FENCE.exec(text)?.[1] ?? ''
    if (level)
      this.startSection(
        level,
        text
          .trim()
          .slice(level)
          .replace(/[ \t]#+$/, ''),
      )
    else if (underlined !== null) this.startSection(text.includes('=') ? 1 : 2, underlined)
    else if (!this.fence && !RULE.test(text.replace(/[ \t]/g, ''))) return false
    this.close()
    return true
  }

  private startSection(level: number, text: string): void {
    this.close()
    this.leadIn = ''
    this.headings = [...Array.from({ length: level - 1 }, (_, i) => this.headings[i] ?? ''), clip(text.trim())]
  }

  private takeProse(start: number, text: string): void {
    const quoted = QUOTATION.exec(text)?.[0].length ?? 0
    const item = ITEM.exec(text.slice(quoted))?.[0].length ?? 0
    const words = text.slice(quoted + item)
    const blank = words.trim() === ''
    if (item > 0 || blank || (this.open && !isWrapped(this.open.last, words))) this.close()
    if (blank) return
    const from = start + quoted + item
    this.open ??= { start: from, whole: item > 0, end: from, last: '', lines: 0 }
    this.open.end = start + text.length
    this.open.last = words
    this.open.lines++
  }
}

/** Whether a line was wrapped into the next rather than ended. Two spaces or a backslash end a line in Markdown. */
function isWrapped(line: string, next: string): boolean {
  if (/(?: {2}|\\)$/.test(line)) return false
  return line.length >= MIN_WRAPPED_UNITS || /^\s*\p{Ll}/u.test(next)
}

/** Cuts a text to MAX_CONTEXT_UNITS, without half a surrogate pair at the end. */
function clip(text: string): string {
  return text.slice(0, MAX_CONTEXT_UNITS).replace(/[\ud800-\udbff]$/, '')
}

/** UTF-16 offsets of a sentence in its body, without white space around it. */
export interface SentenceRange {
  readonly start: number
  readonly end: number
}

/** UTF-16 units of a sentence. Longer ones are cut into pieces, so that no quotation fills a screen. */
export const MAX_SENTENCE_UNITS = 600

/** Abbreviations that never end a sentence: a name, a number or the rest of the clause follows. */
const ABBREVIATION =
  /(?:^|[^\p{L}\p{N}])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Gov|Sen|Rep|Messrs|Mme|Mlle|Hr|Fr|Ing|vs|cf|viz|approx|e\.g|i\.e|eg|ie|z\.B|bzw|ca|Mt|Ft)\.\s+$/u
/** Abbreviations that do not end a sentence if a number follows. */
const BEFORE_NUMBER = /(?:^|[^\p{L}\p{N}])(?:no|nos|nr|p|pp|vol|fig|figs|ch|sec|art|tel|ext|apt|ver|§)\.\s+$/iu
/** An ordinal. In some languages, `3. Mai` is one date. */
const ORDINAL = /(?:^|\s)\d{1,2}\.\s+$/
const MONTH = /^(?:Jan|Jän|Feb|M[aä]r|Apr|Ma[ijy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])/

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Splits a block into sentences, in order. */
export function splitSentences(body: string, block: QuotableBlock): SentenceRange[] {
  // The segmenter ends a sentence at a line break, where a paragraph continues. Spaces keep the offsets the same.
  const text = body.slice(block.start, block.end).replace(/[\r\n\u0085\u2028\u2029]/g, ' ')
  if (block.whole) return splitPieces(body, block.start, block.end)
  const spans: SentenceRange[] = []
  let start = 0
  let before = ''
  for (const { segment, index } of segmenter.segment(text)) {
    if (index > 0 && !continuesSentence(before, segment)) {
      spans.push(...splitPieces(body, block.start + start, block.start + index))
      start = index
    }
    before = segment
  }
  spans.push(...splitPieces(body, block.start + start, block.end))
  return spans
}

/** Whether the segmenter ended a sentence that continues. */
function continuesSentence(before: string, after: string): boolean {
  // An abbreviation is short: the end of the segment is enough, and no pattern walks a long one.
  const end = before.slice(-16)
  if (ABBREVIATION.test(end) || /^\p{Ll}/u.test(after)) return true
  return (BEFORE_NUMBER.test(end) && /^\d/.test(after)) || (ORDINAL.test(end) && MONTH.test(after))
}

function splitPieces(body: string, start: number, end: number): SentenceRange[] {
  const spans: SentenceRange[] = []
  for (let from = start; from < end; ) {
    const to = end - from > MAX_SENTENCE_UNITS ? findCut(body, from) : end
    const text = body.slice(from, to)
    const trimmed = text.trim()
    const lead = text.length - text.trimStart().length
    if (trimmed) spans.push({ start: from + lead, end: from + lead + trimmed.length })
    from = to
  }
  return spans
}

/** Returns the end of a piece that starts at `from`: after the last space that fits, never inside a surrogate pair. */
function findCut(body: string, from: number): number {
  const limit = from + MAX_SENTENCE_UNITS
  const space = body.lastIndexOf(' ', limit - 1)
  if (space > from) return space + 1
  return body.codePointAt(limit - 1) !== body.charCodeAt(limit - 1) ? limit - 1 : limit
}

/** Writes Markdown as it reads when it is rendered, on one line. */
export const render = (markdown: string): string =>
  markdown
    .replace(/\{\{c\d+::(.*?)(?:::.*?)?\}\}/g, '$1')
    .replace(/(?<!!)\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*\)/g, '$1')
    .replace(/\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]/g, '$1')
    .replace(/(?<![\p{L}\p{N}\\])(\*\*|__|~~|==|`+|\*|_)(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/^\s*(?:[-*+]\s+)?\[[ xX]\]\s+/, '')
    .replace(/\s*\|\s*/g, ', ')
    .replace(/^, |(?:, )+$/g, '')
