/** The words of a workspace in memory, where pieces and slips are looked for among all of them. */
import { boundedEditDistance } from '../lib/spelling'
import type { IndexFile } from './index.sqlite'
import { isCommonWord } from './languages'
import { listIndexedForms } from './read.sqlite'

/** UTF-16 units from which a word may differ by one edit; shorter ones are as likely to be another word. */
const ONE_EDIT_UNITS = 5
/** UTF-16 units from which it may differ by two. */
const TWO_EDITS_UNITS = 9
/** Only words of letters are taken for slips, not numbers and names. */
const LETTERS = /^\p{L}+$/u

/** Vocabularies that are kept in memory between searches, in bytes. */
const VOCABULARY_BYTES = 64 * 2 ** 20

/** By index, the least recently used first. */
const vocabularies = new Map<IndexFile, Vocabulary>()

/** Returns the vocabulary of an index as it is now. The least recently used ones beyond VOCABULARY_BYTES are dropped. */
export function readVocabulary(index: IndexFile): Vocabulary {
  const vocabulary = vocabularies.get(index) ?? new Vocabulary(index)
  vocabularies.delete(index)
  vocabularies.set(index, vocabulary)
  vocabulary.update()
  let bytes = vocabularies.values().reduce((sum, one) => sum + one.bytes, 0)
  for (const [other, one] of vocabularies) {
    if (bytes <= VOCABULARY_BYTES || other === index) break
    bytes -= one.bytes
    vocabularies.delete(other)
  }
  return vocabulary
}

/** Whether a term is a word: terms of other kinds begin with a sign. */
const isWordTerm = (term: string) => /^[0-9a-z\u0080-\uffff]/.test(term)

/** The words of the forms of one index. It is read when it is first needed, and follows what is written. */
class Vocabulary {
  #forms: number[] = []
  #words: string[] = []
  #letters: number[] = []
  #dropped = -1

  constructor(private readonly index: IndexFile) {}

  /** UTF-16 units and numbers in memory, roughly in bytes. */
  get bytes(): number {
    return this.#words.length * 64
  }

  /** Reads what was written since the last time. */
  update(): void {
    const { dropped } = this.index.state
    if (dropped !== this.#dropped) {
      ;[this.#forms, this.#words, this.#letters] = [[], [], []]
      this.#dropped = dropped
    }
    const after = this.#forms.at(-1) ?? 0
    for (const { form, word } of listIndexedForms(this.index, after)) {
      this.#forms.push(form)
      this.#words.push(isWordTerm(word) ? word : '')
      this.#letters.push(letterSetOf(word))
    }
  }

  /** Finds the words with a piece, each with its form. */
  findPiece(piece: string): { form: number; word: string }[] {
    const found: { form: number; word: string }[] = []
    for (let i = 0; i < this.#words.length; i++) {
      const word = this.#words[i] as string
      if (word.includes(piece)) found.push({ form: this.#forms[i] as number, word })
    }
    return found
  }

  /**
   * Finds the nearest word for one that occurs nowhere; of equally near ones, the most common. Null if there is none.
   * @param word folded
   */
  correct(word: string): string | null {
    const edits = word.length >= TWO_EDITS_UNITS ? 2 : word.length >= ONE_EDIT_UNITS ? 1 : 0
    if (edits === 0 || !LETTERS.test(word)) return null
    const letters = letterSetOf(word)
    let nearest = edits
    const near = new Map<number, string>()
    for (let i = 0; i < this.#words.length; i++) {
      if (countBits((this.#letters[i] as number) ^ letters) > 2 * nearest) continue
      const other = this.#words[i] as string
      if (Math.abs(other.length - word.length) > nearest || isCommonWord(other) || !/^\p{L}/u.test(other)) continue
      const away = boundedEditDistance(word, other, nearest)
      if (away > nearest) continue
      if (away < nearest) near.clear()
      nearest = away
      near.set(this.#forms[i] as number, other)
    }
    const counts = new Map<string, number>()
    for (const { word: other, docs } of this.index.formsOf([...near.keys()]).values())
      counts.set(other, (counts.get(other) ?? 0) + docs)
    const [best] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    return best?.[0] ?? null
  }
}

/** Returns the letters of a word as a set of 32 bits. An edit changes at most two of them. */
function letterSetOf(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) % 32)
  return letters
}

function countBits(number: number): number {
  let bits = number - ((number >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
