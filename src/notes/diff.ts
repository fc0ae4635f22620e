import { formatPatch, type StructuredPatch, structuredPatch } from 'diff'

/**
 * Insertions and deletions that are looked for. The time grows with its square: 1,000 cost a quarter of a second for
 * texts of 1 MiB, 4,000 cost five.
 */
const MAX_EDITS = 1000

export interface Side {
  /** What stands for the text in the head of the diff. */
  readonly name: string
  readonly text: string
}

export interface TextDiff {
  /** Lines. */
  readonly added: number
  readonly removed: number
  /** The texts differ too much: the diff takes all of one out and puts all of the other in. */
  readonly approximate: boolean
  /** A unified diff, as `patch` takes it; empty if the texts are equal. */
  readonly unified: string
}

/** Compares two texts line by line. Lines end in LF; a CR before it is part of the line. `context` counts lines. */
export function diffTexts(from: Side, to: Side, context: number): TextDiff {
  if (from.text === to.text) return { added: 0, removed: 0, approximate: false, unified: '' }
  const options = { context, maxEditLength: MAX_EDITS }
  const exact = structuredPatch(from.name, to.name, from.text, to.text, undefined, undefined, options)
  const patch = exact ?? replacement(from, to)
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  return {
    added: count(lines, '+'),
    removed: count(lines, '-'),
    approximate: exact === undefined,
    unified: formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
  }
}

/** One hunk from all of one text to all of the other. */
function replacement(from: Side, to: Side): StructuredPatch {
  const [removed, added] = [marked('-', from.text), marked('+', to.text)]
  const hunk = {
    oldStart: 1,
    oldLines: count(removed, '-'),
    newStart: 1,
    newLines: count(added, '+'),
    lines: removed.concat(added),
  }
  return { oldFileName: from.name, newFileName: to.name, oldHeader: undefined, newHeader: undefined, hunks: [hunk] }
}

/** The lines of a text behind a sign, as a hunk holds them. */
function marked(sign: string, text: string): string[] {
  const lines = text.split('\n').map((line) => sign + line)
  if (text === '' || text.endsWith('\n')) return lines.slice(0, -1)
  return [...lines, '\\ No newline at end of file']
}

function count(lines: readonly string[], sign: string): number {
  return lines.filter((line) => line.startsWith(sign)).length
}
