/** Folders and nested tags, such as `Work/Plans`, as a tree. */
import { titleKey } from '../../src/lib/text'

export interface PathNode {
  /** The last part of the path. */
  readonly name: string
  readonly path: string
  /** Notes that have it, or a path below it. */
  readonly count: number
  /** By name. */
  readonly children: readonly PathNode[]
}

interface Counted {
  readonly path: string
  count: number
}

const collator = new Intl.Collator(undefined, { numeric: true })

/**
 * Makes the tree of the paths of notes. Paths are compared as titles are, without regard to case; each is spelled as it
 * was met first.
 * @param paths those of each note
 */
export function buildTree(paths: Iterable<readonly string[]>): PathNode[] {
  const counted = new Map<string, Counted>()
  for (const ofNote of paths) {
    const met = new Set<string>()
    for (const path of ofNote) countPath(path, met, counted)
  }
  const byParent = Map.groupBy(counted, ([key]) => key.slice(0, Math.max(0, key.lastIndexOf('/'))))
  const childrenOf = (parent: string): PathNode[] =>
    (byParent.get(parent) ?? [])
      .map(([key, { path, count }]) => ({
        name: path.slice(path.lastIndexOf('/') + 1),
        path,
        count,
        children: childrenOf(key),
      }))
      .sort((a, b) => collator.compare(a.name, b.name))
  return childrenOf('')
}

/** Counts a path and those above it, each once for one note. */
function countPath(path: string, met: Set<string>, counted: Map<string, Counted>): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const part = path.slice(0, end)
    const key = keyOf(part)
    if (key === '' || met.has(key)) return
    met.add(key)
    const known = counted.get(key)
    if (known) known.count += 1
    else counted.set(key, { path: part, count: 1 })
  }
}

/** The keys of paths: few paths belong to many notes. */
const keys = new Map<string, string>()
const MAX_KEYS = 20_000

function keyOf(path: string): string {
  const known = keys.get(path)
  if (known !== undefined) return known
  if (keys.size >= MAX_KEYS) keys.clear()
  const key = titleKey(path)
  keys.set(path, key)
  return key
}

/** Whether two paths are the same, without regard to case. */
export const isSame = (path: string, other: string | null) => other !== null && keyOf(path) === keyOf(other)

/** Whether a path is another one or above it. */
export function isAbove(path: string, other: string | null): boolean {
  if (other === null) return false
  const [key, below] = [keyOf(path), keyOf(other)]
  return below === key || below.startsWith(`${key}/`)
}
