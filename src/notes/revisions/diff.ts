import { formatPatch, structuredPatch } from 'diff'

/**
 * Insertions and deletions that are looked for. The time grows with its square: on texts of 1 MiB 500 cost as much as
 * cutting them into lines, 2,000 ten times that.
 */
const MAX_EDITS = 500

export interface DiffSide {
  /** The name of the text in the head of the diff. */
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
export function diffTexts(from: DiffSide, to: DiffSide, context: number): TextDiff {
  if (from.text === to.text) return { added: 0, removed: 0, approximate: false, unified: '' }
  const counts = [countLines(from.text), countLines(to.text)] as const
  if (Math.abs(counts[0] - counts[1]) > MAX_EDITS) return diffAsReplacement(from, to, counts)
  const limits = { context, maxEditLength: MAX_EDITS }
  const patch = structuredPatch(from.name, to.name, from.text, to.text, undefined, undefined, limits)
  if (!patch) return diffAsReplacement(from, to, counts)
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    approximate: false,
    unified: formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
  }
}

/** One hunk from all of one text to all of the other, made of whole strings: there may be a million lines. */
function diffAsReplacement(from: DiffSide, to: DiffSide, [removed, added]: readonly [number, number]): TextDiff {
  const head = `@@ -${formatRange(removed)} +${formatRange(added)} @@\n`
  const unified = `--- ${from.name}\n+++ ${to.name}\n${head}${prefixLines('-', from.text)}${prefixLines('+', to.text)}`
  return { added, removed, approximate: true, unified }
}

/** All lines of a text as a range of a hunk; a range of no lines is said to begin at line 0. */
function formatRange(lines: number): string {
  return `${Math.min(lines, 1)},${lines}`
}

/** The lines of a text, each behind the sign. */
function prefixLines(sign: string, text: string): string {
  if (text === '') return ''
  if (text.endsWith('\n')) return `${sign}${text.slice(0, -1).replaceAll('\n', `\n${sign}`)}\n`
  return `${sign}${text.replaceAll('\n', `\n${sign}`)}\n\\ No newline at end of file\n`
}

function countLines(text: string): number {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.length - 1 : lines.length
}
