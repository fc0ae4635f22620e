/** Merges two changes of one text, line by line. */
import { diffArrays } from 'diff'

/**
 * Lines that a comparison adds and removes at most, so that its time is bounded: see src/notes/revisions/diff.ts. Beyond
 * it all that is between the first and the last changed line counts as changed.
 */
const MAX_EDITS = 500

/** Lines of the base from `start` to before `end`, which became others. Equal numbers: lines were inserted there. */
interface Change {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/**
 * Merges what was made of a text in two places. Returns null where both changed the same lines in different ways, or one
 * inserted lines beside what the other changed: their order is nobody's to guess. Lines end in LF; a CR before it is part
 * of the line, unless one of the places has made LF of every line end, as editors do: then all of the result end so.
 */
export function mergeLines(base: string, theirs: string, ours: string): string | null {
  if (theirs === ours || ours === base) return theirs
  if (theirs === base) return ours
  const lost = base.includes('\r\n') && !(theirs.includes('\r') && ours.includes('\r'))
  const split = (text: string) => (lost ? text.replaceAll('\r\n', '\n') : text).split('\n')
  const lines = split(base)
  const changes = combine(findChanges(lines, split(theirs)), findChanges(lines, split(ours)))
  if (!changes) return null
  const parts: (readonly string[])[] = []
  let copied = 0
  for (const { start, end, lines: changed } of changes) {
    parts.push(lines.slice(copied, start), changed)
    copied = end
  }
  parts.push(lines.slice(copied))
  return parts.flat().join('\n')
}

/** Finds what became of the lines of a text, in their order. */
function findChanges(from: readonly string[], to: readonly string[]): Change[] {
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let tail = 0
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++
  const [before, after] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)]
  if (before.length === 0 && after.length === 0) return []
  const whole = { start: head, end: head + before.length, lines: after }
  if (before.length === 0 || after.length === 0) return [whole]
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS })
  if (!parts) return [whole]
  const changes: Change[] = []
  let place = head
  for (const { value, added, removed } of parts) {
    const last = changes.at(-1)
    const end = added ? place : place + value.length
    if (!added && !removed) place = end
    else {
      const lines = added ? value : []
      if (last?.end === place) changes[changes.length - 1] = { ...last, end, lines: [...last.lines, ...lines] }
      else changes.push({ start: place, end, lines })
      place = end
    }
  }
  return changes
}

/** Puts the changes of both places in their order, equal ones once; null if two are of the same lines. */
function combine(theirs: readonly Change[], ours: readonly Change[]): Change[] | null {
  const all: Change[] = []
  let [next, own] = [0, 0]
  for (;;) {
    const [their, our] = [theirs[next], ours[own]]
    if (!their || !our) return [...all, ...theirs.slice(next), ...ours.slice(own)]
    if (isSame(their, our)) {
      all.push(their)
      next++
      own++
    } else if (meet(their, our)) return null
    else if (their.start < our.start) {
      all.push(their)
      next++
    } else {
      all.push(our)
      own++
    }
  }
}

/** Whether two changes have a line in common, or one inserts lines at an end of the other. */
function meet(one: Change, other: Change): boolean {
  const [start, end] = [Math.max(one.start, other.start), Math.min(one.end, other.end)]
  const isInsertion = one.start === one.end || other.start === other.end
  return isInsertion ? start <= end : start < end
}

function isSame(one: Change, other: Change): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.lines.length === other.lines.length &&
    one.lines.every((line, place) => line === other.lines[place])
  )
}
