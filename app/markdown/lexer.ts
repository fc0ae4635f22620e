import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'
import type { Source } from './source'

/** Milliseconds for the blocks of a body, and again for the text in them: marked takes minutes for hostile text. */
const MAX_MS = 2000
/** Levels of nested lists and block quotes; what is deeper is text. */
const MAX_DEPTH = 24
/** Of all tables together: short rows are padded to the width of the header. */
const MAX_CELLS = 40_000
/** UTF-16 units of a paragraph that is read as a whole; of a longer one each line is read alone. */
const MAX_INLINE_UNITS = 16_384

/** The body is too large or too complex, or marked takes too long. */
export class TooComplexError extends Error {}

class LimitedTokenizer extends Tokenizer {
  /** When to give up, in milliseconds of performance.now(). */
  deadline = performance.now() + MAX_MS
  private depth = 0
  private cells = 0

  constructor(private readonly source: Source) {
    super()
  }

  /** The first that the lexer tries for each block. */
  override space(text: string): Tokens.Space | undefined {
    this.checkTime()
    return super.space(text)
  }

  /** The first that the lexer tries for each part of a line. */
  override escape(text: string): Tokens.Escape | undefined {
    this.checkTime()
    return super.escape(text)
  }

  override blockquote(text: string): Tokens.Blockquote | undefined {
    return this.nest(() => super.blockquote(text))
  }

  override list(text: string): Tokens.List | undefined {
    return this.nest(() => super.list(text))
  }

  override table(text: string): Tokens.Table | undefined {
    if (!/^[^\n]*\n[ \t|:-]+/.test(text)) return undefined
    const [, , rule = '', rows = ''] = this.rules.block.table.exec(text) ?? []
    this.cells += rule.split('|').length * rows.split('\n').length
    if (this.cells > MAX_CELLS) throw new TooComplexError('The tables have too many cells')
    return super.table(text)
  }

  override autolink(text: string): Tokens.Link | undefined {
    const token = super.autolink(text)
    const piece = token && this.source.find(token.href)
    // Links cannot nest: marked then shows a link around this one as text. An embedded picture may be in one.
    if (piece?.kind === 'tag' || (piece?.kind === 'link' && !piece.link.embed)) this.lexer.state.linkEmitted = true
    return token
  }

  private nest<Found>(read: () => Found | undefined): Found | undefined {
    if (this.depth === MAX_DEPTH) return undefined
    this.depth += 1
    try {
      return read()
    } finally {
      this.depth -= 1
    }
  }

  private checkTime(): void {
    if (performance.now() > this.deadline) throw new TooComplexError('The text takes too long')
  }
}

/** The blocks of a body, whose text is lexed when it is shown. */
export interface LexedBody {
  readonly blocks: readonly Token[]
  readonly footnotes: readonly (readonly Token[])[]
  /**
   * Lexes the text of a paragraph, heading or cell. What takes too long is one token of text; `restart` gives the body
   * its time again.
   */
  readonly readInline: (text: string) => Token[]
  readonly restart: () => void
}

/** @throws TooComplexError if the body is too complex or takes too long */
export function lexBody(source: Source): LexedBody {
  const tokenizer = new LimitedTokenizer(source)
  const lexer = new Lexer({ gfm: true, tokenizer })
  const readWhole = (text: string) => {
    lexer.state.inRawBlock = false
    lexer.state.inLink = false
    return lexer.inlineTokens(text)
  }
  const readBlocks = (text: string) => guard(() => lexer.blockTokens(text, []))
  return {
    blocks: readBlocks(source.text),
    footnotes: source.footnotes.map(({ text }) => readBlocks(text)),
    readInline(text) {
      try {
        if (text.length <= MAX_INLINE_UNITS) return guard(() => readWhole(text))
        const lines = text.split(/(?<=\n)/)
        return lines.flatMap((line) => (line.length > MAX_INLINE_UNITS ? [toText(line)] : guard(() => readWhole(line))))
      } catch (error) {
        if (!(error instanceof TooComplexError)) throw error
        return [toText(text)]
      }
    },
    restart() {
      tokenizer.deadline = performance.now() + MAX_MS
    },
  }
}

const toText = (text: string): Tokens.Text => ({ type: 'text', raw: text, text, escaped: true })

/** Runs marked. Whatever it throws comes from the text: the stack overflows, or it finds itself in an endless loop. */
function guard<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw new TooComplexError('The text is too complex', { cause: error })
  }
}
