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
