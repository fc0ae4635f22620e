import type { FileFacts, ReadItem, SourceFile } from '../../imports/kind'
import { FileFault } from '../../lib/file-fault'
import { CalendarFault, type CutSummary, cutCalendar } from '../../lib/ical/cut'
import type { CheckRule, CalendarItem as ReadTodo } from '../../lib/ical/item'
import { readTodo } from '../../lib/ical/read'
import { decodeCalendar } from '../../lib/ical/text'
import { createZones } from '../../lib/ical/zones'
import { parseRule } from '../../lib/recurrence/parse'
import { RuleError, writeRecurrenceRule } from '../../lib/recurrence/rule'

/** A task of the file; whether it names its whole or that names it, `parent_uid` says so. */
export type TodoItem = Omit<ReadTodo, 'child_uids'>

/**
 * Reads a calendar file: a `task` for each to-do, a `task_completion` for one that speaks of a single date of a series.
 * The key of either is its UID. The text is gone through twice, so that no more than one item is held beside it.
 * @throws FileFault archive_refused, too_large
 */
export function* readCalendar(file: SourceFile): Generator<FileFacts | ReadItem<TodoItem>> {
  const { text, damaged } = decodeCalendar(file.whole())
  const { skipped, locations, truncated, claims } = survey(text)
  yield {
    format: 'ical',
    ignored: Object.entries(skipped).map(([component, count]) => ({ component, count })),
    warnings: [
      ...(damaged ? [{ code: 'not_utf8', detail: 'Some bytes of the file are no UTF-8: they became U+FFFD.' }] : []),
      ...(truncated ? [{ code: 'truncated', detail: 'The file ends before its calendar does.' }] : []),
    ],
  }
  const zones = createZones(locations)
  for (const item of cutCalendar(text)) {
    const where = `line ${item.line}`
    if ('code' in item) {
      yield { where, type: 'task', fault: { code: item.code, detail: item.detail } }
      continue
    }
    const { child_uids: _, ...todo } = readTodo(item, zones, check)
    const type = todo.recurrence_id ? 'task_completion' : 'task'
    const value = { ...todo, parent_uid: todo.parent_uid ?? claims.get(todo.uid) ?? null }
    yield { where, type, key: todo.uid, value }
  }
}

interface Survey extends CutSummary {
  /** Parts that do not name their whole, but are named by it; few programs write it so. The first to name one has it. */
  readonly claims: ReadonlyMap<string, string>
}

function survey(text: string): Survey {
  const claims = new Map<string, string>()
  const zones = createZones(new Map())
  const items = cutCalendar(text)
  try {
    for (let next = items.next(); ; next = items.next()) {
      if (next.done) return { ...next.value, claims }
      const item = next.value
      if ('code' in item || !item.lines.some((line) => CHILD.test(line.slice(0, 2000)))) continue
      const { uid, child_uids } = readTodo(item, zones, check)
      for (const child of child_uids) if (!claims.has(child)) claims.set(child, uid)
    }
  } catch (error) {
    throw error instanceof CalendarFault ? new FileFault('archive_refused', error.message) : error
  }
}

const CHILD = /^RELATED-TO[;:][^:]{0,1000}RELTYPE="?CHILD/i

/** A rule as the service keeps it: as it is, unless it says more than a rule of RFC 5545. */
const check: CheckRule = (text) => {
  try {
    const { rule, skip } = parseRule(text)
    return skip === undefined ? { rrule: text, skip: 'omit' } : { rrule: writeRecurrenceRule(rule), skip }
  } catch (error) {
    if (error instanceof RuleError) return { problem: error.message }
    throw error
  }
}
