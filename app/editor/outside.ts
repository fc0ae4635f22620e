/** What happens to the text of an editor other than by typing: it is changed elsewhere, or waits for files. */
import { say } from '../words/say'
import type { Change, TextEdit, TextRange } from './markdown'

/** Makes all line ends those of a textarea and of CodeMirror. */
export const normalizeLineEnds = (text: string) => text.replace(/\r\n?/g, '\n')

/** Removes the placeholders of files that are being stored. */
export function withoutPlaceholders(text: string, placeholders: readonly string[]): string {
  return placeholders.reduce((rest, placeholder) => rest.replace(placeholder, () => ''), text)
}

/** What is said while files are stored. */
export const uploading = ([name = '', ...others]: readonly string[]) =>
  others.length === 0 ? say`Uploading ${name}…` : say`Uploading ${1 + others.length} files…`

/** What is said when they are stored, or are not. */
export function uploaded([name = '', ...others]: readonly string[], isStored: boolean): string {
  const count = 1 + others.length
  if (count === 1) return isStored ? say`${name} uploaded.` : say`${name} could not be uploaded.`
  return isStored ? say`${count} files uploaded.` : say`${count} files could not be uploaded.`
}

/** Makes a placeholder that occurs neither in the text nor among others. */
export function makePlaceholder(text: string, names: readonly string[], others: readonly string[]): string {
  const safe = names.map((name) => name.replace(/[^\p{L}\p{N}._ -]/gu, '-'))
  for (let count = 1; ; count++) {
    const placeholder = `![${uploading(safe)}${count === 1 ? '' : ` (${count})`}]()`
    if (!text.includes(placeholder) && !others.includes(placeholder)) return placeholder
  }
}

/** Finds the smallest range of `before` whose replacement makes it `after`. No surrogate pair is split. */
function findDifference(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  if (/[\uD800-\uDBFF]/.test(before[start - 1] ?? '')) start--
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  if (end > 0 && /[\uDC00-\uDFFF]/.test(before.at(-end) ?? '')) end--
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

/**
 * Makes the change that brings what the editor holds to a text from outside. Placeholders stay, since that text never
 * has them. The caret stays where it was in its line if the line is still there.
 * @param content what the editor holds, with placeholders
 */
export function changeFromOutside(
  content: string,
  selection: TextRange,
  placeholders: readonly string[],
  text: string,
): Change {
  const plain = withoutPlaceholders(content, placeholders)
  const edit = findDifference(plain, text)
  const waiting = placeholders
    .map((placeholder) => ({ placeholder, at: content.indexOf(placeholder) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at)
  /** Where in `text` an offset of the content is. */
  const place = (offset: number) => {
    const placeholdersBefore = waiting.filter(({ at }) => at < offset)
    const chars = sum(placeholdersBefore.map(({ at, placeholder }) => Math.min(placeholder.length, offset - at)))
    return placeAfter(plain, edit, offset - chars)
  }
  const placed = waiting.map((one) => ({ ...one, to: place(one.at) })).toSorted((a, b) => a.to - b.to)
  let [result, copied] = ['', 0]
  for (const { placeholder, to } of placed) {
    result += text.slice(copied, to) + placeholder
    copied = to
  }
  const select = (offset: number) => {
    const target = place(offset)
    const before = placed.filter(({ at, to }) => to < target || (to === target && at < offset))
    return target + sum(before.map(({ placeholder }) => placeholder.length))
  }
  return {
    edit: findDifference(content, result + text.slice(copied)),
    selection: { from: select(selection.from), to: select(selection.to) },
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Makes in a text from outside the change that was made of what the editor held meanwhile, as by an input method. */
export function withTyped(held: string, typed: string, text: string): string {
  const { from, to, insert } = findDifference(held, typed)
  const { selection } = changeFromOutside(held, { from, to }, [], text)
  // What was replaced by typing is gone from the text already, or is something else there by now, which stays.
  const isThere = text.slice(selection.from, selection.to) === held.slice(from, to)
  return text.slice(0, isThere ? selection.from : selection.to) + insert + text.slice(selection.to)
}

/** Where an offset of `content` is after an edit. In what is replaced it keeps to its line, if that is still there. */
export function placeAfter(content: string, { from, to, insert }: TextEdit, offset: number): number {
  if (offset <= from) return offset
  if (offset >= to) return offset + insert.length - (to - from)
  const start = content.lastIndexOf('\n', offset - 1) + 1
  const end = content.indexOf('\n', offset)
  const line = content.slice(start, end === -1 ? content.length : end)
  const after = content.slice(0, from) + insert + content.slice(to)
  const same = line.trim() === '' ? -1 : `\n${after}\n`.indexOf(`\n${line}\n`, Math.max(0, from - line.length))
  return same === -1 ? from + Math.min(offset - from, insert.length) : same + offset - start
}

/** Characters of texts that Echoes keeps at most. */
const KEPT_CHARS = 4_000_000

/**
 * Tells a text that comes back from the owner of the editor, maybe late, from one that was changed elsewhere: without it
 * what is typed in between would be lost.
 */
export class Echoes {
  /** What was reported and did not come back, oldest first; the last is what the owner knows at most. */
  #reported: string[]

  /** @param text what the owner began with */
  constructor(text: string) {
    this.#reported = [text]
  }

  /** Keeps a text that the owner gets. Returns false if it is what it got last. */
  add(text: string): boolean {
    if (this.#reported.at(-1) === text) return false
    this.#reported.push(text)
    let chars = this.#reported.reduce((sum, { length }) => sum + length, 0)
    while (chars > KEPT_CHARS && this.#reported.length > 1) chars -= this.#reported.shift()?.length ?? 0
    return true
  }

  /** Whether a text that the owner gives is from elsewhere; it is then what the owner knows. */
  isForeign(text: string): boolean {
    const echo = this.#reported.lastIndexOf(text)
    this.#reported = echo === -1 ? [text] : this.#reported.slice(echo)
    return echo === -1
  }
}
