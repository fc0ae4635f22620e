import { cutCodePoints } from '../lib/text'
import { titleKey } from '../lib/text.ts'
import { countWords } from './markdown/char-class.ts'
import { collapseWhitespace, PlainBlocks } from './markdown/plain-text.ts'
import { scanBlocks } from './markdown/scan-blocks.ts'
import { type MarkdownStructure, scanMarkdown } from './markdown/scan-markdown.ts'

/** Limit of a derived title and of an excerpt, in code points. */
const MAX_DERIVED_CHARS = 200
const MAX_INLINE_TAGS = 1000

export interface DerivedMembers {
  readonly title: string
  readonly excerpt: string
  readonly word_count: number
  /** Distinct without regard to case, each in its first spelling and in NFC; at most 1,000. */
  readonly inline_tags: readonly string[]
  readonly checklist: { readonly total: number; readonly done: number }
}

/**
 * Derives members of a note from its body. A given title is kept. A null title becomes the first level-1 heading, else
 * the first line that has text, else `Untitled`. Pass the structure if the body has been scanned already.
 */
export function deriveMembers(body: string, title: string | null, structure = scanMarkdown(body)): DerivedMembers {
  // A code point is at most two UTF-16 units, and the excerpt may leave out the first heading.
  const beginning = new PlainBlocks(body, structure.references, 2 * MAX_DERIVED_CHARS)
  scanBlocks(body, beginning)
  const finalTitle = title ?? deriveTitle(structure, beginning)
  return {
    title: finalTitle,
    excerpt: deriveExcerpt(finalTitle, beginning),
    word_count: countWords(body),
    inline_tags: listDistinct(structure.tags.map(({ name }) => name.normalize('NFC'))),
    checklist: {
      total: structure.checkboxes.length,
      done: structure.checkboxes.filter(({ checked }) => checked).length,
    },
  }
}

function deriveTitle({ headings }: MarkdownStructure, { texts }: PlainBlocks): string {
  const heading = headings.find(({ level, text }) => level === 1 && text !== '')
  return shorten(heading?.text ?? findFirstLine(texts)) || 'Untitled'
}

function findFirstLine(texts: PlainBlocks['texts']): string {
  for (const { text } of texts) {
    const line = text.split(/[\r\n]/).find((candidate) => collapseWhitespace(candidate) !== '')
    if (line !== undefined) return collapseWhitespace(line)
  }
  return ''
}

function deriveExcerpt(title: string, { texts }: PlainBlocks): string {
  const first = texts.findIndex(({ heading }) => heading)
  const repeats = titleKey(shorten(collapseWhitespace(texts[first]?.text ?? ''))) === titleKey(title)
  const kept = texts.filter((_, index) => index !== first || !repeats)
  return shorten(collapseWhitespace(kept.map(({ text }) => text).join('\n')))
}

function shorten(text: string): string {
  return cutCodePoints(text, MAX_DERIVED_CHARS).trimEnd()
}

/** Lists the first distinct names, compared by titleKey. */
function listDistinct(names: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const spelling of new Set(names)) {
    const key = titleKey(spelling)
    if (!seen.has(key)) seen.set(key, spelling)
    if (seen.size >= MAX_INLINE_TAGS) break
  }
  return [...seen.values()]
}
