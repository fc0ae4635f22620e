import { readText } from './analyze'
import { fold, hasWords, wordsOf } from './fold'
import { isBare, listConjuncts, type Query, type TextLeaf } from './query'

/** The folded text that a text leaf searches for. */
export type Needle =
  | {
      readonly how: 'words'
      readonly words: readonly string[]
      readonly prefix: boolean
      readonly names: readonly string[]
    }
  | { readonly how: 'substring'; readonly text: string }

/** Converts a text leaf: to words if it has any; bare signs, and scripts without spaces, are searched as written. */
export function toNeedle({ text, match }: TextLeaf): Needle {
  const folded = fold(text)
  if (match === 'substring' || !hasWords(folded)) return { how: 'substring', text: folded }
  // A sign after the last word ends it: `10:*` is the word 10.
  const prefix = match === 'prefix' && /[\p{L}\p{N}\p{M}]$/u.test(folded)
  return { how: 'words', words: wordsOf(folded), prefix, names: prefix ? [] : findNames(text) }
}

/**
 * Compiles a pattern that finds a leaf in folded text; null if folding leaves nothing of it, so that it matches
 * everywhere.
 */
export function compileNeedle(leaf: TextLeaf): RegExp | null {
  const needle = toNeedle(leaf)
  if (needle.how === 'words')
    return new RegExp(needle.names.length > 0 ? writeNameSource(leaf.text) : writeWordSource(needle), 'gu')
  return needle.text === '' ? null : compilePiece(needle.text)
}

function writeWordSource({ words, prefix }: Extract<Needle, { how: 'words' }>): string {
  const phrase = words.join('[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*')
  return `(?<![\\p{L}\\p{N}]\\p{M}*)${phrase}${prefix ? '[\\p{L}\\p{N}\\p{M}]*' : '(?![\\p{L}\\p{N}\\p{M}])'}`
}

/** Returns the source of a pattern for words of which some are names with signs: `.pdf` is found in `plan.pdf`. */
function writeNameSource(text: string): string {
  const words: { source: string; isName: boolean }[] = []
  let name: string | null = null
  const onExtra = (extra: string) => {
    if (extra.startsWith('=')) name = extra.slice(1)
  }
  // The tokenizer emits a name right before its word.
  const onToken = ({ word }: { word: string }) => {
    words.push({ source: escapeRegExp(name ?? word), isName: name !== null })
    name = null
  }
  readText(text, onToken, onExtra)
  const joined = words.map(({ source, isName }, i) => {
    const between = isName || words[i - 1]?.isName ? '[^\\p{L}\\p{N}]*' : '[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*'
    return i === 0 ? source : between + source
  })
  const [first = '', last = ''] = [words[0]?.source, words.at(-1)?.source]
  const before = /^[\p{L}\p{N}]/u.test(first) ? '(?<![\\p{L}\\p{N}]\\p{M}*)' : ''
  const after = /[\p{L}\p{N}\p{M}]$/u.test(last) ? '(?![\\p{L}\\p{N}\\p{M}])' : '(?![+#%])'
  return before + joined.join('') + after
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

/** Compiles a pattern that finds a name such as `c++` or `.net` in folded text, if it is not part of a longer name. */
export function compileName(name: string): RegExp {
  const before = /^[\p{L}\p{N}]/u.test(name) ? '(?<![\\p{L}\\p{N}]\\p{M}*)' : '(?<![\\p{L}\\p{N}\\p{M}.#@$€£])'
  const after = /[\p{L}\p{N}\p{M}]$/u.test(name) ? '(?![\\p{L}\\p{N}\\p{M}])' : '(?![+#%])'
  return new RegExp(`${before}${escapeRegExp(name)}${after}`, 'gu')
}

/** Compiles a pattern that finds a piece of text in folded text. */
export function compilePiece(piece: string): RegExp {
  return new RegExp(escapeRegExp(piece), 'gu')
}

/** Escapes the signs of a text that mean something in a regular expression. */
function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Lists the texts of a query that must match as written: neither bare words nor negated texts. */
export function listExactLeaves(query: Query): TextLeaf[] {
  return listConjuncts(query)
    .filter((part) => !isBare(part))
    .flatMap(listTextLeaves)
}

function listTextLeaves(query: Query): TextLeaf[] {
  if (query.kind === 'text') return [query]
  return 'parts' in query ? query.parts.flatMap(listTextLeaves) : []
}

/**
 * Whether a piece is one run of letters and digits, or one or two signs: then the index alone decides which texts hold
 * it.
 */
export function isOneRun(text: string): boolean {
  const runs = text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}\s]+|\s+/gu) ?? []
  return runs.length === 1 && (/[\p{L}\p{N}]/u.test(text) || Array.from(text).length <= 2) && !/^\s/.test(text)
}
