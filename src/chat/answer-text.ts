/** Lists the numbers of the marks `[n]` in a text. */
export function listCitationMarks(text: string): Set<number> {
  return new Set(Array.from(text.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits)))
}

/**
 * HTML elements that load something from a server when they are shown, in renderers of Markdown that allow HTML. Every
 * tag that begins like one of them counts. A blank after the `<` makes them text.
 */
const LOADING_ELEMENTS =
  'img image picture source video audio track iframe frame embed object applet link meta base script style svg input body table td th'.split(
    ' ',
  )

const MAX_ELEMENT_UNITS = Math.max(...LOADING_ELEMENTS.map(({ length }) => length))
const LOADING_TAG = new RegExp(`<(?=${LOADING_ELEMENTS.join('|')})`, 'gi')

/** Tells whether a text that starts with `<` begins such a tag; `open` while it may still become one. */
function classifyTag(text: string): boolean | 'open' {
  const name = text.slice(1, 1 + MAX_ELEMENT_UNITS).toLowerCase()
  if (LOADING_ELEMENTS.some((one) => name.startsWith(one))) return true
  return LOADING_ELEMENTS.some((one) => one.startsWith(name)) ? 'open' : false
}

/**
 * Makes the text of a note safe for an answer: one line, without marks that look like citations, and without images of
 * Markdown or HTML, since showing one calls a server that the note chooses. The quote of the citation is not changed.
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

/** UTF-16 units that may be held back. Longer images and marks are broken up. */
const MAX_HELD_UNITS = 4096

/**
 * The end of an image, after `](address)` or `][reference]`; null if it is not an image, `open` if it may become one.
 */
type End = number | null | 'open'

/**
 * Removes from the text of an answer: Markdown images with an address and HTML tags that load something, since showing
 * one calls a server that the text chooses, and marks `[n]` without a citation. Text comes in pieces of any size; the
 * filter holds back what may still become one of these.
 */
export class TextFilter {
  #held = ''
  /** The end of the text that was sent, if more text could complete it: `!`, `[` and digits, or `<` and letters. */
  #tail = ''
  /** Whether a mark was removed after it. */
  #gap = false

  /** @param hasCitation whether a mark has a citation; called when the mark is sent */
  constructor(private readonly hasCitation: (n: number) => boolean) {}

  /** Takes a piece of text; returns what can be sent. */
  push(piece: string): string {
    this.#held += piece
    return this.#drain(false)
  }

  /** Ends the text; returns the rest. */
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

  /** Joins a piece to the text before it. If a mark was removed between them, they must not form a new one. */
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
    // Its address may be defined elsewhere by a reference, so the two signs are always separated.
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
  const filter = new TextFilter(hasCitation)
  return filter.push(text) + filter.end()
}

/** Finds where the bracket at `start` closes, past inner brackets and escapes; null if it does not. */
function findClosing(text: string, start: number, open: string, close: string): number | null {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === open) depth++
    else if (text[i] === close && --depth === 0) return i
  }
  return null
}

/** Finds where the address that begins at `at` ends. */
function findAddressEnd(text: string, at: number): End {
  const open = text[at]
  if (open === undefined) return 'open'
  if (open !== '(' && open !== '[') return null
  const close = findClosing(text, at, open, open === '(' ? ')' : ']')
  return close === null ? 'open' : close + 1
}

/** Keeps back the first half of a surrogate pair until the other half comes, or the text ends. */
function withoutHalf(text: string, final: boolean): string {
  return final || !/[\ud800-\udbff]$/.test(text) ? text : text.slice(0, -1)
}

export type TextLimits = ReturnType<typeof createTextLimits>

/** Ends a text before the first stop sequence, or at the limit of tokens (4 bytes each). @param tokenLimit null: none */
export function createTextLimits(stop: readonly string[], tokenLimit: number | null) {
  const longest = Math.max(0, ...stop.map((sequence) => sequence.length))
  let held = ''
  let bytesLeft = tokenLimit === null ? Number.POSITIVE_INFINITY : tokenLimit * 4
  let ended: 'stop' | 'length' | null = null

  /** Returns the part of a text within the limit of tokens; a character that does not fit whole is left out. */
  function takeWithinLimit(text: string): string {
    const size = Buffer.byteLength(text)
    if (size <= bytesLeft) {
      bytesLeft -= size
      return text
    }
    ended = 'length'
    return new TextDecoder().decode(Buffer.from(text).subarray(0, bytesLeft), { stream: true })
  }

  function drain(final: boolean): string {
    const waiting = final ? held.length : held.length - countHeldBack()
    const first = Math.min(...stop.map((sequence) => held.indexOf(sequence)).filter((at) => at >= 0))
    // Another sequence that begins earlier may still be completed.
    const stopped = first <= waiting
    const out = held.slice(0, stopped ? first : waiting)
    held = stopped ? '' : held.slice(out.length)
    const spent = takeWithinLimit(out)
    if (stopped) ended ??= 'stop'
    return spent
  }

  /** Counts the UTF-16 units at the end that may be the beginning of a stop sequence. */
  function countHeldBack(): number {
    for (let size = Math.min(longest - 1, held.length); size > 0; size--) {
      const end = held.slice(-size)
      if (stop.some((sequence) => sequence.startsWith(end))) return size
    }
    return 0
  }

  const take = (piece: string, final: boolean): string => {
    if (ended) return ''
    held += piece
    return drain(final)
  }
  return {
    /** Takes a piece of text; returns what can be sent. Once `ended`, that is nothing. */
    push: (piece: string) => take(piece, false),
    /** Ends the text; returns the rest. */
    end: () => take('', true),
    /** Why the text ended: `stop` at a stop sequence, `length` at the limit of tokens. Null if it did not. */
    get ended() {
      return ended
    },
  }
}
