import type { FileFacts, ReadItem, SourceFile } from '../../imports/kind'
import { FileFault } from '../../lib/file-fault'
import { CalendarFault, type CutSummary, cutCalendar } from '../../lib/ical/cut'
import type { CheckRule } from '../../lib/ical/item'
import { readTodo } from '../../lib/ical/read'
import { decodeCalendar } from '../../lib/ical/text'
import { createZones } from '../../lib/ical/zones'
import { parseRule } from '../../lib/recurrence/parse'
import { isTimedRule, RuleError, writeRecurrenceRule } from '../../lib/recurrence/rule'
import type { TodoItem } from './item'

/**
 * Reads a calendar file: a `task` for each to-do, or a `task_completion` if it is a single date of a series. The key of
 * both is the UID. Reads the text twice, so that memory holds only one item besides the text.
 * @throws FileFault archive_refused, too_large
 */
export function* readCalendar(file: SourceFile): Generator<FileFacts | ReadItem<TodoItem>> {
  const { text, damaged } = decodeCalendar(file.whole())
  const { skipped, locations, truncated, claims } = surveyCalendar(text)
  yield {
    format: 'ical',
    ignored: Object.entries(skipped).map(([component, count]) => ({ component, count })),
    warnings: [
      ...(damaged ? [{ code: 'not_utf8', detail: 'The file is not UTF-8: letters beyond ASCII may be wrong.' }] : []),
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
    const { child_uids: _, ...todo } = readTodo(item, zones, checkRule)
    const type = todo.recurrence_id ? 'task_completion' : 'task'
    const parent_uid = todo.parent_uid ?? claims.get(todo.uid) ?? null
    const value = { ...todo, system: 'ical', digest: null, former_uids: [], file: null, parent_uid } as const
    yield { where, type, key: todo.uid, value }
  }
}

interface Survey extends CutSummary {
  /** Parents by the UIDs of parts that they name (RELTYPE=CHILD); few programs write it so. The first parent counts. */
  readonly claims: ReadonlyMap<string, string>
}

function surveyCalendar(text: string): Survey {
  const claims = new Map<string, string>()
  const zones = createZones(new Map())
  const items = cutCalendar(text)
  try {
    for (let next = items.next(); ; next = items.next()) {
      if (next.done) return { ...next.value, claims }
      const item = next.value
      if ('code' in item || !item.lines.some((line) => CHILD.test(line.slice(0, 2000)))) continue
      const { uid, child_uids } = readTodo(item, zones, checkRule)
      for (const child of child_uids) if (!claims.has(child)) claims.set(child, uid)
    }
  } catch (error) {
    throw error instanceof CalendarFault ? new FileFault('archive_refused', error.message) : error
  }
}

const CHILD = /^RELATED-TO[;:][^:]{0,1000}RELTYPE="?CHILD/i

/** Returns a rule as the service stores it: unchanged, unless it has the SKIP of RFC 7529. */
const checkRule: CheckRule = (text) => {
  try {
    const { rule, skip } = parseRule(text)
    const timed = isTimedRule(rule)
    return skip === undefined ? { rrule: text, skip: 'omit', timed } : { rrule: writeRecurrenceRule(rule), skip, timed }
  } catch (error) {
    if (error instanceof RuleError) return { problem: error.message }
    throw error
  }
}
