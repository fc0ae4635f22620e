import { invalid } from '../../http/api-error'
import { requireLength } from '../../http/values'
import { titleKey } from '../../lib/text'

export const MAX_FACT_TAGS = 50
/** In code points. */
export const FACT_TAG_LENGTH = 100

/**
 * Tags in NFC, sorted by their folded form; of those that differ by case only, the first stays. Throws invalid_request
 * at the tag that is empty, too long, or holds white space, control characters or an empty level (`a::::b`).
 */
export function readFactTags(tags: readonly string[]): string[] {
  if (tags.length > MAX_FACT_TAGS) throw invalid('/tags', 'too_many', `tags must hold at most ${MAX_FACT_TAGS}`)
  const byKey = new Map<string, string>()
  tags.forEach((raw, index) => {
    const tag = checkedTag(raw, `/tags/${index}`)
    if (!byKey.has(factTagKey(tag))) byKey.set(factTagKey(tag), tag)
  })
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag)
}

/** The form in which tags are compared. */
export function factTagKey(tag: string): string {
  return titleKey(tag)
}

function checkedTag(raw: string, pointer: string): string {
  const tag = raw.normalize('NFC')
  requireLength(tag, FACT_TAG_LENGTH, pointer)
  if (tag === '') throw invalid(pointer, 'too_short', 'a tag must not be empty')
  if (/[\s\p{Cc}\p{Cs}]/u.test(tag)) throw invalid(pointer, 'invalid_tag', 'a tag must be without white space')
  if (tag.split('::').includes('')) throw invalid(pointer, 'invalid_tag', 'a level of a tag must not be empty')
  return tag
}
