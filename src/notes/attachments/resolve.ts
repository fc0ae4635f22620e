import type { Queries, Workspace } from '../../db/database'
import { titleKey } from '../../lib/text'
import { type AttachmentRow, listByNames } from './store'

/** Distinct targets that are resolved at once; those beyond are not. */
export const MAX_TARGETS = 2000

/** A file as a target names it: the folders as written, and the name. */
interface FileTarget {
  readonly folders: readonly string[]
  /** In the form in which names are compared. */
  readonly nameKey: string
}

/**
 * Finds the attachments that targets in a note lead to, as Obsidian does: the path from the folder of the note, the
 * path from the root, a path that ends so, then any file of the name, the nearest first. Returns them by target.
 * @param folder the folder of the note
 * @param targets as they are written, in `![[…]]` or as addresses, which may be percent-encoded
 */
export async function resolveFiles(
  { db, workspace }: { readonly db: Pick<Queries, 'all'>; readonly workspace: Pick<Workspace, 'id'> },
  folder: string | null,
  targets: readonly string[],
): Promise<Map<string, AttachmentRow>> {
  const wanted = [...new Set(targets)]
    .slice(0, MAX_TARGETS)
    .map((target) => ({ target, spellings: readTarget(target) }))
  const names = new Set(wanted.flatMap(({ spellings }) => spellings.map(({ nameKey }) => nameKey)))
  const byName = Map.groupBy(await listByNames(db, workspace.id, [...names]), ({ name_key }) => name_key)
  const from = toLevels(folder)
  return new Map(
    wanted.flatMap(({ target, spellings }): [string, AttachmentRow][] => {
      const spelled = spellings.find(({ nameKey }) => byName.has(nameKey))
      const found = spelled && pickNearest(byName.get(spelled.nameKey) ?? [], from, spelled)
      return found ? [[target, found]] : []
    }),
  )
}

/** Reads a target as it is, and as an address. */
function readTarget(target: string): FileTarget[] {
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

function pickNearest(
  files: readonly AttachmentRow[],
  from: readonly string[],
  { folders }: FileTarget,
): AttachmentRow | undefined {
  const relative = toKey(walk(from, folders))
  const plain = walk([], folders)
  const absolute = toKey(plain)
  const rank = ({ folder }: AttachmentRow): number[] => {
    const levels = toLevels(folder)
    const key = toKey(levels)
    const isPath = key === relative ? 0 : key === absolute ? 1 : `/${key}`.endsWith(`/${absolute}`) ? 2 : 3
    const shared = levels.findIndex((level, i) => level !== from[i])
    return [isPath, -(shared < 0 ? levels.length : shared), levels.length]
  }
  const ranked = files.map((file) => ({ file, rank: rank(file) }))
  return ranked.sort((a, b) => compare(a.rank, b.rank))[0]?.file
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

/** Whether folders lead above the root. */
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

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
