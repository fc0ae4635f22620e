/** What the keys of the editor do to Markdown. Offsets are in UTF-16 units, as those of a textarea and of CodeMirror. */

/** A half-open range of a text; empty where the caret is. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/** Replaces a range of a text. */
export interface TextEdit extends TextRange {
  readonly insert: string
}

/** An edit, and what is selected after it. */
export interface Change {
  readonly edit: TextEdit
  readonly selection: TextRange
}

/** Applies an edit to a text. */
export function applyEdit(text: string, { from, to, insert }: TextEdit): string {
  return text.slice(0, from) + insert + text.slice(to)
}

export const caretAt = (offset: number): TextRange => ({ from: offset, to: offset })

/**
 * Makes the selection strong (`**`) or emphasized (`*`), or plain again if it already is. White space at its ends stays
 * out. A caret at the end of such a text moves on behind it.
 */
export function toggleMark(text: string, range: TextRange, mark: '*' | '**'): Change {
  const { from, to } = trimRange(text, range)
  if (from === to && isAtEndOfMarked(text, from, mark))
    return { edit: { from, to, insert: '' }, selection: caretAt(from + mark.length) }
  const inner = text.slice(from, to)
  const { length } = mark
  if (hasMark(Math.min(starsBefore(text, from), starsAfter(text, to)), mark))
    return replaceBy({ from: from - length, to: to + length }, inner, 0)
  if (inner.length > 2 * length && hasMark(Math.min(starsAfter(inner, 0), starsBefore(inner, inner.length)), mark))
    return replaceBy({ from, to }, inner.slice(length, -length), 0)
  return replaceBy({ from, to }, mark + inner + mark, length)
}

/** Whether the mark after the caret closes one of its line, and something is between. */
function isAtEndOfMarked(text: string, caret: number, mark: '*' | '**'): boolean {
  const before = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret)
  const opened = before.match(/\*+/g)?.filter(({ length }) => hasMark(length, mark)) ?? []
  return /[^\s*]$/.test(before) && hasMark(starsAfter(text, caret), mark) && opened.length % 2 === 1
}

/** Replaces a range, and selects the new text without `margin` units at either end. */
function replaceBy(range: TextRange, insert: string, margin: number): Change {
  const selection = { from: range.from + margin, to: range.from + insert.length - margin }
  return { edit: { ...range, insert }, selection }
}

function trimRange(text: string, { from, to }: TextRange): TextRange {
  const selected = text.slice(from, to)
  const trimmed = selected.trim()
  if (trimmed === '') return { from, to }
  const start = from + selected.indexOf(trimmed)
  return { from: start, to: start + trimmed.length }
}

/** Three asterisks are both marks; so an odd number has the one, and two or more have the other. */
const hasMark = (stars: number, mark: '*' | '**') => (mark === '**' ? stars >= 2 : stars % 2 === 1)

function starsBefore(text: string, offset: number): number {
  let stars = 0
  while (text[offset - 1 - stars] === '*') stars++
  return stars
}

function starsAfter(text: string, offset: number): number {
  let stars = 0
  while (text[offset + stars] === '*') stars++
  return stars
}

const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/

/** Makes a link of the selection, which is its address or its text, and puts the caret where the other is typed. */
export function makeLink(text: string, range: TextRange): Change {
  const { from, to } = trimRange(text, range)
  const selected = text.slice(from, to)
  if (ADDRESS.test(selected)) return { edit: { from, to, insert: `[](${selected})` }, selection: caretAt(from + 1) }
  const address = from + selected.length + 3
  return {
    edit: { from, to, insert: `[${selected}](url)` },
    selection: selected === '' ? caretAt(from + 1) : { from: address, to: address + 3 },
  }
}

/** Makes a link of the selected words to a pasted address; null if it is no address, or they are no words. */
export function linkWords(text: string, range: TextRange, pasted: string): Change | null {
  const { from, to } = trimRange(text, range)
  const [words, address] = [text.slice(from, to), pasted.trim()]
  if (!ADDRESS.test(address) || words.trim() === '' || /[\n[\]]/.test(words) || ADDRESS.test(words)) return null
  const insert = `[${words}](${/[()]/.test(address) ? `<${address}>` : address})`
  return { edit: { from, to, insert }, selection: caretAt(from + insert.length) }
}

/** What cannot be in the title within `[[…]]`. */
const UNLINKABLE = /[[\]#^|\n]/

/** Whether `[[…]]` can name a note of this title. */
export const isLinkable = (title: string) => title.trim() !== '' && !UNLINKABLE.test(title)

/** What was typed of a title after `[[`, and where it begins. Null where no title is typed; `![[` names files. */
export function findLinkQuery(text: string, caret: number): { readonly from: number; readonly query: string } | null {
  const lineStart = text.lastIndexOf('\n', caret - 1) + 1
  const before = text.slice(lineStart, caret)
  const brackets = before.lastIndexOf('[[')
  if (brackets === -1 || before[brackets - 1] === '!') return null
  const query = before.slice(brackets + 2)
  return UNLINKABLE.test(query) ? null : { from: lineStart + brackets + 2, query }
}

/** Completes a link whose title begins at `from` and is typed up to the caret. Uses a `]]` that is there already. */
export function completeLink(text: string, from: number, caret: number, title: string): Change {
  const to = text.startsWith(']]', caret) ? caret + 2 : caret
  return { edit: { from, to, insert: `${title}]]` }, selection: caretAt(from + title.length + 2) }
}
