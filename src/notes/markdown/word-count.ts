import { CJK, classOf, MARK, WORD } from './char-class.ts'

/**
 * Words of a text, or of the part from `start` to `end` (UTF-16): runs of letters and digits with their combining
 * marks, and every ideograph or kana by itself. Hangul is written with spaces, so it counts by runs.
 */
export function countWords(text: string, start = 0, end = text.length): number {
  let words = 0
  let inRun = false
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    const whole = (code & 0xfc00) === 0xd800 ? (text.codePointAt(at) ?? code) : code
    const bits = classOf(whole)
    if (whole > 0xffff) at += 1
    if (bits & CJK) {
      words += 1
      inRun = false
    } else if (bits & WORD) {
      if (!inRun) words += 1
      inRun = true
    } else if (!(bits & MARK)) inRun = false
  }
  return words
}
