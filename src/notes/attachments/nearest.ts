import { titleKey } from '../../lib/text'
import type { AttachmentRow } from './store'

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
