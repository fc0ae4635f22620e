import type { Session } from '../../db/database'
import { isFileTarget } from '../../lib/file-target'
import { replaceParts } from '../../lib/text'
import { mayHaveLinks } from '../links/body-links'
import { toLinkPath } from '../links/names'
import { isSpellable, toRelativePath } from '../links/rewrite-links'
import { encodeNotePath, type NotePath, readFilePath } from '../markdown/note-path'
import { scanMarkdown } from '../markdown/scan-markdown'
import { type FilesByName, findByPath, findFile, groupByName, isLoose } from './nearest'
import { listCandidates } from './resolve'
import type { AttachmentRow } from './store'

interface FileLink {
  /** Decoded in a Markdown link. */
  readonly target: string
  /** The position of the target as written. */
  readonly from: number
  readonly to: number
  /** Null for a wiki link. */
  readonly markdown: { readonly destination: string; readonly path: NotePath } | null
}

/** Attachments that were renamed or moved, whose links are still written for their former paths. */
export interface RenamedFiles {
  /** Names that they have now and may not have had before, see name_key. */
  readonly newNames: readonly string[]
  /** Returns one of them at its former path, any other attachment as it is. */
  toFormer(row: AttachmentRow): AttachmentRow
}

interface NoteFolders {
  readonly from: string | null
  readonly to: string | null
}

/** The attachments that links of a note may lead to, before and now. */
interface FileStates {
  readonly before: FilesByName
  readonly now: FilesByName
  readonly byKey: ReadonlyMap<number, AttachmentRow>
  readonly folders: NoteFolders
}

/**
 * Returns the body of a note that moves to another folder, or whose files were renamed, with the links to files in it
 * that would not lead to them any more: each leads to the file that it led to before. Links that led to no file stay as
 * they are. `left` tells that some link cannot be written so, and is as it was.
 */
export async function keepFileLinks(
  session: Session,
  body: string,
  folders: NoteFolders,
  renamed: RenamedFiles | null = null,
): Promise<{ readonly body: string; readonly left: boolean }> {
  const unchanged = { body, left: false }
  if ((folders.from === folders.to && renamed === null) || !mayHaveLinks(body)) return unchanged
  const links = listFileLinks(body)
  if (links.length === 0) return unchanged
  const files = await listCandidates(
    session,
    links.map(({ target }) => target),
    renamed?.newNames,
  )
  const toFormer = (row: AttachmentRow) => renamed?.toFormer(row) ?? row
  // Where another file has the former path of a renamed one by now, the link led to the renamed one.
  const isRenamed = files.map((row) => toFormer(row) !== row)
  const before = [...files.filter((_, i) => isRenamed[i]).map(toFormer), ...files.filter((_, i) => !isRenamed[i])]
  const byKey = new Map(files.map((row) => [row.key, row]))
  const states: FileStates = { before: groupByName(before), now: groupByName(files), byKey, folders }
  const spelled = links.map((link) => spell(link, states))
  const left = spelled.includes(null)
  if (!spelled.some(Boolean)) return { body, left }
  const rewritten = replaceParts(
    body,
    links.flatMap(({ from, to }, i) => (spelled[i] ? [{ from, to, text: spelled[i].written }] : [])),
  )
  return isReadAsWanted(links, spelled, rewritten) ? { body: rewritten, left } : { body, left: true }
}

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

interface Spelling {
  readonly target: string
  readonly written: string
}

/** Returns the new target of a link; undefined if it needs none, null if it has none. */
function spell(link: FileLink, states: FileStates): Spelling | null | undefined {
  const { before, now, byKey, folders } = states
  const was = findFile(folders.from, link.target, before)
  const file = was && byKey.get(was.key)
  if (!was || !file || isStillRight(link, was, file, states)) return undefined
  for (const target of listSpellings(link, was, file, folders)) {
    if (findFile(folders.to, target, now)?.key !== file.key || isAmbiguous(target, file, states)) continue
    if (link.markdown) return { target, written: encodeNotePath(target, link.markdown.destination, link.markdown.path) }
    if (isSpellable(target)) return { target, written: target }
  }
  return null
}

/** Whether a target is the path of another file too, from the folder of the note or the root: programs differ in the order. */
function isAmbiguous(target: string, file: AttachmentRow, { byKey, folders }: FileStates): boolean {
  const others = [...byKey.values()].filter(({ key }) => key !== file.key)
  const from = target.startsWith('.') ? [folders.to] : [folders.to, null]
  return from.some((folder) => findByPath(folder, target, others) !== null)
}

/** Whether a link leads to its file still. By its name it does from anywhere; a path must be one of the file, as it was. */
function isStillRight(
  { target }: FileLink,
  was: AttachmentRow,
  file: AttachmentRow,
  { now, folders: { from, to } }: FileStates,
): boolean {
  if (findFile(to, target, now)?.key !== file.key) return false
  if (!isPath(target) || isLoose(from, target, was)) return true
  return !isLoose(to, target, file) && (!isPathFrom(from, target, was) || isPathFrom(to, target, file))
}

/** Lists the targets that may lead to a file, the ones most like the present one first. */
function listSpellings(
  { target, markdown }: FileLink,
  was: AttachmentRow,
  file: AttachmentRow,
  { from, to }: NoteFolders,
): string[] {
  const [relative, path] = [toRelativePath(to, file), toLinkPath(file.folder, file.name)]
  const explicit = relative.startsWith('../') ? relative : `./${relative}`
  const fromRoot = [path, `/${path}`]
  const fromFolder = [...(target.startsWith('./') ? [] : [relative]), explicit]
  if (target.startsWith('/')) return [`/${path}`]
  const isRelative = (isPath(target) || markdown !== null) && isPathFrom(from, target, was)
  const paths = isRelative ? [...fromFolder, ...fromRoot] : [...fromRoot, ...fromFolder]
  return isPath(target) ? paths : [file.name, ...paths]
}

function isPath(target: string): boolean {
  return /[/\\]/.test(target)
}

/** Whether a target is the path of a file relative to a folder, and does not merely end in its name. */
function isPathFrom(folder: string | null, target: string, file: AttachmentRow): boolean {
  return findByPath(folder, target, [file]) !== null
}

/** Whether the new body has the same links to files, with the new targets: a backtick in a name may begin code. */
function isReadAsWanted(
  links: readonly FileLink[],
  spelled: readonly (Spelling | null | undefined)[],
  body: string,
): boolean {
  const now = listFileLinks(body)
  return now.length === links.length && now.every(({ target }, i) => target === (spelled[i] ?? links[i])?.target)
}
