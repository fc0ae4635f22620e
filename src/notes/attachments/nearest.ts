import { readWholeBlob } from '../../blobs/blob'
import type { SignedAddresses } from '../../blobs/signed'
import type { Reader, Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import { MAX_INLINE_BYTES, type ShownFile } from '../html/shown-files'
import { type AttachmentRow, listByNames } from './store'

/** Which of several files a target in a note leads to, as Obsidian has it. */

interface FileTarget {
  readonly folders: readonly string[]
  /** In the form in which names are compared. */
  readonly nameKey: string
}

type NamedFile = Pick<AttachmentRow, 'name' | 'name_key' | 'folder'>

export type FilesByName<File extends NamedFile = AttachmentRow> = ReadonlyMap<string, readonly File[]>

export function groupByName<File extends NamedFile>(files: readonly File[]): FilesByName<File> {
  return Map.groupBy(files, ({ name_key }) => name_key)
}

/** Returns the one of these files that a target leads to from a folder, as resolveFiles does; null if none. */
export function findFile<File extends NamedFile>(
  folder: string | null,
  target: string,
  files: FilesByName<File>,
): File | null {
  const spelled = readTarget(target).find(({ nameKey }) => files.has(nameKey))
  return spelled ? pickNearest(files.get(spelled.nameKey) ?? [], toLevels(folder), spelled) : null
}

/** Whether a target leads to a file by its name alone, although it has folders: no path of the file ends so. */
export function isLoose(folder: string | null, target: string, file: NamedFile): boolean {
  const [spelled] = readTarget(target).filter(({ nameKey }) => nameKey === file.name_key)
  return !spelled || createRanking(toLevels(folder), spelled)(file)[0] === RANK.loose
}

/** Reads a target as it is, and as an address. */
export function readTarget(target: string): FileTarget[] {
  const address = decode(target.replace(/[?#].*$/s, ''))
  return [...new Set([target, address])].map((spelled) => {
    const levels = spelled.split(/[/\\]/)
    return { nameKey: titleKey(levels.pop() ?? ''), folders: levels }
  })
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

function toLevels(folder: string | null): string[] {
  return folder === null ? [] : folder.split('/')
}

/** Returns the file that a target is the exact path of, relative to a folder and within the root; null if none. */
export function findByPath(
  folder: string | null,
  target: string,
  files: readonly AttachmentRow[],
): AttachmentRow | null {
  const [spelled] = readTarget(target)
  if (!spelled || leadsOut(toLevels(folder), spelled.folders)) return null
  const path = toKey(walk(toLevels(folder), spelled.folders))
  return files.find((file) => file.name_key === spelled.nameKey && toKey(toLevels(file.folder)) === path) ?? null
}

/** How a target leads to a file, the best first. */
const RANK = { relative: 0, absolute: 1, ending: 2, loose: 3 } as const

/** Picks the file that ranks first; of files that rank the same, the one with the first path, in whatever order they come. */
function pickNearest<File extends NamedFile>(
  files: readonly File[],
  from: readonly string[],
  target: FileTarget,
): File | null {
  const rank = createRanking(from, target)
  let best: { readonly file: File; readonly rank: readonly (number | string)[] } | null = null
  for (const file of files) {
    const ranked = { file, rank: [...rank(file), file.folder ?? '', file.name] }
    if (best === null || isBefore(ranked.rank, best.rank)) best = ranked
  }
  return best?.file ?? null
}

/** Returns the function that ranks files of the name of a target: by how it leads to them, then the nearest first. */
function createRanking(from: readonly string[], { folders }: FileTarget) {
  const [relative, absolute] = [toKey(walk(from, folders)), toKey(walk([], folders))]
  return ({ folder }: NamedFile): [rank: number, shared: number, depth: number] => {
    const levels = toLevels(folder)
    const key = toKey(levels)
    const ends = `/${key}`.endsWith(`/${absolute}`) ? RANK.ending : RANK.loose
    const rank = key === relative ? RANK.relative : key === absolute ? RANK.absolute : ends
    const shared = levels.findIndex((level, i) => level !== from[i])
    return [rank, -(shared < 0 ? levels.length : shared), levels.length]
  }
}

/** Goes along folders, with `.` and `..`; what leads above the root stays there. */
function walk(from: readonly string[], folders: readonly string[]): string[] {
  const levels = folders[0] === '' ? [] : [...from]
  for (const level of folders) {
    if (level === '..') levels.pop()
    else if (level !== '' && level !== '.') levels.push(level)
  }
  return levels
}

function leadsOut(from: readonly string[], folders: readonly string[]): boolean {
  let depth = folders[0] === '' ? 0 : from.length
  return folders.some((level) => {
    if (level === '..') depth -= 1
    else if (level !== '' && level !== '.') depth += 1
    return depth < 0
  })
}

function toKey(levels: readonly string[]): string {
  return levels.map(titleKey).join('/')
}

function isBefore(a: readonly (number | string)[], b: readonly (number | string)[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i])
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}

/** Distinct targets that are resolved at once; those beyond are not. */
export const MAX_TARGETS = 2000

/**
 * Finds the attachments that targets in a note lead to, as Obsidian does: the path from the folder of the note, the
 * path from the root, a path that ends so, then any file of the name, the nearest first. Returns them by target.
 * @param folder the folder of the note
 * @param targets as they are written, in `![[…]]` or as addresses, which may be percent-encoded
 */
export async function resolveFiles(
  reader: Reader,
  folder: string | null,
  targets: readonly string[],
): Promise<Map<string, AttachmentRow>> {
  const wanted = [...new Set(targets)].slice(0, MAX_TARGETS)
  const files = groupByName(await listCandidates(reader, wanted))
  return new Map(
    wanted.flatMap((target): [string, AttachmentRow][] => {
      const found = findFile(folder, target, files)
      return found ? [[target, found]] : []
    }),
  )
}

/** Lists the attachments that have the name of one of the targets, of MAX_TARGETS of them, or one of the names. */
export function listCandidates(
  reader: Reader,
  targets: readonly string[],
  names: readonly string[] = [],
): Promise<AttachmentRow[]> {
  const ofTargets = [...new Set(targets)].slice(0, MAX_TARGETS).flatMap(readTarget)
  return listByNames(reader, [...new Set([...names, ...ofTargets.map(({ nameKey }) => nameKey)])])
}

export function createShowAttachments({ addresses }: { readonly addresses: Pick<SignedAddresses, 'write'> }) {
  /**
   * Returns the files by target, without targets that no attachment answers to.
   * @param inline whether pictures come as data: URIs as well, up to MAX_INLINE_BYTES in all
   */
  return async (
    session: Session,
    folder: string | null,
    targets: readonly string[],
    inline: boolean,
  ): Promise<Map<string, ShownFile>> => {
    const { workspace } = session
    const found = await resolveFiles(session, folder, targets)
    const pictures = new Map<string, ShownFile['inline']>()
    let room = inline ? MAX_INLINE_BYTES : 0
    const shown = new Map<string, ShownFile>()
    for (const [target, { id, name, content_type: type, sha256, size_bytes }] of found) {
      if (type.startsWith('image/') && size_bytes <= room && !pictures.has(sha256)) {
        const bytes = await readWholeBlob(session, sha256)
        if (bytes) {
          const uri = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
          pictures.set(sha256, { uri, size_bytes })
        }
        room -= size_bytes
      }
      const address = addresses.write(workspace.id, id)
      shown.set(target, { id, name, type, address, inline: pictures.get(sha256) })
    }
    return shown
  }
}
