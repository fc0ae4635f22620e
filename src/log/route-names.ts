/**
 * Finds the pattern of the route that serves a path, for code that has no access to the router; null if there is none.
 */
export type FindRoutePattern = (path: string) => string | null

interface Node {
  pattern: string | null
  readonly fixed: Map<string, Node>
  any: Node | null
}

const createNode = (): Node => ({ pattern: null, fixed: new Map(), any: null })

/**
 * Creates a FindRoutePattern.
 * @param patterns the paths of all routes; a segment that begins with `:` matches any text
 */
export function createRouteFinder(patterns: Iterable<string>): FindRoutePattern {
  const root = createNode()
  const fixedPaths = new Set<string>()
  for (const pattern of patterns) {
    if (!pattern.includes('/:')) fixedPaths.add(pattern)
    else add(root, pattern)
  }
  return (path) => (fixedPaths.has(path) ? path : find(root, path.split('/'), 0))
}

function add(root: Node, pattern: string): void {
  let here = root
  for (const segment of pattern.split('/')) {
    const next = (segment.startsWith(':') ? here.any : here.fixed.get(segment)) ?? createNode()
    if (segment.startsWith(':')) here.any = next
    else here.fixed.set(segment, next)
    here = next
  }
  here.pattern = pattern
}

/** Finds the pattern for the segments from `at` on. Fixed segments take precedence over those that match any text. */
function find(here: Node, segments: readonly string[], at: number): string | null {
  if (at === segments.length) return here.pattern
  const segment = segments[at] ?? ''
  const next = here.fixed.get(segment)
  const found = next ? find(next, segments, at + 1) : null
  if (found !== null || !here.any || segment === '') return found
  return find(here.any, segments, at + 1)
}
