import { ApiError } from '../../http/api-error'
import { stripExtension } from '../../lib/file-target'
import { toSafeFileName } from '../file-name'
import { MAX_NOTE_BODY_BYTES } from '../limits'
import { writeProperties } from '../note'
import {
  changeFrontMatter,
  type FrontMatter,
  type FrontMatterNote,
  hasMeaning,
  MAX_FRONT_MATTER_BYTES,
  readFrontMatter,
  readMembers,
  writeFrontMatter,
} from './front-matter'
import {
  decodeUtf8,
  EMPTY_DRAFT,
  type ParsedItem,
  type ParsedNote,
  toFolder,
  toTitle,
  toWritableInstant,
  type Warning,
} from './parsed'

/** Reads Markdown files with front matter of any program. */

/** Limit of one file: more than a note and its front matter can be. A larger file is not unpacked. */
export const MAX_MARKDOWN_FILE_BYTES = MAX_NOTE_BODY_BYTES + MAX_FRONT_MATTER_BYTES + 1024

/**
 * Reads a Markdown file as a note, from its front matter, its path and its text.
 * @param path the path in the archive, e.g. `Work/Trip.md`; null for a single file, which has no name
 * @param changedAt when the file was last changed, where its archive says so
 * @param under the folder of the import: a path is the source of a note within it
 * @throws UnreadableItem
 */
export function parseMarkdown(
  path: string | null,
  bytes: Uint8Array,
  system: 'markdown' | 'obsidian',
  changedAt: number | null = null,
  under: string | null = null,
): ParsedItem<ParsedNote> {
  const { stated, body, front_matter, warnings } = readStorableFile(decodeUtf8(bytes))
  const { id = null, source = null, source_url = null, file_name = null, satchel: _, ...members } = stated
  const names = path?.split('/') ?? []
  const file = names.pop() ?? null
  const fileName = file === null ? undefined : stripExtension(file)
  return {
    path: path ?? '',
    id,
    // A note that Satchel exported keeps its source and its file name, or has none.
    source: id === null ? { system, id: toSourceId(path, bytes, under) } : source,
    source_url,
    file_name: id === null ? toFileName(file, warnings) : file_name,
    draft: {
      ...EMPTY_DRAFT,
      updated_at: toWritableInstant(changedAt),
      ...members,
      title: stated.title ?? (fileName === undefined ? null : toTitle(fileName, warnings)),
      body,
      folder: stated.folder === undefined ? toFolder(names, warnings) : stated.folder,
      front_matter,
    },
    warnings,
  }
}

/** Returns the file name, made safe; null if the file has none. */
function toFileName(name: string | null, warnings: Warning[]): string | null {
  const safe = name === null ? null : toSafeFileName(name)
  if (safe !== name) warnings.push({ code: 'file_name_changed', detail: `The file is now called ${safe}.` })
  return safe
}

interface MarkdownFile extends Pick<FrontMatter, 'body' | 'block'> {
  readonly stated: FrontMatterNote
  /** The block without what Satchel added; empty if nothing is left that an export would not write by itself. */
  readonly front_matter: string
  readonly warnings: Warning[]
}

/** Reads the text of a file, whose front matter stays in the body if a note cannot have such properties. */
function readStorableFile(text: string): MarkdownFile {
  const file = readMarkdownFile(text)
  try {
    writeProperties(file.stated.properties)
    return file
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const detail = 'The front matter has more properties, or deeper ones, than a note can have. It stays in the body.'
    const warnings = [{ code: 'front_matter_broken', detail }]
    return { stated: { properties: {} }, body: text, block: '', front_matter: '', warnings }
  }
}

export function readMarkdownFile(text: string): MarkdownFile {
  const warnings: Warning[] = []
  const { members, body, block, fault } = readFrontMatter(text)
  if (fault !== null) warnings.push({ code: 'front_matter_broken', detail: `${fault} It stays in the body.` })
  if (!members) return { stated: { properties: {} }, body, block, front_matter: '', warnings }
  const stated = readMembers(members, warnings)
  return { stated, body, block, front_matter: removeSatchelMembers(block, stated), warnings }
}

function removeSatchelMembers(block: string, { satchel, tags, properties }: FrontMatterNote): string {
  const kept = satchel ? (changeFrontMatter(block, new Map([['satchel', undefined]])) ?? block) : block
  if (/^---[ \t]*\r?\n---/.test(kept)) return ''
  // In a block of ours, a property of a name with a meaning would be in our member.
  const plain = Object.entries(properties).filter(
    ([name]) => !hasMeaning(name) && !Object.hasOwn(satchel?.properties ?? {}, name),
  )
  return kept === writeFrontMatter({ ...(tags ? { tags } : {}), ...Object.fromEntries(plain) }) ? '' : kept
}

/** UTF-16 units of a path that is a source id; the rest of what an id may have is for a number. */
const MAX_PATH_UNITS = 480

/**
 * Returns the source id of a file: its path, a digest of a path that is too long, or a digest of the content without a
 * path.
 */
function toSourceId(name: string | null, bytes: Uint8Array, under: string | null): string {
  const path = name === null || under === null ? name : `${under}/${name}`
  if (path !== null && path.length <= MAX_PATH_UNITS) return path
  return `sha256:${new Bun.CryptoHasher('sha256').update(path ?? bytes).digest('hex')}`
}
