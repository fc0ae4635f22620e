/** A line of the table that `bun run eval` prints. */
export interface Figure {
  readonly what: string
  /** The target of the design; '' for none. */
  readonly target: string
  readonly measured: string
  /** Null if there is no target. */
  readonly reached: boolean | null
}

export interface Count {
  readonly right: number
  readonly of: number
}

export const computeShare = ({ right, of }: Count): number => (of === 0 ? 0 : right / of)

/** Creates the figure of a share, with the counts. */
export function toShareFigure(what: string, count: Count, least: number | null): Figure {
  const measured = `${computeShare(count).toFixed(3)} (${count.right} of ${count.of})`
  return {
    what,
    target: least === null ? '' : `≥ ${least.toFixed(2)}`,
    measured,
    reached: least === null ? null : computeShare(count) >= least,
  }
}

/** Creates the figure of a share that has an upper limit, with the counts. */
export function toLimitFigure(what: string, count: Count, most: number): Figure {
  const { measured } = toShareFigure(what, count, null)
  return { what, target: `≤ ${most.toFixed(2)}`, measured, reached: computeShare(count) <= most }
}

/** Formats figures as a Markdown table with aligned columns, as the formatter does. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, target, measured, reached }) => [
    what,
    target,
    measured,
    reached === null ? '' : reached ? 'reached' : 'missed',
  ])
  const head = ['what', 'target', 'measured', '']
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n').concat('\n')
}
