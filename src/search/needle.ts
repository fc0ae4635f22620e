/** Finds the texts of a query in folded text, as they are written there. */
import { readText } from './analyze'
import { fold, hasWords } from './fold'
import { isBare, listConjuncts, listLeaves, type Query, type TextLeaf } from './query'

/** The folded text that a text leaf searches for: words if it has any, else a piece as it is written. */
export type Needle =
  | { readonly how: 'words'; readonly isOpen: boolean; readonly names: readonly string[] }
  | { readonly how: 'piece'; readonly text: string }

/** Converts a text leaf: bare signs, and scripts without spaces, are searched as written. */
export function toNeedle({ text, match }: TextLeaf): Needle {
  const folded = fold(text)
  if (match === 'substring' || !hasWords(folded)) return { how: 'piece', text: folded }
  // A sign after the last word ends it: `10:*` is the word 10.
  const isOpen = match === 'prefix' && /[\p{L}\p{N}\p{M}]$/u.test(folded)
  return { how: 'words', isOpen, names: isOpen ? [] : findNames(text) }
}

/** Compiles a pattern that finds a leaf in folded text; null if folding leaves nothing of it, so that it matches everywhere. */
export function compileNeedle(leaf: TextLeaf): RegExp | null {
  const needle = toNeedle(leaf)
  if (needle.how === 'words') return compilePhrase(leaf.text, needle.isOpen)
  return needle.text === '' ? null : compilePiece(needle.text)
}

/** Compiles a pattern for words in a row, of which some are names with signs: `.pdf` is found in `plan.pdf`. */
export function compilePhrase(text: string, isOpen = false): RegExp {
  const words: { source: string; isName: boolean }[] = []
  let name: string | null = null
  // A name comes right before its word.
  const onExtra = (extra: string) => {
    if (extra.startsWith('=') && !isOpen) name = extra.slice(1)
  }
  readText(
    text,
    ({ word }) => {
      words.push({ source: escapeRegExp(name ?? word), isName: name !== null })
      name = null
    },
    onExtra,
  )
  const source = words.map((word, i) => {
    const isByName = word.isName || words[i - 1]?.isName
    const between = isByName ? '[^\\p{L}\\p{N}]*' : '[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*'
    return i === 0 ? word.source : between + word.source
  })
  const before = /^[\p{L}\p{N}]/u.test(source[0] ?? '') ? '(?<![\\p{L}\\p{N}]\\p{M}*)' : ''
  const isWord = /[\p{L}\p{N}\p{M}]$/u.test(source.at(-1) ?? '')
  const after = isOpen ? '[\\p{L}\\p{N}\\p{M}]*' : isWord ? '(?![\\p{L}\\p{N}\\p{M}])' : '(?![+#%])'
  return new RegExp(before + source.join('') + after, 'gu')
}

/** Compiles a pattern that finds the words of folded text that begin with the same character as one of some words. */
export function compileWordsLike(words: Iterable<string>): RegExp {
  const firsts = new Set(Array.from(words, (word) => String.fromCodePoint(word.codePointAt(0) ?? 0)))
  return new RegExp(`(?<![\\p{L}\\p{N}]\\p{M}*)[${[...firsts].join('')}][\\p{L}\\p{N}\\p{M}]*`, 'gu')
}

/** Lists the names in a text, such as `c++`. */
export function findNames(text: string): string[] {
  const names = new Set<string>()
  readText(
    text,
    () => {},
    (extra) => extra.startsWith('=') && names.add(extra.slice(1)),
  )
  return [...names]
}

/** Compiles a pattern that finds a piece of text in folded text. */
export const compilePiece = (piece: string) => new RegExp(escapeRegExp(piece), 'gu')

/** Escapes the signs of a text that mean something in a regular expression. */
const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Lists the texts of a query that must match as written: neither bare words nor negated texts. */
export function listExactLeaves(query: Query): TextLeaf[] {
  const parts = listConjuncts(query).filter((part) => !isBare(part))
  return parts.flatMap((part) => listLeaves(part, false)).filter((leaf) => leaf.kind === 'text')
}

/**
 * Whether a piece is one run of letters and digits, or one or two signs: then the index alone decides which texts hold
 * it.
 */
export function isOneRun(text: string): boolean {
  const runs = text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}\s]+|\s+/gu) ?? []
  return runs.length === 1 && (/[\p{L}\p{N}]/u.test(text) || Array.from(text).length <= 2) && !/^\s/.test(text)
}
