/** How far the caller wants the text: before the first stop sequence, within the limit of tokens (4 bytes each). */

export interface TextLimits {
  /** Takes a piece of text; the answer is what of it goes out by now. Once `ended`, nothing does. */
  push(piece: string): string
  /** No more text comes; the answer is the rest. */
  end(): string
  /** `stop`: a stop sequence came. `length`: the tokens are used up. */
  readonly ended: 'stop' | 'length' | null
}

/** @param tokenLimit null for no limit */
export function createTextLimits(stop: readonly string[], tokenLimit: number | null): TextLimits {
  const longest = Math.max(0, ...stop.map((sequence) => sequence.length))
  let held = ''
  let bytesLeft = tokenLimit === null ? Number.POSITIVE_INFINITY : tokenLimit * 4
  let ended: TextLimits['ended'] = null

  /** Lets out what fits; a character that the limit would cut in two stays behind whole. */
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
    // Another sequence that begins before it may still come to its end.
    const stopped = first <= waiting
    const out = held.slice(0, stopped ? first : waiting)
    held = stopped ? '' : held.slice(out.length)
    const spent = takeWithinLimit(out)
    if (stopped) ended ??= 'stop'
    return spent
  }

  /** UTF-16 units at the end that may be the beginning of a stop sequence. */
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
    push: (piece) => take(piece, false),
    end: () => take('', true),
    get ended() {
      return ended
    },
  }
}
