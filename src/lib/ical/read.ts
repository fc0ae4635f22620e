import type { CutTodo } from './cut'
import {
  addDuration,
  isMomentAfter,
  isSameMoment,
  readIcalInstant,
  readMoment,
  toKindOf,
  writeItemInstant,
} from './dates'
import {
  type CalendarItem,
  type CheckRule,
  type ItemMembers,
  type ItemMoment,
  MAX_BLOCKERS,
  MAX_DURATION_MINUTES,
  type Property,
  type Warn,
} from './item'
import { PLACE_PROPERTIES, readAlarms, readItemNotes, readLabels, readPriority, readStatus, readTitle } from './members'
import { keepRest, readDuration, readProperty, readPropertyName, readTextValue } from './properties'
import { keepOwnStart, readRepeat } from './recurrence'
import { stripControls } from './text'
import type { Zones } from './zones'

/** The properties of a VTODO that Satchel models; SEQUENCE, LOCATION, URL and all others are kept in the rest. */
const MODELLED = new Set([
  ...[
    'UID',
    'DTSTAMP',
    'CREATED',
    'LAST-MODIFIED',
    'SUMMARY',
    'DESCRIPTION',
    'STATUS',
    'PERCENT-COMPLETE',
    'COMPLETED',
  ],
  ...['PRIORITY', 'DUE', 'DTSTART', 'DURATION', 'RRULE', 'RDATE', 'EXRULE', 'EXDATE', 'RECURRENCE-ID', 'CATEGORIES'],
  'RELATED-TO',
])
/** BEGIN and END lines, as cut.ts writes them. */
const BOUND = /^(BEGIN|END):[A-Z0-9-]+$/
const OURS = 'X-SATCHEL-'
const LISTS = new Set(['RRULE', 'RDATE', 'EXRULE', 'EXDATE', 'CATEGORIES', 'RELATED-TO'])
/** UTF-16 units of a UID; a longer one is replaced, as is a missing one. */
const MAX_UID_UNITS = 255
/** UTF-16 units of a revision that are read; ours are shorter. */
const MAX_REVISION_UNITS = 100

interface SortedLines {
  readonly modelled: ReadonlyMap<string, readonly Property[]>
  readonly alarms: readonly (readonly string[])[]
  /** Unmodelled properties, and components other than VALARM. */
  readonly rest: readonly string[]
}

interface Context {
  readonly zones: Zones
  readonly check: CheckRule
  readonly warn: Warn
}

/**
 * Reads one VTODO. Nothing is refused: parts that cannot be read, or exceed a limit, are dropped with a warning.
 * @param zones those of the whole file, from `createZones`
 */
export function readTodo({ lines }: Pick<CutTodo, 'lines'>, zones: Zones, check: CheckRule): CalendarItem {
  const warnings = new Map<string, { code: string; detail: string }>()
  const warn: Warn = (code, detail) => void warnings.set(`${code} ${detail}`, { code, detail })
  const sorted = sortLines(lines, warn)
  const context = { zones, check, warn }
  const uid = readUid(sorted, lines, warn)
  const priority = readPriority(findFirst(sorted, 'PRIORITY'), warn)
  const { kept: relationsKept, ...relations } = readRelations(sorted.modelled.get('RELATED-TO') ?? [], uid, warn)
  const dates = readDates(sorted, context)
  const alarms = readAlarms(sorted.alarms, { due: dates.due !== null, start: dates.start !== null }, zones, warn)
  const { status, kept: statusKept } = readStatus((name) => findFirst(sorted, name), warn)
  const members: ItemMembers = {
    ...readTexts(sorted, warn),
    status,
    priority: priority.priority,
    due: dates.due,
    start: dates.start,
    duration_minutes: dates.duration_minutes,
    recurrence: dates.recurrence,
    reminders: alarms.reminders,
    ...readStamps(sorted, status, context),
  }
  const kept = [...dates.kept, ...relationsKept, ...statusKept, ...sorted.rest, ...alarms.kept]
  return {
    uid,
    recurrence_id: readRecurrenceId(findFirst(sorted, 'RECURRENCE-ID'), context),
    members,
    ...relations,
    revision: findFirst(sorted, 'X-SATCHEL-REVISION')?.raw.slice(0, MAX_REVISION_UNITS) ?? null,
    priority_read: priority.priority_read,
    rest: keepRest(kept, warn),
    warnings: [...warnings.values()],
  }
}

