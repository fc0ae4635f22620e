/** The marks `[n]` of a text. */
export function listCitationMarks(text: string): Set<number> {
  return new Set(Array.from(text.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits)))
}

/**
 * Elements of HTML that call a server by being shown, where Markdown lets them through. Without their `<` they are
 * text. Every tag that begins like one of them counts.
 */
const LOADING_ELEMENTS =
  'img image picture source video audio track iframe frame embed object applet link meta base script style svg input body table td th'.split(
    ' ',
  )

const MAX_ELEMENT_UNITS = Math.max(...LOADING_ELEMENTS.map(({ length }) => length))
const LOADING_TAG = new RegExp(`<(?=${LOADING_ELEMENTS.join('|')})`, 'gi')

/** What a text that starts with `<` is: the beginning of such a tag, not that, or `open` while it may become one. */
function classifyTag(text: string): boolean | 'open' {
  const name = text.slice(1, 1 + MAX_ELEMENT_UNITS).toLowerCase()
  if (LOADING_ELEMENTS.some((one) => name.startsWith(one))) return true
  return LOADING_ELEMENTS.some((one) => one.startsWith(name)) ? 'open' : false
}

/**
 * Text of a note as it may appear in an answer: on one line, without marks that would look like ours, and without
 * images, of Markdown or HTML, since showing one calls a server of the note's choice. The citation's quote stays as it
 * is.
 */
export function toAnswerText(text: string): string {
  return text
    .replace(/\s*[\r\n]\s*(?:>\s*)*/g, ' ')
    .replace(/\[(\d+)\]/g, '($1)')
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '[image: $1]')
    .replace(/!\[/g, '! [')
    .replace(LOADING_TAG, '< ')
    .trim()
}

/**
 * What the text of an answer may hold: no Markdown image with an address and no HTML tag that does the same, since
 * showing one calls a server of the text's choice, and no mark `[n]` without a citation. Text comes in pieces of any
 * size; what may still become one of them is held back until it cannot.
 */

/** UTF-16 units that may be held back. What is longer is neither an image nor a mark that a reader would miss. */
const MAX_HELD_UNITS = 4096

/**
 * `](address)` or `][reference]` after the alternative text: where the image ends; null for none, `open` for not yet.
 */
type End = number | null | 'open'

interface TextFilter {
  /** Takes a piece of text; the answer is what can go out by now. */
  push(piece: string): string
  /** No more text comes; the answer is the rest. */
  end(): string
}

/** @param hasCitation whether a mark has a citation, asked when the mark goes out */
export function createTextFilter(hasCitation: (n: number) => boolean): TextFilter {
  return new Filter(hasCitation)
}

class Filter implements TextFilter {
  #held = ''
  /** The end of what went out, as far as more could make something of it: `!`, `[` and digits, or `<` and letters. */
  #tail = ''
  /** A mark was taken out behind it. */
  #gap = false

  constructor(private readonly hasCitation: (n: number) => boolean) {}

  push(piece: string): string {
    this.#held += piece
    return this.#drain(false)
  }

  end(): string {
    return this.#drain(true)
  }

  #drain(final: boolean): string {
    let out = ''
    for (;;) {
      const at = this.#held.search(/[![<]/)
      const plain = at < 0 ? withoutHalf(this.#held, final) : this.#held.slice(0, at)
      out += this.#join(plain)
      this.#held = this.#held.slice(plain.length)
      if (at < 0) return out
      const found = this.#readPiece(final)
      if (found === 'open') return out
      this.#held = this.#held.slice(found.length)
      out += this.#join(found.text)
    }
  }

  /** What was taken out between two pieces must not bring them together. */
  #join(piece: string): string {
    if (piece === '') return ''
    const meets =
      (this.#tail === '!' && piece.startsWith('[')) ||
      (this.#gap && this.#tail.startsWith('[') && /^[\d\]]/.test(piece)) ||
      (this.#gap && this.#tail.startsWith('<') && /^[a-z]/i.test(piece))
    this.#gap = false
    this.#tail = /(?:!|\[\d*|<[a-z]{0,9})$/i.exec(this.#tail + piece)?.[0] ?? ''
    return meets ? ` ${piece}` : piece
  }

  #readPiece(final: boolean): Piece | 'open' {
    if (this.#held.startsWith('[')) return this.#readMark(final)
    return this.#held.startsWith('!') ? this.#readImage(final) : this.#readTag(final)
  }

  #readTag(final: boolean): Piece | 'open' {
    const loads = classifyTag(this.#held)
    if (loads === 'open' && !final) return 'open'
    return { length: 1, text: loads === true ? '< ' : '<' }
  }

  #readMark(final: boolean): Piece | 'open' {
    const text = this.#held
    const [mark, digits] = /^\[(\d+)\]/.exec(text) ?? []
    if (mark && mark.length <= MAX_HELD_UNITS) {
      if (this.hasCitation(Number(digits))) return { length: mark.length, text: mark }
      this.#gap = true
      return { length: mark.length, text: '' }
    }
    const open = !final && /^\[\d*$/.test(text)
    if (open && text.length < MAX_HELD_UNITS) return 'open'
    return { length: 1, text: mark || open ? '[ ' : '[' }
  }

  #readImage(final: boolean): Piece | 'open' {
    const all = this.#held
    if (all.length === 1 && !final) return 'open'
    const text = all.slice(0, MAX_HELD_UNITS)
    if (text[1] !== '[') return { length: 1, text: '!' }
    const close = findClosing(text, 1, '[', ']')
    const end = close === null ? 'open' : findAddressEnd(text, close + 1)
    if (end === 'open' && !final && text.length < MAX_HELD_UNITS) return 'open'
    const alt = text.slice(2, close ?? 2)
    const isMark = /^\d+$/.test(alt) && text[(close ?? 0) + 1] !== '('
    // Without an address here it may still have one elsewhere, by its name: apart, the two signs are no image.
    if (close === null || end === null || end === 'open' || isMark) return { length: 1, text: '! ' }
    return { length: end, text: `[image: ${filterText(alt, this.hasCitation)}]` }
  }
}

interface Piece {
  /** UTF-16 units of the text that it replaces. */
  readonly length: number
  readonly text: string
}

function filterText(text: string, hasCitation: (n: number) => boolean): string {
  const filter = createTextFilter(hasCitation)
  return filter.push(text) + filter.end()
}

/** Where the bracket that opens at `start` closes, over inner ones and escapes; null when it does not. */
function findClosing(text: string, start: number, open: string, close: string): number | null {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === open) depth++
    else if (text[i] === close && --depth === 0) return i
  }
  return null
}

/** Where the address that begins at `at` ends. */
function findAddressEnd(text: string, at: number): End {
  const open = text[at]
  if (open === undefined) return 'open'
  if (open !== '(' && open !== '[') return null
  const close = findClosing(text, at, open, open === '(' ? ')' : ']')
  return close === null ? 'open' : close + 1
}

/** Half of a surrogate pair waits for the other half; one that never comes is no character. */
function withoutHalf(text: string, final: boolean): string {
  return final || !/[\ud800-\udbff]$/.test(text) ? text : text.slice(0, -1)
}
