import type { TextEdit, TextRange } from './markdown'
import type { TextSurface } from './surface'

/** Makes a textarea a surface, as high as its text. It does not change what the textarea holds. */
export function createTextareaSurface(area: HTMLTextAreaElement): TextSurface {
  growArea(area)
  area.addEventListener('input', () => growArea(area))
  const hasFocus = () => area.ownerDocument.activeElement === area
  return {
    readText: () => area.value,
    readSelection: () => ({ from: area.selectionStart, to: area.selectionEnd }),
    edit(edit, selection, by) {
      if (by === 'elsewhere' || !hasFocus() || !typeInto(area, edit)) area.setRangeText(edit.insert, edit.from, edit.to)
      select(area, selection)
      growArea(area)
    },
    hasFocus,
    focus: () => area.focus(),
    findOffset: () => null,
    findPlace: () => null,
  }
}

/**
 * Replaces a range as typing does: execCommand is the only way that the undo key takes back. Returns false if the
 * browser has it no longer.
 */
function typeInto(area: HTMLTextAreaElement, { from, to, insert }: TextEdit): boolean {
  select(area, { from, to })
  if (insert !== '') return document.execCommand('insertText', false, insert)
  return from === to || document.execCommand('delete')
}

function select(area: HTMLTextAreaElement, { from, to }: TextRange): void {
  area.setSelectionRange(from, to)
}

/** Makes a textarea as high as its text, where CSS (`field-sizing`) does not. */
function growArea(area: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  area.style.height = 'auto'
  area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`
}
