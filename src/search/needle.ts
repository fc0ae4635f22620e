import { readText } from './analyze'
import { fold, hasWords, wordsOf } from './fold'
import { isBare, listConjuncts, type Query, type TextLeaf } from './query'

/** What a text leaf looks for, folded. */
export type Needle =
  | {
      readonly how: 'words'
      readonly words: readonly string[]
      readonly prefix: boolean
      readonly names: readonly string[]
    }
  | { readonly how: 'substring'; readonly text: string }

/** Words where there are any; bare signs, and scripts without spaces, are looked for as written. */
export function toNeedle({ text, match }: TextLeaf): Needle {
  const folded = fold(text)
  if (match === 'substring' || !hasWords(folded)) return { how: 'substring', text: folded }
  // A sign behind the last word ends it: `10:*` is the word 10.
  const prefix = match === 'prefix' && /[\p{L}\p{N}\p{M}]$/u.test(folded)
  return { how: 'words', words: wordsOf(folded), prefix, names: prefix ? [] : findNames(text) }
}

/** Finds a leaf in folded text; null if it is everywhere, since folding leaves nothing of it. */
export function compileNeedle(leaf: TextLeaf): RegExp | null {
  const needle = toNeedle(leaf)
  if (needle.how === 'words')
    return new RegExp(needle.names.length > 0 ? namedSource(leaf.text) : wordSource(needle), 'gu')
  return needle.text === '' ? null : compilePiece(needle.text)
}

function wordSource({ words, prefix }: Extract<Needle, { how: 'words' }>): string {
  const phrase = words.join('[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*')
  return `(?<![\\p{L}\\p{N}]\\p{M}*)${phrase}${prefix ? '[\\p{L}\\p{N}\\p{M}]*' : '(?![\\p{L}\\p{N}\\p{M}])'}`
}

/** Words of which some have signs that belong to them, whatever is around them: `.pdf` is in `plan.pdf`. */
function namedSource(text: string): string {
  const words: { source: string; isName: boolean }[] = []
  let name: string | null = null
  const onExtra = (extra: string) => {
    if (extra.startsWith('=')) name = extra.slice(1)
  }
  // A name comes right before its word.
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

/** The names in a text, such as `c++`. */
export function findNames(text: string): string[] {
  const names = new Set<string>()
  readText(
    text,
    () => {},
    (extra) => extra.startsWith('=') && names.add(extra.slice(1)),
  )
  return [...names]
}

/** Finds a name such as `c++` or `.net` in folded text: what is around it is no part of a name. */
export function compileName(name: string): RegExp {
  const before = /^[\p{L}\p{N}]/u.test(name) ? '(?<![\\p{L}\\p{N}]\\p{M}*)' : '(?<![\\p{L}\\p{N}\\p{M}.#@$€£])'
  const after = /[\p{L}\p{N}\p{M}]$/u.test(name) ? '(?![\\p{L}\\p{N}\\p{M}])' : '(?![+#%])'
  return new RegExp(`${before}${escapeRegExp(name)}${after}`, 'gu')
}

/** Finds a piece of text in folded text. */
export function compilePiece(piece: string): RegExp {
  return new RegExp(escapeRegExp(piece), 'gu')
}

/** Text as a regular expression that finds it alone. */
function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The texts that must match as written: not the bare words, nor what it must not have. */
export function listExactLeaves(query: Query): TextLeaf[] {
  return listConjuncts(query)
    .filter((part) => !isBare(part))
    .flatMap(listTextLeaves)
}

function listTextLeaves(query: Query): TextLeaf[] {
  if (query.kind === 'text') return [query]
  return 'parts' in query ? query.parts.flatMap(listTextLeaves) : []
}

/** Whether a piece is letters and digits, or one sign or two: then the index knows all that hold it, and no others. */
export function isOneRun(text: string): boolean {
  const runs = text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}\s]+|\s+/gu) ?? []
  return runs.length === 1 && (/[\p{L}\p{N}]/u.test(text) || Array.from(text).length <= 2) && !/^\s/.test(text)
}
