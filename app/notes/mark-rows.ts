/** Marks in the rows of a list what was searched for. */
import { findWords } from './find-notes'
import type { Piece } from './plain-piece'

/** Marks in one text: a single letter is in it many times. */
const MAX_MARKS = 3
const NAME = 'found'

/**
 * Marks what the server found in the notes, by their ids, and else `words`, in the elements with `data-part`. They are
 * highlights of CSS: elements would be made and laid out with each key stroke. Browsers without them show no marks.
 */
export function markRows(
  rows: HTMLElement,
  words: readonly string[],
  pieces: ReadonlyMap<string, readonly Piece[]> | null,
): void {
  if (!('highlights' in CSS)) return
  const ranges: StaticRange[] = []
  for (const row of rows.querySelectorAll<HTMLElement>('[data-id]')) {
    const found = pieces?.get(row.dataset.id ?? '')
    for (const part of row.querySelectorAll<HTMLElement>('[data-part]')) {
      const text = part.lastChild
      if (!(text instanceof Text)) continue
      const piece = found?.find(({ field }) => field === part.dataset.part)
      const places = piece?.ranges ?? findWords(text.data, words).slice(0, MAX_MARKS)
      for (const [startOffset, endOffset] of places)
        ranges.push(new StaticRange({ startContainer: text, startOffset, endContainer: text, endOffset }))
    }
  }
  CSS.highlights.set(NAME, new Highlight(...ranges))
}

export function removeMarks(): void {
  if ('highlights' in CSS) CSS.highlights.delete(NAME)
}
