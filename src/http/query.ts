import { invalid } from './problem'

/** The parameters that may stand more than once; of any other, all but the last would be dropped silently. */
const REPEATABLE: ReadonlySet<string> = new Set(['tag'])

/**
 * Refuses a query string that would not be read as it was sent: a parameter given twice, or bytes that are not UTF-8,
 * which would become another text; and any parameter where the route has none (`taken` is false). Throws
 * invalid_request.
 */
export function checkQuery(url: string, taken = true): void {
  const start = url.indexOf('?')
  if (start < 0) return
  const seen = new Set<string>()
  for (const part of url.slice(start + 1).split('&')) {
    // The router decodes names as well: `%6cimit` is `limit`.
    const [name = ''] = (part.includes('%') ? decoded(part) : part).split('=', 1)
    if (!taken && part !== '') throw invalid(`/${name}`, 'invalid_value', `${name} is not known here`)
    if (seen.has(name) && !REPEATABLE.has(name)) throw invalid(`/${name}`, 'repeated', `${name} may be given only once`)
    seen.add(name)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    const [name = ''] = part.split('=', 1)
    throw invalid(`/${name}`, 'invalid_encoding', `${name} must be percent-encoded UTF-8`)
  }
}
