import { findDollar } from '../../lib/markdown/lines.ts'
import { getCharClass, MARK, NUMBER, PUNCTUATION, SPACE, titleKey, WORD } from '../../lib/text.ts'
import {
  EQUALS,
  findAutolinkEnd,
  findHtmlTagEnd,
  findInlineLinkEnd,
  findLabelEnd,
  isAsciiPunctuation,
  STAR,
  TILDE,
  UNDERSCORE,
} from './grammar.ts'

/**
 * The receiver of the inline elements of one block's text, in order of their ends. Offsets are UTF-16 into that text. A
 * subclass overrides the methods that it needs.
 */
export class InlineSink {
  /**
   * What to report: `plain` has emphasis and entities beside the `structure` of a note, and no tags; `whole` has all, with
   * bare addresses.
   */
  readonly wants: 'structure' | 'plain' | 'whole' = 'structure'
  /** The labels that have a link definition, and those of footnotes behind a `^`; with null every `[text][label]` is a link. */
  readonly references: { has(label: string): boolean } | null = null
  code(_start: number, _end: number, _ticks: number): void {}
  comment(_start: number, _end: number): void {}
  /** Receives a `%%` without a second one on its line. */
  loneComment(_at: number): void {}
  wikiLink(_start: number, _end: number, _text: string): void {}
  tag(_start: number, _end: number, _text: string): void {}
  /** Receives a link or an image. Its text is between the brackets at `open` and `close`. */
  link(_start: number, _open: number, _close: number, _end: number, _text: string): void {}
  html(_start: number, _end: number, _text: string): void {}
  maths(_start: number, _end: number, _text: string): void {}
  footnote(_start: number, _end: number, _text: string): void {}
  /** Takes the address of the web or of mail around the sign at `at`, and returns its end; -1 if there is none. */
  takeAddress(_at: number, _from: number, _to: number): number {
    return -1
  }
  autolink(_start: number, _end: number): void {}
  escape(_at: number): void {}
  emphasis(_code: number, _start: number, _end: number, _canOpen: boolean, _canClose: boolean): void {}
  entity(_start: number, _end: number, _value: string): void {}
}

/** A longer `#name`, in code points, is not a tag. The limit is that of tags that a client sets. */
const MAX_INLINE_TAG_CHARS = 100
const ENTITY = /&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos|nbsp));/y
/** Of at most 100 characters, as tags are. */
const FOOTNOTE_MARK = /\[\^([^\]\s^]{1,100})\]/y
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

const [BANG, HASH, DOLLAR, PERCENT, AMPERSAND, DOT, COLON] = [33, 35, 36, 37, 38, 46, 58]
const [LESS, AT, OPEN, BACKSLASH, CLOSE, CARET, TICK] = [60, 64, 91, 92, 93, 94, 96]

const STRUCTURE = [BANG, HASH, DOLLAR, PERCENT, COLON, LESS, OPEN, BACKSLASH, CLOSE, TICK]
const EMPHASIS = [AMPERSAND, STAR, EQUALS, UNDERSCORE, TILDE]
const STOPS = {
  structure: stopTable(STRUCTURE),
  plain: stopTable([...STRUCTURE.filter((code) => code !== HASH && code !== COLON), ...EMPHASIS]),
  whole: stopTable([...STRUCTURE, ...EMPHASIS, DOT, AT]),
}

function stopTable(codes: readonly number[]): Uint8Array {
  const table = new Uint8Array(128)
  for (const code of codes) table[code] = 1
  return table
}

/** Scans the text of headings and paragraphs once, from left to right. One scanner serves many blocks. */
export class InlineScanner {
  private text = ''
  private from = 0
  private to = 0
  /** The open brackets: twice the offset of `[`, plus 1 for an image. */
  private brackets: number[] = []
  private lastBracket = -1
  /** Brackets below this count are around a link, and open no other. */
  private inactive = 0
  /** The last offset of a backtick run by its length; filled by the first search that finds no end. */
  private tickRuns: Map<number, number> | null = null
  /** No `-->` begins at or after this offset. */
  private noCommentEndFrom = Number.POSITIVE_INFINITY
  /** No `]]>`, `?>` or `>` of a declaration comes at or after this offset. */
  private noDeclarationEndFrom = Number.POSITIVE_INFINITY
  /** The end of the last bare URL; no tag begins before it. */
  private urlEnd = 0
  /** The end of the last escape. */
  private escapedTo = 0

