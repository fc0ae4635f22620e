import { setImmediate } from 'node:timers/promises'
import { wordsOf } from '../../search/fold'

/**
 * The short things a text holds, as numbers: its characters, its pairs of characters, and the one or two characters that
 * its words begin with. Written as words of base 36, no tokenizer takes them apart or for one another.
 */

/** More than there are code points. */
const CODES = 2 ** 21
/** More than there are pairs; together they stay below 2^53. */
const BEGINNING = 2 ** 43

/** UTF-16 units, and words, that are looked at in one turn of the event loop: a few milliseconds. */
const UNITS_PER_TURN = 64 * 1024
const WORDS_PER_TURN = 16 * 1024

/** Every short thing in a folded text, once. */
export async function pairsOf(folded: string): Promise<string> {
  const found = new Set<number>()
  let before = 0
  let turn = UNITS_PER_TURN
  for (let at = 0; at < folded.length; at += before > 0xffff ? 2 : 1) {
    const code = folded.codePointAt(at) ?? 0
    found.add(code)
    if (at > 0) found.add(before * CODES + code)
    before = code
    if (at < turn) continue
    turn += UNITS_PER_TURN
    await setImmediate()
  }
  for (const [index, word] of wordsOf(folded).entries()) {
    const [first, both] = leading(word)
    found.add(BEGINNING + first)
    found.add(BEGINNING + both)
    if (index % WORDS_PER_TURN === WORDS_PER_TURN - 1) await setImmediate()
  }
  return Array.from(found, spelled).join(' ')
}

/** Numbers in base 36. Most texts hold the same few hundred, so what was spelled once is kept, up to a limit. */
const spellings = new Map<number, string>()
const SPELLINGS_KEPT = 10_000

function spelled(number: number): string {
  const known = spellings.get(number)
  if (known !== undefined) return known
  const spelling = number.toString(36)
  if (spellings.size < SPELLINGS_KEPT) spellings.set(number, spelling)
  return spelling
}

/** The word that stands for one or two characters anywhere in a text. */
export function pairWord(text: string): string {
  return leading(text)[1].toString(36)
}

/** The word that stands for one or two characters at the beginning of a word. */
export function beginningWord(text: string): string {
  return (BEGINNING + leading(text)[1]).toString(36)
}

/** A text's first character, and its first two where there are two. */
function leading(text: string): [first: number, both: number] {
  const first = text.codePointAt(0) ?? 0
  const second = text.codePointAt(first > 0xffff ? 2 : 1)
  return [first, second === undefined ? first : first * CODES + second]
}
