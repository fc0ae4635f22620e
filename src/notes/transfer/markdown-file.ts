import { BODY_BYTES } from '../note'
import { FRONT_MATTER_BYTES, readFrontMatter } from './front-matter'
import { readMembers, type Stated } from './members'
import { ItemFault, type ParsedItem, type ParsedNote, type Warning } from './parsed'
import { toFolder, toTitle } from './wording'

/** More than a note and its front matter can be; a larger file is not even unpacked. */
export const MARKDOWN_BYTES = BODY_BYTES + FRONT_MATTER_BYTES + 1024

/**
 * Reads a Markdown file as a note: its front matter, its place, its text.
 * @param path where it lies, e.g. `Work/Trip.md`; null for a file sent alone, which has no name
 * @throws ItemFault
 */
export function parseMarkdown(
  path: string | null,
  bytes: Uint8Array,
  system: 'markdown' | 'obsidian',
): ParsedItem<ParsedNote> {
  const warnings: Warning[] = []
  const { members, body, fault } = readFrontMatter(decode(bytes))
  if (fault !== null) warnings.push({ code: 'front_matter_broken', detail: `${fault} It stays in the body.` })
  const stated: Stated = members ? readMembers(members, warnings) : { properties: {} }
  const names = path?.split('/') ?? []
  const fileName = names.pop()?.replace(/\.(md|markdown)$/i, '')
  return {
    path: path ?? '',
    id: stated.id ?? null,
    // A note of ours keeps the source it has, which may be none.
    source: stated.id === undefined ? { system, id: idOf(path, bytes) } : (stated.source ?? null),
    draft: {
      title: stated.title ?? (fileName === undefined ? null : toTitle(fileName, warnings)),
      body,
      folder: stated.folder === undefined ? toFolder(names, warnings) : stated.folder,
      tags: stated.tags ?? [],
      pinned: stated.pinned ?? null,
      archived: stated.archived ?? null,
      properties: stated.properties,
      created_at: stated.created_at ?? null,
      updated_at: stated.updated_at ?? null,
      daily_date: stated.daily_date ?? null,
    },
    warnings,
  }
}

/** UTF-8 without its byte-order mark. Throws ItemFault. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ItemFault('not_utf8', 'The file is not text in UTF-8.')
  }
}

/** A file without a name is known by its content; one whose path is longer than an id may be, by the path's digest. */
function idOf(path: string | null, bytes: Uint8Array): string {
  if (path !== null && path.length <= 500) return path
  return `sha256:${new Bun.CryptoHasher('sha256').update(path ?? bytes).digest('hex')}`
}
