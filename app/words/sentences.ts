/** Sentences with values, in the language of a catalogue. */
import type { ComponentChild } from 'preact'

/** By the English sentence, with `{0}`, `{1}` for its values, as app/words/say.ts describes it. */
export type Catalogue = Readonly<Record<string, string>>

/** A piece of a sentence: text, the place of a value, or the forms that the number at a place chooses from. */
type Piece =
  | string
  | { readonly value: number }
  | { readonly forms: readonly [one: string, other: string]; readonly by: number }

/** Between braces: the number of a value, two forms with or without one, or a remark. */
const BRACES = /\{(?:(\d+)|(?:(\d+):)?([^{}|#]*)\|([^{}|]*)|#[^{}]*)\}/g

/** @param locale in which numbers are written, and whose plural rules choose between two forms */
export function createSentences(locale: string, catalogue: Catalogue) {
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  /** By the texts between the values, which are the same object at each call from one place in the code. */
  const known = new WeakMap<readonly string[], readonly Piece[]>()

  function fill<Value>(english: readonly string[], values: readonly Value[]): (string | Value)[] {
    const pieces = known.get(english) ?? readSentence(catalogue[keyOf(english)] ?? keyOf(english))
    known.set(english, pieces)
    return pieces.map((piece) => {
      if (typeof piece === 'string') return piece
      const value = values['value' in piece ? piece.value : piece.by] as Value
      if ('forms' in piece) return piece.forms[plurals.select(Number(value)) === 'one' ? 0 : 1]
      return typeof value === 'number' ? numbers.format(value) : value
    })
  }

  return {
    /** A sentence in the reader's language. A number is written as the language writes it; a year is given as a string. */
    say: (english: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
      fill(english, values).join(''),
    /** A sentence with elements in it, as children of an element. */
    sayWith: (english: TemplateStringsArray, ...values: readonly ComponentChild[]): ComponentChild[] =>
      fill(english, values),
  }
}

/** The key of a sentence in the catalogues, of the texts between its values. */
export const keyOf = (english: readonly string[]): string =>
  english.reduce((key, text, index) => `${key}{${index - 1}}${text}`)

/** The pieces of a sentence. Forms that name no value are chosen by the last before them. */
export function readSentence(sentence: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  let last = 0
  for (const match of sentence.matchAll(BRACES)) {
    const [all, value, by, one, other] = match
    if (match.index > from) pieces.push(sentence.slice(from, match.index))
    from = match.index + all.length
    if (value !== undefined) {
      last = Number(value)
      pieces.push({ value: last })
    } else if (one !== undefined && other !== undefined)
      pieces.push({ forms: [one, other], by: by === undefined ? last : Number(by) })
  }
  if (from < sentence.length) pieces.push(sentence.slice(from))
  return pieces
}
