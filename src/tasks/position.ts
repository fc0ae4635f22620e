/**
 * Fractional order: a position between any two others, so that a move writes one row. Positions are digits of base 62
 * after an imaginary point, compared as text; none ends in the lowest digit, so there is always room before it.
 */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Beyond this many characters the siblings are numbered anew. */
export const POSITION_LENGTH = 200

/**
 * A position after `before` and in front of `behind`; null is the beginning or the end.
 * `before` must be less than `behind`.
 */
export function between(before: string | null, behind: string | null): string {
  let result = ''
  for (let i = 0; ; i++) {
    const low = digit(before, i, 0)
    const high = digit(behind, i, DIGITS.length)
    if (high - low > 1) return result + DIGITS[step(low, high, before, behind)]
    result += DIGITS[low]
    // Once the positions part, what follows `before` only has to stay above it.
    if (high > low) return result + after(before?.slice(i + 1) ?? '')
  }
}

/** `count` positions in rising order, short and with room between. */
export function spread(count: number): string[] {
  const width = Math.max(1, Math.ceil(Math.log(count + 2) / Math.log(DIGITS.length)))
  const room = DIGITS.length ** width / (count + 1)
  return Array.from({ length: count }, (_, i) => {
    let value = Math.round((i + 1) * room)
    let text = ''
    for (let place = 0; place < width; place++) {
      text = DIGITS[value % DIGITS.length] + text
      value = Math.floor(value / DIGITS.length)
    }
    return text.endsWith('0') ? `${text}V` : text
  })
}

/** Whoever adds at an end adds there again: one step leaves more room than halving. Between two, the middle. */
function step(low: number, high: number, before: string | null, behind: string | null): number {
  if (behind === null && before !== null) return low + 1
  if (before === null && behind !== null) return high - 1
  return Math.floor((low + high) / 2)
}

function after(text: string): string {
  return between(text === '' ? null : text, null)
}

function digit(position: string | null, i: number, otherwise: number): number {
  const character = position?.[i]
  return character === undefined ? otherwise : DIGITS.indexOf(character)
}
