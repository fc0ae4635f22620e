import { nameOf } from './ical-read'
import { stripControls } from './ical-text'
import { MAX_REST_BYTES, type Warn } from './item'

/** What Satchel does not model of an item: kept as lines, and written back. */

/** BEGIN or END of a component that may stand inside an item. */
const BOUND = /^(?:BEGIN:(?!V(?:TODO|EVENT|CALENDAR)$)([A-Z0-9-]+)|END:([A-Z0-9-]+))$/i

/**
 * Lines as they are kept, in their order; a component is one entry of several lines. What is over MAX_REST_BYTES in all
 * is left out, with one warning that names it.
 */
export function keepRest(entries: readonly string[], warn: Warn): string {
  const kept: string[] = []
  const dropped: string[] = []
  let bytes = 0
  for (const entry of entries) {
    const text = entry.length > MAX_REST_BYTES ? null : entry.split('\n').map(stripControls).join('\n')
    const size = text === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(text) + 1
    if (text !== null && bytes + size <= MAX_REST_BYTES) {
      kept.push(text)
      bytes += size
    } else dropped.push(/^(?:BEGIN:)?([A-Z0-9-]+)/i.exec(entry.slice(0, 80))?.[1] ?? '')
  }
  if (dropped.length > 0)
    warn('rest_dropped', `Of what Satchel does not know, over 16 KiB, were left out: ${named(dropped)}.`)
  return kept.join('\n')
}

/** The names, each once, and no more than a sentence can hold. */
function named(names: readonly string[]): string {
  const different = [...new Set(names)]
  return different.slice(0, 10).join(', ') + (different.length > 10 ? ` and ${different.length - 10} more` : '')
}

/**
 * The lines to write back, or none if they would not stand inside the item: each must be a content line, and what
 * begins must end. `replaced` names the properties that the task itself tells.
 */
export function restLines(rest: string, replaced: ReadonlySet<string>): string[] {
  if (rest === '') return []
  const lines = rest.split('\n').map(stripControls)
  const open: string[] = []
  const written: string[] = []
  for (const line of lines) {
    const [, begin, end] = BOUND.exec(line) ?? []
    const name = nameOf(line)
    if (name === null || (!begin && !end && /^(BEGIN|END)$/.test(name))) return []
    if (begin) open.push(begin.toUpperCase())
    const inside = open.length > 0
    if (end && open.pop() !== end.toUpperCase()) return []
    if (inside || !replaced.has(name)) written.push(line)
  }
  return open.length === 0 ? written : []
}
