/** Cuts text into runs: letters and digits with their marks, or other characters that are no space. */

/** Kinds of characters; MARK goes on with what stands before it. */
const [LETTER, MARK, BLANK, SIGN] = [1, 2, 3, 4]

/** The kind of each code point, found when it is first met: 0 until then. A megabyte. */
const kinds = new Uint8Array(0x110000)

function kindOf(code: number): number {
  const character = String.fromCodePoint(code)
  if (/[\p{L}\p{N}]/u.test(character)) return LETTER
  if (/[\p{M}\u00ad]/u.test(character)) return MARK
  return /\s/.test(character) ? BLANK : SIGN
}

/** Tells each run by where it stands in UTF-16 units, and whether it is a word. */
export function eachRun(text: string, onRun: (start: number, end: number, isWord: boolean) => void): void {
  let [start, run] = [0, BLANK]
  for (let at = 0; at < text.length; ) {
    let code = text.charCodeAt(at)
    let next = at + 1
    if (code >= 0xd800 && code <= 0xdbff) {
      code = text.codePointAt(at) ?? code
      if (code > 0xffff) next++
    }
    let kind = kinds[code] as number
    if (kind === 0) {
      kind = kindOf(code)
      kinds[code] = kind
    }
    if (kind === MARK) kind = run === LETTER ? LETTER : SIGN
    if (kind !== run) {
      if (run !== BLANK) onRun(start, at, run === LETTER)
      ;[start, run] = [at, kind]
    }
    at = next
  }
  if (run !== BLANK) onRun(start, text.length, run === LETTER)
}
