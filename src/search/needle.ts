import { fold, hasWords, wordsOf } from './fold'
import type { Query, TextLeaf } from './query'

/** What a text leaf looks for, folded. */
export type Needle =
  | { readonly how: 'words'; readonly words: readonly string[]; readonly prefix: boolean }
  | { readonly how: 'substring'; readonly text: string }

/** Words where there are any; bare signs, and scripts without spaces, are looked for as they stand. */
export function needleOf({ text, match }: TextLeaf): Needle {
  const folded = fold(text)
  if (match === 'substring' || !hasWords(folded)) return { how: 'substring', text: folded }
  // A sign behind the last word ends it: `10:*` is the word 10.
  return { how: 'words', words: wordsOf(folded), prefix: match === 'prefix' && /[\p{L}\p{N}\p{M}]$/u.test(folded) }
}

/** Where a leaf stands in folded text; null if it is everywhere, since folding leaves nothing of it. */
export function patternOf(leaf: TextLeaf): RegExp | null {
  const needle = needleOf(leaf)
  const source = needle.how === 'words' ? wordSource(needle) : needle.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return source === '' ? null : new RegExp(source, 'gu')
}

function wordSource({ words, prefix }: Extract<Needle, { how: 'words' }>): string {
  const phrase = words.join('[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*')
  return `(?<![\\p{L}\\p{N}]\\p{M}*)${phrase}${prefix ? '[\\p{L}\\p{N}\\p{M}]*' : '(?![\\p{L}\\p{N}\\p{M}])'}`
}

/** The texts that something is found by: not those that it must not have. */
export function textLeaves(query: Query): TextLeaf[] {
  if (query.kind === 'text') return [query]
  return query.kind === 'and' || query.kind === 'or' ? query.parts.flatMap(textLeaves) : []
}
