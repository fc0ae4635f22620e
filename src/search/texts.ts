import { titleKey } from '../http/title-key'
import { fold, wordsOf } from './fold'

/** What something is found by. */
export interface Texts {
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
}

/** The columns of `search_texts`. */
export interface FoldedTexts {
  readonly title: string
  readonly tags: string
  readonly body: string
  readonly title_words: string
  readonly tag_words: string
  readonly body_words: string
  readonly tag_keys: string
}

/** Tags as one text, a line for each. */
export function tagText(tags: readonly string[]): string {
  return tags.join('\n')
}

/** Texts as they are looked through. */
export function foldedTexts({ title, tags, body }: Texts): FoldedTexts {
  const folded = { title: fold(title), tags: fold(tagText(tags)), body: fold(body) }
  return {
    ...folded,
    title_words: spaced(folded.title),
    tag_words: spaced(folded.tags),
    body_words: spaced(folded.body),
    tag_keys: tags.length === 0 ? '' : `\n${tagText(tags.map(tagKey))}\n`,
  }
}

/** The form in which a tag of a query is compared with those of what is found. */
export function tagKey(tag: string): string {
  return titleKey(tag.replace(/^#/, ''))
}

function spaced(folded: string): string {
  return ` ${wordsOf(folded).join(' ')} `
}