function sortLines(lines: readonly string[], warn: Warn): SortedLines {
  const modelled = new Map<string, Property[]>()
  const [alarms, rest]: [string[][], string[]] = [[], []]
  for (const entry of splitEntries(lines, warn)) {
    if (Array.isArray(entry)) {
      if (entry[0] === 'BEGIN:VALARM') alarms.push(entry)
      else rest.push(entry.join('\n'))
      continue
    }
    const name = readPropertyName(entry) ?? ''
    const isModelled = MODELLED.has(name) || (name.startsWith(OURS) && !PLACE_PROPERTIES.has(name))
    if (!isModelled) rest.push(entry)
    else addModelled(modelled, name, entry, warn)
  }
  return { modelled, alarms, rest }
}

function addModelled(modelled: Map<string, Property[]>, name: string, line: string, warn: Warn): void {
  const property = readProperty(line)
  const before = modelled.get(name) ?? []
  if (!property) warn('unreadable_property', `${line.slice(0, 100)} cannot be read.`)
  else if (before.length > 0 && !LISTS.has(name)) warn('repeated_property', `${name} is there twice: the first counts.`)
  else if (before.push(property) === 1) modelled.set(name, before)
}

/** An invalid line after a DESCRIPTION continues it, since some programs write notes with bare line ends. */
function* splitEntries(lines: readonly string[], warn: Warn): Generator<string | string[]> {
  let [component, held]: [string[], string[]] = [[], []]
  let depth = 0
  for (const line of lines) {
    const [, bound] = BOUND.exec(line) ?? []
    if (held.length > 0 && readPropertyName(line) === null) {
      held.push(line)
      continue
    }
    if (held.length > 0) yield joinDescription(held, warn)
    held = []
    if (bound === 'BEGIN') depth++
    if (bound === undefined && (readPropertyName(line) === null || /^(BEGIN|END)[;:]/i.test(line)))
      warn('unreadable_line', `${line.slice(0, 100)} is not a line of a calendar.`)
    else if (depth > 0) component.push(line)
    else if (readPropertyName(line) === 'DESCRIPTION') held = [line]
    else yield line
    if (bound === 'END' && --depth === 0) {
      yield component
      component = []
    }
  }
  if (held.length > 0) yield joinDescription(held, warn)
}

function joinDescription(held: readonly string[], warn: Warn): string {
  if (held.length > 1) warn('repaired_line', 'DESCRIPTION has bare line ends: the lines after it were taken for notes.')
  return held.join('\\n')
}

function findFirst({ modelled }: SortedLines, name: string): Property | null {
  return modelled.get(name)?.[0] ?? null
}

function readUid(sorted: SortedLines, lines: readonly string[], warn: Warn): string {
  const uid = stripControls(readTextValue(findFirst(sorted, 'UID'))).trim()
  if (uid !== '' && uid.length <= MAX_UID_UNITS) return uid
  warn('uid_made', 'The item has no UID that can be kept: one was made from what it says.')
  const hash = new Bun.CryptoHasher('sha256')
  for (const line of lines) hash.update(line).update('\n')
  return hash.digest('hex').slice(0, 32)
}

function readRecurrenceId(property: Property | null, { zones, warn }: Context): ItemMoment | null {
  if (property?.params.range !== undefined)
    warn('range_ignored', 'RECURRENCE-ID with RANGE: it was taken for the one occurrence.')
  return property && readMoment(property, zones, warn)
}

function readTexts(sorted: SortedLines, warn: Warn): Pick<ItemMembers, 'title' | 'notes' | 'labels'> {
  const notes = stripControls(readTextValue(findFirst(sorted, 'DESCRIPTION')))
  const { title, above } = readTitle(readTextValue(findFirst(sorted, 'SUMMARY')), notes, warn)
  const labels = readLabels(sorted.modelled.get('CATEGORIES') ?? [], warn)
  return { title, notes: readItemNotes(above + notes, warn), labels }
}

