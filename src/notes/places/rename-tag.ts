import { invalid } from '../../http/api-error'
import { tagKey } from '../filters'
import { scanMarkdown } from '../markdown/scan'

/** Gives the new name of a tag, or null for one that is neither the renamed tag nor nested below it. */
export type TagRenaming = (tag: string) => string | null

/** `spelled` says how the workspace writes a tag already, by its folded form. */
export function tagRenaming(from: string, to: string, spelled: ReadonlyMap<string, string>): TagRenaming {
  const fromKey = tagKey(from)
  const levels = from.split('/').length
  return (tag) => {
    if (!isUnder(tagKey(tag), fromKey)) return null
    const renamed = [to, ...tag.normalize('NFC').split('/').slice(levels)].join('/')
    return spelled.get(tagKey(renamed)) ?? renamed
  }
}

/** Whether a folded tag is another or is nested below it. */
export function isUnder(key: string, above: string): boolean {
  return key === above || (key.startsWith(`${above}/`) && key.length > above.length + 1)
}

/**
 * The body with its `#tags` renamed; the same string if it has none of them. Throws invalid_request if a new name
 * cannot stand in a body, e.g. for a space in it.
 */
export function renamedInBody(body: string, rename: TagRenaming): string {
  const parts: string[] = []
  let at = 0
  for (const { name, start, end } of scanMarkdown(body).tags) {
    const renamed = rename(name)
    if (renamed === null) continue
    requireInline(renamed)
    parts.push(body.slice(at, start + 1), renamed)
    at = end
  }
  return parts.join('') + body.slice(at)
}

function requireInline(tag: string): void {
  if (scanMarkdown(`#${tag}`).tags[0]?.name !== tag)
    throw invalid('/to', 'invalid_tag', 'to cannot stand in a body as #tag; send inline: false, or another name')
}