  constructor(private readonly sink: InlineSink) {}

  scan(text: string, from: number, to: number): void {
    this.text = text
    this.from = from
    this.to = to
    if (this.brackets.length > 0) this.brackets = []
    this.inactive = 0
    this.escapedTo = from
    this.tickRuns = null
    this.noCommentEndFrom = Number.POSITIVE_INFINITY
    this.noDeclarationEndFrom = Number.POSITIVE_INFINITY
    this.urlEnd = 0
    const stops = STOPS[this.sink.wants]
    for (let at = from; at < to; ) {
      const code = text.charCodeAt(at)
      at = code < 128 && stops[code] === 1 ? this.take(code, at) : at + 1
    }
  }

  private take(code: number, at: number): number {
    switch (code) {
      case BACKSLASH:
        return this.takeEscape(at)
      case TICK:
        return this.takeCode(at)
      case LESS:
        return this.takeAngle(at)
      case PERCENT:
        return this.takePercent(at)
      case BANG:
        return this.text.charCodeAt(at + 1) === OPEN && at + 1 < this.to ? this.takeOpen(at, at + 1) : at + 1
      case OPEN:
        return this.takeOpen(at, at)
      case CLOSE:
        return this.takeClose(at)
      case HASH:
        return this.takeTag(at)
      case DOLLAR:
        return this.takeMaths(at)
      case COLON:
        return this.sink.wants === 'whole' ? this.takeAddress(at) : this.takeUrl(at)
      case DOT:
      case AT:
        return this.takeAddress(at)
      case AMPERSAND:
        return this.takeEntity(at)
      default:
        return this.takeEmphasis(code, at)
    }
  }

  private takeEscape(at: number): number {
    if (at + 1 >= this.to) return at + 1
    const next = this.text.charCodeAt(at + 1)
    if (next !== 10 && next !== 13 && !isAsciiPunctuation(next)) return at + 1
    this.sink.escape(at)
    this.escapedTo = at + 2
    return at + 2
  }

  private findRunEnd(code: number, at: number): number {
    while (at < this.to && this.text.charCodeAt(at) === code) at += 1
    return at
  }

  private takeCode(at: number): number {
    const opened = this.findRunEnd(TICK, at)
    const ticks = opened - at
    if (this.tickRuns && (this.tickRuns.get(ticks) ?? -1) < opened) return opened
    const seen = this.tickRuns ?? new Map<number, number>()
    for (let close = this.text.indexOf('`', opened); close >= 0 && close < this.to; ) {
      const closed = this.findRunEnd(TICK, close)
      if (closed - close === ticks) {
        this.sink.code(at, closed, ticks)
        return closed
      }
      seen.set(closed - close, close)
      close = this.text.indexOf('`', closed)
    }
    this.tickRuns = seen
    return opened
  }

  private takeAngle(at: number): number {
    if (this.text.startsWith('<!--', at)) {
      const end = this.findCommentEnd(at)
      if (end < 0) return at + 1
      this.sink.comment(at, end)
      return end
    }
    const tag = Math.max(findHtmlTagEnd(this.text, at, this.to), this.findDeclarationEnd(at))
    if (tag >= 0) {
      this.sink.html(at, tag, this.text)
      return tag
    }
    const link = findAutolinkEnd(this.text, at, this.to)
    if (link < 0) return at + 1
    this.sink.autolink(at, link)
    if (this.sink.wants === 'whole') this.inactive = this.brackets.length
    return link
  }

  private findCommentEnd(at: number): number {
    if (this.text.charCodeAt(at + 4) === 62 && at + 5 <= this.to) return at + 5
    if (this.text.startsWith('->', at + 4) && at + 6 <= this.to) return at + 6
    if (at + 4 >= this.noCommentEndFrom) return -1
    for (let close = at + 4; close + 3 <= this.to; close += 1) {
      if (this.text.charCodeAt(close) === 45 && this.text.startsWith('-->', close)) return close + 3
    }
    this.noCommentEndFrom = at + 4
    return -1
  }

