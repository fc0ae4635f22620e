import { answering, type Failing, FileFault } from '../../http/in-worker'
import { CalendarFault, type Cut, cutCalendar } from '../ical/ical-cut'
import { decodeCalendar } from '../ical/ical-text'
import type { CheckRule, ReadItem, Warning } from '../ical/item'
import { readTodo } from '../ical/read-todo'
import { createZones, type Zones } from '../ical/read-zones'
import { parseRule, printRule, RuleError } from '../recurrence/recurrence'

/**
 * Reads one calendar file in a thread of its own: however long it takes, other requests go on. It is asked for one batch
 * after the other and understands no more than that, so what is in memory is bounded.
 */

/** What the Worker is told: a file at first, then `next` for each batch. */
export type ToWorker = { readonly bytes: Uint8Array } | 'next'

/** A task of the file; whether it names its whole or that names it, `parent_uid` says so. */
export type TodoItem = Omit<ReadItem, 'child_uids'>

/** An item of the file, by the line on which it begins, from 1: a task, or why it cannot be read. */
export type CalendarItem = { readonly line: number } & ({ readonly todo: TodoItem } | { readonly fault: Warning })

/** What there is in a file beside its tasks. */
export interface Opened {
  /** Components that are no tasks. */
  readonly ignored: readonly { readonly component: string; readonly count: number }[]
  readonly warnings: readonly Warning[]
}

/** What it says: what is beside the tasks, a batch (the last one is empty), or why the file is not read. */
export type FromWorker = Opened | { readonly items: readonly CalendarItem[] } | Failing

/** Items of one batch, and characters after which one ends early. */
const BATCH_ITEMS = 50
const BATCH_LENGTH = 256 * 1024

declare const self: Worker

let items: Iterator<CalendarItem> | null = null

const answer = answering((message: ToWorker): FromWorker => {
  if (message === 'next') return { items: nextBatch() }
  const { text, damaged } = decodeCalendar(message.bytes)
  const cut = cutOrRefuse(text)
  items = itemsOf(cut)
  return {
    ignored: Object.entries(cut.skipped).map(([component, count]) => ({ component, count })),
    warnings: [
      ...(damaged ? [{ code: 'not_utf8', detail: 'Some bytes of the file are no UTF-8: they became U+FFFD.' }] : []),
      ...(cut.truncated ? [{ code: 'truncated', detail: 'The file ends before its calendar does.' }] : []),
    ],
  }
})

self.onmessage = (event: MessageEvent<ToWorker>) => self.postMessage(answer(event))

function cutOrRefuse(text: string): Cut {
  try {
    return cutCalendar(text)
  } catch (error) {
    throw error instanceof CalendarFault ? new FileFault(error.message) : error
  }
}

function* itemsOf({ todos, faults, locations }: Cut): Generator<CalendarItem> {
  const zones = createZones(locations)
  const claims = claimsOf(todos, zones)
  const inOrder = [...todos, ...faults].sort((a, b) => a.line - b.line)
  for (const { line, ...item } of inOrder) {
    if ('code' in item) {
      yield { line, fault: { code: item.code, detail: item.detail } }
      continue
    }
    const { child_uids: _, ...todo } = readTodo(item, zones, check)
    yield { line, todo: { ...todo, parent_uid: todo.parent_uid ?? claims.get(todo.uid) ?? null } }
  }
}

/** Parts that do not name their whole, but are named by it; few programs write it so. The first to name one has it. */
function claimsOf(todos: Cut['todos'], zones: Zones): Map<string, string> {
  const claims = new Map<string, string>()
  for (const todo of todos) {
    if (!todo.lines.some((line) => /^RELATED-TO[;:][^:]{0,1000}RELTYPE="?CHILD/i.test(line.slice(0, 2000)))) continue
    const { uid, child_uids } = readTodo(todo, zones, check)
    for (const child of child_uids) if (!claims.has(child)) claims.set(child, uid)
  }
  return claims
}

/** A rule as the service keeps it: as it stands, unless it says more than a rule of RFC 5545. */
const check: CheckRule = (text) => {
  try {
    const { rule, skip } = parseRule(text)
    return skip === undefined ? { rrule: text, skip: 'omit' } : { rrule: printRule(rule), skip }
  } catch (error) {
    if (error instanceof RuleError) return { problem: error.message }
    throw error
  }
}

function nextBatch(): CalendarItem[] {
  const batch: CalendarItem[] = []
  let length = 0
  while (batch.length < BATCH_ITEMS && length < BATCH_LENGTH) {
    const next = items?.next()
    if (!next || next.done) break
    batch.push(next.value)
    if ('todo' in next.value) length += next.value.todo.rest.length + (next.value.todo.members.notes?.length ?? 0)
  }
  return batch
}
