import type { Session } from '../../db/database'
import { isFileTarget } from '../../lib/file-target'
import { mayHaveLinks } from '../links/body-links'
import { isSpellable, toRelativePath } from '../links/rewrite-links'
import { encodeNotePath, type NotePath, readFilePath } from '../markdown/note-path'
import { scanMarkdown } from '../markdown/scan-markdown'
import { findByPath, resolveFiles } from './resolve'
import type { AttachmentRow } from './store'

/** A link or an embed whose target names a file. */
interface FileLink {
  /** Decoded in a Markdown link. */
  readonly target: string
  /** The position of the target as written. */
  readonly from: number
  readonly to: number
  /** Null for a wiki link. */
  readonly markdown: { readonly destination: string; readonly path: NotePath } | null
}

/**
 * Returns the body of a note that moves to another folder, with the paths of files in it that led relative to its old
 * folder: each leads to its file from the new folder. Links by name, and links that lead to no file, stay as they are.
 */
export async function keepFileLinks(
  session: Session,
  body: string,
  folders: { readonly from: string | null; readonly to: string | null },
): Promise<string> {
  if (folders.from === folders.to || !mayHaveLinks(body)) return body
  const links = listFileLinks(body).filter(({ target }) => /[/\\]/.test(target))
  if (links.length === 0) return body
  const files = await resolveFiles(
    session,
    folders.from,
    links.map(({ target }) => target),
  )
  const parts: string[] = []
  let at = 0
  for (const link of links) {
    const file = files.get(link.target)
    const written = file && spell(link, file, folders)
    if (written === undefined || written === null || link.from < at) continue
    parts.push(body.slice(at, link.from), written)
    at = link.to
  }
  return parts.join('') + body.slice(at)
}

/** Lists the links to files of a body, in its order. */
export function listFileLinks(body: string): FileLink[] {
  const { links, markdownLinks } = scanMarkdown(body)
  const wiki = links.map(
    ({ target, targetStart, targetEnd }): FileLink => ({ target, from: targetStart, to: targetEnd, markdown: null }),
  )
  const markdown = markdownLinks.flatMap(({ destination, from }): FileLink[] => {
    const path = readFilePath(destination)
    return path
      ? [{ target: path.path, from: from + path.from, to: from + path.to, markdown: { destination, path } }]
      : []
  })
  return [...wiki.filter(({ target }) => isFileTarget(target)), ...markdown].sort((a, b) => a.from - b.from)
}

/** Writes the path of a file from the new folder; null if the link needs none, or cannot be written so. */
function spell(
  { target, markdown }: FileLink,
  file: AttachmentRow,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): string | null {
  if (!isPathFrom(from, target, file) || isPathFrom(to, target, file)) return null
  const relative = toRelativePath(to, file)
  const path = target.startsWith('./') && !relative.startsWith('../') ? `./${relative}` : relative
  if (markdown) return encodeNotePath(path, markdown.destination, markdown.path)
  return isSpellable(path) ? path : null
}

/** Whether a target is the path of a file relative to a folder, and does not merely end in its name. */
function isPathFrom(folder: string | null, target: string, file: AttachmentRow): boolean {
  return findByPath(folder, target, [file]) !== null
}