  /** Finds the end of `<?…?>`, `<!…>` or `<![CDATA[…]]>`, or returns -1. */
  private findDeclarationEnd(at: number): number {
    const sign = this.text.charCodeAt(at + 1)
    if ((sign !== BANG && sign !== 63) || at >= this.noDeclarationEndFrom) return -1
    const close = sign === 63 ? '?>' : this.text.startsWith('[CDATA[', at + 2) ? ']]>' : '>'
    if (close === '>' && !/[a-z]/i.test(this.text.charAt(at + 2))) return -1
    const end = this.text.slice(at + 2, this.to).indexOf(close)
    if (end < 0) this.noDeclarationEndFrom = at
    return end < 0 ? -1 : at + 2 + end + close.length
  }

  /** Takes maths between dollars. */
  private takeMaths(at: number): number {
    if (this.text.charCodeAt(at + 1) !== DOLLAR) {
      const end = findDollar(this.text, at + 1)
      if (end === null || end >= this.to) return at + 1
      this.sink.maths(at, end + 1, this.text)
      return end + 1
    }
    const end = this.text.indexOf('$$', at + 2)
    if (end < 0 || end + 2 > this.to || this.text.slice(at + 2, end).trim() === '') return at + 2
    this.sink.maths(at, end + 2, this.text)
    return end + 2
  }

  /** Takes `%%…%%` on one line. The block pass has already removed comments of several lines. */
  private takePercent(at: number): number {
    if (this.text.charCodeAt(at + 1) !== PERCENT || at + 1 >= this.to) return at + 1
    for (let close = at + 2; close + 2 <= this.to; close += 1) {
      const code = this.text.charCodeAt(close)
      if (code === 10 || code === 13) break
      if (code === PERCENT && this.text.charCodeAt(close + 1) === PERCENT) {
        this.sink.comment(at, close + 2)
        return close + 2
      }
    }
    this.sink.loneComment(at)
    return at + 2
  }

  /** Takes `[` at `open`. `start` is before it for an image or an embed, which begin with `!`. */
  private takeOpen(start: number, open: number): number {
    if (this.text.charCodeAt(open + 1) === OPEN) {
      const end = this.findWikiLinkEnd(open)
      if (end >= 0) {
        this.sink.wikiLink(start, end, this.text)
        // No other link is around it; a picture may be in one.
        if (this.sink.wants === 'whole' && start === open) this.inactive = this.brackets.length
        return end
      }
    }
    if (this.text.charCodeAt(open + 1) === CARET && start === open && this.takeFootnote(open))
      return FOOTNOTE_MARK.lastIndex
    this.brackets.push(open * 2 + (start < open ? 1 : 0))
    this.lastBracket = open
    return open + 1
  }

  private takeFootnote(at: number): boolean {
    const { references } = this.sink
    FOOTNOTE_MARK.lastIndex = at
    const label = references && FOOTNOTE_MARK.exec(this.text)?.[1]
    if (label == null || FOOTNOTE_MARK.lastIndex > this.to || !references?.has(`^${titleKey(label)}`)) return false
    this.sink.footnote(at, FOOTNOTE_MARK.lastIndex, this.text)
    return true
  }

  private findWikiLinkEnd(open: number): number {
    let hasTarget = false
    let isTarget = true
    for (let at = open + 2; at + 1 < this.to; at += 1) {
      const code = this.text.charCodeAt(at)
      if (code === CLOSE) return hasTarget && this.text.charCodeAt(at + 1) === CLOSE ? at + 2 : -1
      if (code === OPEN || code === 10 || code === 13) return -1
      if (code === 124) isTarget = false
      else if (isTarget && code !== HASH && code !== BACKSLASH && !(getCharClass(code) & SPACE)) hasTarget = true
    }
    return -1
  }

  private takeClose(at: number): number {
    const opener = this.brackets.pop()
    if (opener === undefined) return at + 1
    const image = (opener & 1) === 1
    const isInactive = this.brackets.length < this.inactive
    if (isInactive) this.inactive = this.brackets.length
    if (isInactive && !image) return at + 1
    const open = opener >> 1
    const isInnermost = this.lastBracket === open
    this.lastBracket = at
    const end = this.findLinkEnd(open, at, isInnermost)
    if (end < 0) return at + 1
    if (!image) this.inactive = this.brackets.length
    this.sink.link(image ? open - 1 : open, open, at, end, this.text)
    return end
  }

