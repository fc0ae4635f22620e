import { ApiError } from '../../http/api-error'
import { titleKey, toCodePoints } from '../../lib/text'
import { scanMarkdown, type WikiLink } from '../markdown/scan'
import type { LinkTarget } from './store'

/** Wiki links of one note. */
export const MAX_LINKS = 10_000
/** Code points of the longest path: a folder of 512, a slash, a title of 500. What is longer can name no note. */
const TARGET_LENGTH = 1013
/** Links of one target whose places are kept: as many of the shortest as a text of 240 shows. */
const PLACES = 48

/** The wiki links of a body, in its order; offsets are UTF-16. Most bodies have none and are not scanned. */
export function linksIn(body: string): readonly WikiLink[] {
  if (!body.includes('[[')) return []
  return scanMarkdown(body).links.filter(({ target }) => isName(target))
}

function isName(target: string): boolean {
  return target.length <= TARGET_LENGTH || [...target].length <= TARGET_LENGTH
}

/** The distinct targets of a body; links into the note itself (`[[#Heading]]`) have none. Throws too_many_links. */
export function targetsIn(body: string): LinkTarget[] {
  const links = linksIn(body)
  if (links.length > MAX_LINKS)
    throw new ApiError('too_many_links', `The body holds ${links.length} wiki links; a note may hold ${MAX_LINKS}.`)
  const offsets = toCodePoints(
    body,
    links.flatMap(({ start, end }) => [start, end]),
  )
  const targets = new Map<string, { target_key: string; target: string; places: number[] }>()
  links.forEach(({ target }, i) => {
    const target_key = titleKey(target)
    if (target_key === '') return
    const known = targets.get(target_key) ?? { target_key, target, places: [] }
    if (known.places.length < 2 * PLACES) known.places.push(...offsets.slice(2 * i, 2 * i + 2))
    targets.set(target_key, known)
  })
  return [...targets.values()]
}
