import { titleKey } from '../http/title-key'
import { fold, wordsOf } from './fold'

/** What something is found by. */
export interface Texts {
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
}

/** The columns of `search_texts`. Title, tags and body lie in one, since each column that is looked through takes its time. */
export interface FoldedTexts {
  readonly words: string
  readonly text: string
  readonly tag_keys: string
  /** In code points. */
  readonly heading: number
}

/** What stands between title, tags and body: in words a sign that is no part of a word, in text one that is taken out. */
export const WORD_FENCE = '\n'
export const TEXT_FENCE = '\u0001'

/** Tags as one text, a line for each. */
export function tagText(tags: readonly string[]): string {
  return tags.join('\n')
}

/** Texts as they are looked through. */
export function foldedTexts({ title, tags, body }: Texts): FoldedTexts {
  const parts = [title, tagText(tags), body].map((text) => fold(text).replaceAll(TEXT_FENCE, ' '))
  const [foldedTitle = '', foldedTags = ''] = parts
  return {
    words: parts.map((text) => ` ${wordsOf(text).join(' ')} `).join(WORD_FENCE),
    text: parts.join(TEXT_FENCE),
    tag_keys: tags.length === 0 ? '' : `\n${tagText(tags.map(tagKey))}\n`,
    heading: Array.from(foldedTitle + foldedTags).length + 1,
  }
}

/** The form in which a tag of a query is compared with those of what is found. */
export function tagKey(tag: string): string {
  return titleKey(tag.replace(/^#/, ''))
}
