/** A line of a unified diff. */
export interface DiffLine {
  /** `gap`: lines that are the same are left out here. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap'
  readonly text: string
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'same', '+': 'added', '-': 'removed' }

/** Reads the lines of a unified diff of one file, from its first hunk. */
export function readDiff(unified: string): DiffLine[] {
  const start = unified.search(/^@@/m)
  if (start < 0) return []
  const lines: DiffLine[] = []
  for (const line of unified.slice(start).split('\n')) {
    const kind = KINDS[line.charAt(0)]
    if (kind !== undefined) lines.push({ kind, text: line.slice(1) })
    else if (line.startsWith('@@') && lines.length > 0) lines.push({ kind: 'gap', text: '' })
  }
  return lines
}