  private findLinkEnd(open: number, close: number, isInnermost: boolean): number {
    const inline = findInlineLinkEnd(this.text, close + 1, this.to)
    if (inline >= 0) return inline
    const references = this.sink.references
    const full = close + 1 < this.to ? findLabelEnd(this.text, close + 1, this.to) : -1
    if (full >= 0) return !references || references.has(this.toLabel(close + 2, full - 1)) ? full : -1
    if (!references || !isInnermost || close - open > 1000) return -1
    if (!references.has(this.toLabel(open + 1, close))) return -1
    return this.text.startsWith('[]', close + 1) && close + 3 <= this.to ? close + 3 : close + 1
  }

  private toLabel(from: number, to: number): string {
    return titleKey(this.text.slice(from, to))
  }

  private takeTag(at: number): number {
    if (at < this.urlEnd) return at + 1
    if (at > this.from) {
      const before = this.text.charCodeAt(at - 1)
      if (before !== 40 && !(getCharClass(before) & SPACE)) return at + 1
    }
    const end = this.findTagEnd(at + 1)
    if (end < 0) return at + 1
    this.sink.tag(at, end, this.text)
    return end
  }

  /**
   * Finds the end of the longest run of tag characters without empty parts between `/`; it needs one that is not a
   * digit.
   */
  private findTagEnd(at: number): number {
    let length = 0
    let hasName = false
    for (let end = at; ; length += 1) {
      const slash = length > 0 && end < this.to && this.text.charCodeAt(end) === 47 ? 1 : 0
      const code = end + slash < this.to ? (this.text.codePointAt(end + slash) ?? 0) : 0
      const bits = getCharClass(code)
      const sign = code === 45 || code === UNDERSCORE
      if (!sign && !(bits & WORD) && !(bits & MARK && length > 0 && !slash)) {
        return hasName && length <= MAX_INLINE_TAG_CHARS ? end : -1
      }
      hasName ||= slash === 1 || !(bits & (NUMBER | MARK))
      length += slash
      end += slash + (code > 0xffff ? 2 : 1)
    }
  }

  /** Takes the end of a bare `https://…` in the text: a `#` in it does not begin a tag. */
  private takeUrl(at: number): number {
    if (at < this.urlEnd || !this.text.startsWith('//', at + 1)) return at + 1
    let end = at + 3
    while (end < this.to && this.text.charCodeAt(end) !== LESS && !(getCharClass(this.text.charCodeAt(end)) & SPACE))
      end += 1
    this.urlEnd = end
    return at + 3
  }

  private takeAddress(at: number): number {
    const end = this.sink.takeAddress(at, this.escapedTo, this.to)
    return end < 0 ? at + 1 : end
  }

  private takeEntity(at: number): number {
    ENTITY.lastIndex = at
    const match = ENTITY.exec(this.text)
    if (!match || ENTITY.lastIndex > this.to) return at + 1
    const [all, hex, decimal, name = ''] = match
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    const valid = code > 0 && code <= 0x10ffff && (code & 0x1ff800) !== 0xd800
    this.sink.entity(at, at + all.length, NAMED[name] ?? (valid ? String.fromCodePoint(code) : '\ufffd'))
    return at + all.length
  }

  /** Takes a run of `*`, `_`, `~` or `==`. Its flanks, as CommonMark calls them, decide whether it can open or close. */
  private takeEmphasis(code: number, at: number): number {
    const end = this.findRunEnd(code, at)
    if (code === EQUALS && end - at !== 2) return end
    const before = at > this.from ? this.getClassBefore(at) : SPACE
    const after = end < this.to ? getCharClass(this.text.codePointAt(end) ?? 32) : SPACE
    const left = !(after & SPACE) && (!(after & PUNCTUATION) || (before & (SPACE | PUNCTUATION)) !== 0)
    const right = !(before & SPACE) && (!(before & PUNCTUATION) || (after & (SPACE | PUNCTUATION)) !== 0)
    const inWord = code === UNDERSCORE
    const canOpen = left && (!inWord || !right || (before & PUNCTUATION) !== 0)
    const canClose = right && (!inWord || !left || (after & PUNCTUATION) !== 0)
    if (canOpen || canClose) this.sink.emphasis(code, at, end, canOpen, canClose)
    return end
  }

  private getClassBefore(at: number): number {
    const low = this.text.charCodeAt(at - 1)
    return getCharClass((low & 0xfc00) === 0xdc00 && at - 2 >= this.from ? (this.text.codePointAt(at - 2) ?? low) : low)
  }
}
