import { stripControls } from './ical-text'
import { MAX_BLOCKERS, type Property, type CalendarItem, type Warn } from './item'

export type Relations = Pick<CalendarItem, 'parent_uid' | 'child_uids' | 'blocked_by_uids'>

/** RELATED-TO: PARENT (also where RELTYPE is missing), CHILD, and DEPENDS-ON of RFC 9253. Others are kept as they are. */
export function readRelations(
  lines: readonly Property[],
  uid: string,
  warn: Warn,
): Relations & { readonly kept: readonly string[] } {
  const found = { PARENT: new Set<string>(), CHILD: new Set<string>(), 'DEPENDS-ON': new Set<string>() }
  const kept: string[] = []
  for (const { line, params, values } of lines) {
    const type = (params.reltype ?? 'PARENT').toUpperCase()
    const other = stripControls(values[0] ?? '').trim()
    if (other === uid) warn('related_to_itself', 'RELATED-TO names the item itself.')
    else if (other === '') warn('unreadable_property', 'RELATED-TO names nothing.')
    else if (type === 'PARENT' || type === 'CHILD' || type === 'DEPENDS-ON') found[type].add(other)
    else kept.push(line)
  }
  const [parent = null, ...more] = found.PARENT
  const blockers = [...found['DEPENDS-ON']]
  if (more.length > 0) warn('parents_dropped', `A task is part of one other: ${more.length} further were left out.`)
  if (blockers.length > MAX_BLOCKERS)
    warn('blockers_dropped', `Of ${blockers.length} tasks it waits for the first ${MAX_BLOCKERS} were taken.`)
  return { parent_uid: parent, child_uids: [...found.CHILD], blocked_by_uids: blockers.slice(0, MAX_BLOCKERS), kept }
}
