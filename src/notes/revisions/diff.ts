import { formatPatch, structuredPatch } from 'diff'

/**
 * Insertions and deletions that the diff looks for. The time grows with the square of this: on texts of 1 MiB, 500 take
 * as long as splitting the texts into lines, and 2,000 take ten times as long.
 */
const MAX_EDITS = 500

/** One of the two texts of a diff. */
export interface DiffSide {
  /** The name of the text in the header of the diff. */
  readonly name: string
  readonly text: string
}

export interface TextDiff {
  /** In lines. */
  readonly added: number
  /** In lines. */
  readonly removed: number
  /** The texts differ too much: the diff removes all lines of one and adds all lines of the other. */
  readonly approximate: boolean
  /** A unified diff that `patch` can apply; empty if the texts are equal. */
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

/**
 * Writes one hunk that replaces all of one text by all of the other. Works on whole strings, since a text may have a
 * million lines.
 */
function diffAsReplacement(from: DiffSide, to: DiffSide, [removed, added]: readonly [number, number]): TextDiff {
  const head = `@@ -${formatRange(removed)} +${formatRange(added)} @@\n`
  const unified = `--- ${from.name}\n+++ ${to.name}\n${head}${prefixLines('-', from.text)}${prefixLines('+', to.text)}`
  return { added, removed, approximate: true, unified }
}

function formatRange(lines: number): string {
  return `${Math.min(lines, 1)},${lines}`
}

function prefixLines(sign: string, text: string): string {
  if (text === '') return ''
  if (text.endsWith('\n')) return `${sign}${text.slice(0, -1).replaceAll('\n', `\n${sign}`)}\n`
  return `${sign}${text.replaceAll('\n', `\n${sign}`)}\n\\ No newline at end of file\n`
}

function countLines(text: string): number {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.length - 1 : lines.length
}