/** Reads due date, start, recurrence and duration, and keeps the lines of an unsupported rule. */
function readDates(sorted: SortedLines, { zones, check, warn }: Context) {
  const moment = (name: string) => {
    const property = findFirst(sorted, name)
    return property && readMoment(property, zones, warn)
  }
  const dtstart = moment('DTSTART')
  const span = readSpan(findFirst(sorted, 'DURATION'), warn)
  const stated = moment('DUE') ?? (dtstart && span ? addSpan(dtstart, span, warn) : null)
  const rules = sorted.modelled.get('RRULE') ?? []
  const rdates = sorted.modelled.get('RDATE') ?? []
  const due = stated ?? (rules.length + rdates.length > 0 ? dtstart : null)
  if (due && !stated) warn('due_from_start', 'A task that repeats needs a due date: it is due when it starts.')
  // A start after the due date is dropped first: the rule must not count from it, since an export has no such start.
  const ruleStart = dropStartAfterDue(dtstart, due, warn)
  const exrules = sorted.modelled.get('EXRULE') ?? []
  const lines = {
    rules,
    rdates,
    exrules,
    exdates: sorted.modelled.get('EXDATE') ?? [],
    ours: listOwnProperties(sorted),
  }
  const { recurrence, kept } = readRepeat(lines, due, ruleStart, { zones, check, warn })
  const ownStart = due && moment('X-SATCHEL-START')
  // Satchel's own start counts, unless another program has changed DTSTART, which is written for it.
  const isCurrent = ownStart && (recurrence || !dtstart || isSameMoment(toKindOf(ownStart, due), dtstart))
  const start = isCurrent ? ownStart : recurrence && due && stated ? keepOwnStart(due, ruleStart) : ruleStart
  return {
    due,
    start: dropStartAfterDue(start, due, warn),
    duration_minutes: readDurationMinutes(readSpan(findFirst(sorted, 'X-SATCHEL-DURATION'), warn) ?? span, warn),
    recurrence,
    kept,
  }
}

function addSpan(begins: ItemMoment, span: { days: number; seconds: number }, warn: Warn): ItemMoment | null {
  const end = addDuration(begins, span)
  if (!end) warn('date_dropped', 'DTSTART and DURATION end beyond the dates that a task can have.')
  return end
}

function listOwnProperties({ modelled }: SortedLines): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>()
  for (const [name, [line]] of modelled) if (name.startsWith(OURS) && line) found.set(name.slice(OURS.length), line)
  return found
}

function readSpan(property: Property | null, warn: Warn): { days: number; seconds: number } | null {
  const span = property && readDuration(property.raw.trim())
  if (property && !span)
    warn('unreadable_property', `${property.name}:${property.raw.slice(0, 100)} is not a duration.`)
  return span
}

function readDurationMinutes(span: { days: number; seconds: number } | null, warn: Warn): number | null {
  if (!span) return null
  const minutes = span.days * 1440 + Math.round(span.seconds / 60)
  if (minutes >= 1 && minutes <= MAX_DURATION_MINUTES) return minutes
  warn('duration_dropped', `A duration of ${minutes} minutes is not between 1 and ${MAX_DURATION_MINUTES}.`)
  return null
}

function dropStartAfterDue(start: ItemMoment | null, due: ItemMoment | null, warn: Warn): ItemMoment | null {
  if (!start || !due || !isMomentAfter(start, due)) return start
  warn('start_dropped', `The start, ${start.date}, is after the due date, ${due.date}.`)
  return null
}

function readStamps(sorted: SortedLines, status: ItemMembers['status'], { zones, warn }: Context) {
  const stamp = (name: string): string | null => {
    const property = findFirst(sorted, name)
    const at = property && readIcalInstant(property, zones, warn)
    return at === null ? null : writeItemInstant(at)
  }
  return {
    created_at: stamp('CREATED'),
    updated_at: stamp('LAST-MODIFIED') ?? stamp('DTSTAMP'),
    completed_at: status === 'done' ? stamp('COMPLETED') : null,
    cancelled_at: status === 'cancelled' ? stamp('X-SATCHEL-CANCELLED') : null,
  }
}

type Relations = Pick<CalendarItem, 'parent_uid' | 'child_uids' | 'blocked_by_uids'>

/** Reads RELATED-TO: PARENT (the default), CHILD, and DEPENDS-ON of RFC 9253. Others are kept as they are. */
function readRelations(
  lines: readonly Property[],
  uid: string,
  warn: Warn,
): Relations & { readonly kept: readonly string[] } {
  const found = { PARENT: new Set<string>(), CHILD: new Set<string>(), 'DEPENDS-ON': new Set<string>() }
  const kept: string[] = []
  for (const property of lines) {
    const { line, params } = property
    const type = (params.reltype ?? 'PARENT').toUpperCase()
    const other = stripControls(readTextValue(property)).trim()
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
