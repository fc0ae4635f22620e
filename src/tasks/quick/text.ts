import { TIME_WARNINGS } from '../../lib/civil/words/reading'
import { COVERED, SEALED } from '../../lib/civil/words/tokens'
import type { QuickKind, QuickSpan, QuickWarning, QuickWarningCode } from './types'

const AT_END = new RegExp(`^[\\s${COVERED}]*$`)
/** What would be left over before what is taken at the end: a comma, a dash. */
const COMMA = /(?:[,;]|(?<=\s)[-–—|]+)\s*$/
/** The same after what is taken at the beginning. */
const DASH = /^\s+[-–—|]+(?=\s)/
const SPACE = /\s$/
const NOTHING = /$/

const DETAILS: Record<QuickWarningCode, string> = {
  ...TIME_WARNINGS,
  unknown_project: 'there is no project of this name',
  archived_project: 'the project of this name is archived',
  unknown_section: 'there is no section of this name',
  name_too_long: 'a name has at most 100 characters',
  too_many_labels: 'a task has at most 50 labels',
}

interface Found {
  readonly start: number
  readonly end: number
  readonly kind: QuickKind
  readonly value: QuickSpan['value']
}

/** Positions are UTF-16 units; `spans` and `warnings` convert them to code points. */
export class QuickText {
  /**
   * The text with all taken and kept ranges covered; it has the length of the text. Nothing is found in or across
   * covered text.
   */
  rest: string
  readonly #text: string
  readonly #found: Found[] = []
  readonly #warned: { code: QuickWarningCode; start: number; end: number }[] = []

  constructor(text: string) {
    this.#text = text
    this.rest = text
  }

  slice(start: number, end: number): string {
    return this.#text.slice(start, end)
  }

  /**
   * Takes a range out of the title, together with brackets around it and punctuation that would be left over: that
   * after it, or at the end of the text that before it. Before `!` and `?`, which stay, it takes the space.
   */
  take(start: number, end: number, kind: QuickKind, value: QuickSpan['value']): void {
    const bracketed = ['()', '[]'].includes(`${this.rest[start - 1]}${this.rest[end]}`)
    const open = bracketed ? start - 1 : start
    const close = bracketed ? end + 1 : end
    const [before, after] = kind === 'escape' ? ['', ''] : [this.rest.slice(0, open), this.rest.slice(close)]
    const first =
      open - (before.match(AT_END.test(after) ? COMMA : /^[!?]/.test(after) ? SPACE : NOTHING)?.[0].length ?? 0)
    const dash = AT_END.test(before) ? (after.match(DASH)?.[0].length ?? 0) : 0
    const last = /^[,;:.](?:\s|$)/.test(after) ? close + 1 : close + dash
    this.#found.push({ start: first, end: last, kind, value })
    this.#cover(first, last, COVERED)
  }

  /** Keeps a range in the title, with or without a warning; nothing else is found in it. */
  keep(start: number, end: number, code?: QuickWarningCode): void {
    if (code) this.#warned.push({ code, start, end })
    this.#cover(start, end, SEALED)
  }

  /** Returns the text outside the spans, in one line. */
  title(): string {
    const outside = this.#ordered().reduceRight(
      (text, { start, end }) => text.slice(0, start) + text.slice(end),
      this.#text,
    )
    return outside.replace(/\s+/g, ' ').trim()
  }

  /** Returns the taken ranges in the order of the text. */
  spans(): QuickSpan[] {
    const at = createCodePointIndex(this.#text)
    return this.#ordered().map(({ start, end, kind, value }) => {
      return { start: at(start), end: at(end), kind, text: this.#text.slice(start, end), value }
    })
  }

  /** Returns the warnings in the order of the text. */
  warnings(): QuickWarning[] {
    const at = createCodePointIndex(this.#text)
    const ordered = this.#warned.toSorted((a, b) => a.start - b.start)
    return ordered.map(({ code, start, end }) => {
      return { code, start: at(start), end: at(end), text: this.#text.slice(start, end), detail: DETAILS[code] }
    })
  }

  #ordered(): Found[] {
    return this.#found.toSorted((a, b) => a.start - b.start)
  }

  #cover(start: number, end: number, cover: string): void {
    this.rest = this.rest.slice(0, start) + cover.repeat(end - start) + this.rest.slice(end)
  }
}

/** Returns a function that converts positions in UTF-16 units to positions in code points. */
function createCodePointIndex(text: string): (position: number) => number {
  const counts = new Uint32Array(text.length + 1)
  let count = 0
  let position = 0
  for (const character of text) {
    for (const _ of character.split('')) counts[position++] = count
    count++
  }
  counts[position] = count
  return (at) => counts[at] ?? count
}
