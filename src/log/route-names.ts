/** Finds the pattern of the route that a path leads to, as the router would, for code that has no router. */
export type FindRoutePattern = (path: string) => string | null

interface Step {
  pattern: string | null
  readonly fixed: Map<string, Step>
  any: Step | null
}

const step = (): Step => ({ pattern: null, fixed: new Map(), any: null })

/** @param patterns the paths of all routes; a segment that begins with `:` takes any text */
export function createRouteFinder(patterns: Iterable<string>): FindRoutePattern {
  const root = step()
  const whole = new Set<string>()
  for (const pattern of patterns) {
    if (!pattern.includes('/:')) whole.add(pattern)
    else add(root, pattern)
  }
  return (path) => (whole.has(path) ? path : find(root, path.split('/'), 0))
}

function add(root: Step, pattern: string): void {
  let here = root
  for (const segment of pattern.split('/')) {
    const next = (segment.startsWith(':') ? here.any : here.fixed.get(segment)) ?? step()
    if (segment.startsWith(':')) here.any = next
    else here.fixed.set(segment, next)
    here = next
  }
  here.pattern = pattern
}

/** What is spelled out goes before what takes any text. */
function find(here: Step, segments: readonly string[], at: number): string | null {
  if (at === segments.length) return here.pattern
  const segment = segments[at] ?? ''
  const next = here.fixed.get(segment)
  const found = next ? find(next, segments, at + 1) : null
  if (found !== null || !here.any || segment === '') return found
  return find(here.any, segments, at + 1)
}
