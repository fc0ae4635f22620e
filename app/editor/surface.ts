import type { TextEdit, TextRange } from './markdown'

/** A point of a surface, in CSS pixels from its top left. What is shown there is above it or below. */
export interface Anchor {
  readonly left: number
  readonly top: number
  readonly isAbove: boolean
}

/** Where a text is typed: CodeMirror, or its stand-in. */
export interface TextSurface {
  /** The whole text, with `\n` as the line end. */
  readText(): string
  readSelection(): TextRange
  /**
   * Replaces a range, and selects another. With `person` the undo key takes it back; with `upload` as little as the
   * surface can; with `elsewhere` never.
   */
  edit(edit: TextEdit, selection: TextRange, by: 'person' | 'upload' | 'elsewhere'): void
  hasFocus(): boolean
  focus(): void
  undo(): void
  /** The offset of the text at a point of the window, in CSS pixels; null if the surface cannot tell. */
  findOffset(x: number, y: number): number | null
  /** Where to show what completes the text at an offset; null: nowhere. */
  findPlace(offset: number): Anchor | null
}

/** Makes a plain textarea a surface, until CodeMirror is loaded or where it cannot be. Undo does not know its edits. */
export function createStandIn(area: HTMLTextAreaElement): TextSurface {
  return {
    readText: () => area.value,
    readSelection: () => ({ from: area.selectionStart, to: area.selectionEnd }),
    edit({ from, to, insert }, selection) {
      area.setRangeText(insert, from, to)
      area.setSelectionRange(selection.from, selection.to)
    },
    hasFocus: () => area.ownerDocument.activeElement === area,
    focus: () => area.focus(),
    undo: () => document.execCommand('undo'),
    findOffset: () => null,
    findPlace: () => null,
  }
}
