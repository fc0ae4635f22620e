import type { ReportLine } from '../parsed'
import type { ImportReport } from '../schema'

const LINES_TOLD = 200
/** Lines of a reader beside a fact, not in its place. */
const REMARKS: ReadonlySet<string> = new Set([
  'split',
  'image_occlusion',
  'markup_dropped',
  'one_deck',
  'cut',
  'tags_dropped',
  'card_dropped',
  'extra_cells',
  'invalid_instant',
  'unknown_type',
])

/** Counts what an import comes to. */
export class Tally {
  decks = 0
  cards = 0
  reviews = 0
  readonly facts = { new: 0, updated: 0, duplicate: 0, skipped: 0, split: 0 }
  readonly media = { stored: 0, shared: 0, renamed: 0, dropped: 0 }
  private readonly lines: ImportReport['lines'] = []
  private total = 0

  line(where: string, code: string, detail: string): void {
    this.total += 1
    if (this.lines.length < LINES_TOLD) this.lines.push({ where, code, detail })
  }

  /** What a reader has to tell: it may stand for a fact or a file that could not be read. */
  told({ where, code, detail }: ReportLine): void {
    this.line(where, code, detail)
    if (code === 'split') this.facts.split += 1
    if (/^media/.test(where)) this.media.dropped += 1
    else if (/^(note |line |facts\[)/.test(where) && !REMARKS.has(code)) this.facts.skipped += 1
  }

  report(dry_run: boolean): ImportReport {
    const { decks, facts, cards, reviews, media, lines, total } = this
    return { dry_run, decks, facts, cards, reviews, media, lines, lines_total: total }
  }
}
