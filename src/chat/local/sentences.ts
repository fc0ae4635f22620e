import type { QuotableBlock } from './blocks'

/** UTF-16 offsets of a sentence in its body, without white space around it. */
interface Span {
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
export function splitSentences(body: string, block: QuotableBlock): Span[] {
  // The segmenter ends a sentence at a line break, where a paragraph continues. Spaces keep the offsets the same.
  const text = body.slice(block.start, block.end).replace(/[\r\n\u0085\u2028\u2029]/g, ' ')
  if (block.whole) return splitPieces(body, block.start, block.end)
  const spans: Span[] = []
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

function splitPieces(body: string, start: number, end: number): Span[] {
  const spans: Span[] = []
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
