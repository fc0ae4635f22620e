import { cutBytes, cutCodePoints } from '../text'
import { readIcalInstant, writeItemInstant } from './dates'
import {
  type CalendarItem,
  type ItemMembers,
  type ItemReminder,
  MAX_ITEM_LABEL_CHARS,
  MAX_ITEM_LABELS,
  MAX_ITEM_NOTES_BYTES,
  MAX_ITEM_TITLE_CHARS,
  MAX_REMINDERS,
  type Property,
  type Warn,
} from './item'
import { readDuration, readProperty, readPropertyName, unescapeText } from './properties'
import { splitList, stripControls, writeTextLine } from './text'
import type { Zones } from './zones'

const UNTITLED = 'Untitled'
const LINE_ENDS = /[\r\n\v\f\u0085\u2028\u2029]+/
/**
 * UTF-16 units of a label that are read: enough for its limit, even if each character is escaped or outside the BMP.
 */
const LABEL_UNITS = 1000
const MAX_CATEGORIES = 10_000

/** If the title was cut, `above` has the whole, for the notes. Without one, the first line of the notes is it. */
export function readTitle(summary: string, notes: string, warn: Warn): { title: string; above: string } {
  const line = joinLines(summary)
  if (line === '') {
    warn('title_made', 'The item has no SUMMARY.')
    return { title: cutCodePoints(readFirstLine(notes), MAX_ITEM_TITLE_CHARS).trim() || UNTITLED, above: '' }
  }
  if (line !== summary.trim()) warn('title_changed', 'A title is one line: its line ends became spaces.')
  if (cutCodePoints(line, MAX_ITEM_TITLE_CHARS) === line) return { title: line, above: '' }
  warn('title_cut', `The title is over ${MAX_ITEM_TITLE_CHARS} characters: it was cut, and the notes have all of it.`)
  return { title: `${cutCodePoints(line, MAX_ITEM_TITLE_CHARS - 1).trimEnd()}…`, above: `${line}\n\n` }
}

/** Cut at MAX_ITEM_NOTES_BYTES with a warning; null if there are none. */
export function readItemNotes(text: string, warn: Warn): string | null {
  const notes = cutBytes(text, MAX_ITEM_NOTES_BYTES)
  if (notes !== text) warn('notes_cut', 'The notes are over 64 KiB: they were cut there.')
  return notes === '' ? null : notes
}

/** Labels of all CATEGORIES, whatever the case; cut if long. Those beyond the limits are dropped with a warning. */
export function readLabels(lines: readonly Pick<Property, 'raw'>[], warn: Warn): string[] {
  const labels = new Map<string, string>()
  let [seen, dropped] = [0, 0]
  for (const escaped of listCategories(lines)) {
    if (seen++ === MAX_CATEGORIES) break
    const label = readLabel(escaped, warn)
    const key = label.toLowerCase()
    if (label === '' || labels.has(key)) continue
    if (labels.size < MAX_ITEM_LABELS) labels.set(key, label)
    else dropped++
  }
  if (dropped > 0 || seen > MAX_CATEGORIES) warn('labels_dropped', describeDropped(dropped, seen > MAX_CATEGORIES))
  return [...labels.values()]
}

function* listCategories(lines: readonly Pick<Property, 'raw'>[]): Generator<string> {
  for (const { raw } of lines) yield* splitList(raw)
}

function describeDropped(dropped: number, more: boolean): string {
  const rest = more ? `, and all after the first ${MAX_CATEGORIES} categories` : ''
  return `A task has at most ${MAX_ITEM_LABELS} labels: ${dropped} further${rest} were left out.`
}

function readLabel(escaped: string, warn: Warn): string {
  const whole = joinLines(unescapeText(escaped.slice(0, LABEL_UNITS)))
  const text = cutCodePoints(whole, MAX_ITEM_LABEL_CHARS)
  if (text !== whole || escaped.length > LABEL_UNITS)
    warn('label_cut', `${text.slice(0, 40)}… was cut at ${MAX_ITEM_LABEL_CHARS} characters.`)
  return text.trim()
}

function readFirstLine(text: string): string {
  return joinLines(text.split('\n', 20).find((line) => line.trim() !== '') ?? '')
}

/** Joins lines with single spaces, each trimmed by itself: one pattern around line ends would take quadratic time. */
function joinLines(text: string): string {
  const lines = text.split(LINE_ENDS).map((line) => stripControls(line).trim())
  return lines.filter((line) => line !== '').join(' ')
}

const STATUSES: Readonly<Record<string, ItemMembers['status']>> = {
  'NEEDS-ACTION': 'open',
  'IN-PROCESS': 'in_progress',
  COMPLETED: 'done',
  CANCELLED: 'cancelled',
}
export const WRITTEN_STATUSES = {
  open: 'NEEDS-ACTION',
  in_progress: 'IN-PROCESS',
  done: 'COMPLETED',
  cancelled: 'CANCELLED',
} as const satisfies Record<ItemMembers['status'], string>
/** PRIORITY 1 to 9 as Satchel's 1 (the most urgent) to 4. */
const PRIORITIES = [0, 1, 1, 2, 2, 3, 4, 4, 4, 4]

/** Reads the status, and keeps PERCENT-COMPLETE if it says more. Without STATUS, the other properties decide. */
export function readStatus(
  find: (name: string) => Property | null,
  warn: Warn,
): { status: ItemMembers['status']; kept: readonly string[] } {
  const [stated, percent, completed] = [find('STATUS'), find('PERCENT-COMPLETE'), find('COMPLETED')]
  const share = Number.parseInt(percent?.raw ?? '', 10)
  const between = share > 0 && share < 100
  const kept = percent && between ? [percent.line] : []
  const status = STATUSES[stated?.raw.trim().toUpperCase() ?? '']
  if (status) return { status, kept }
  if (stated) warn('unknown_status', `STATUS:${stated.raw.slice(0, 100)} is not a status of tasks.`)
  if (completed || share >= 100) return { status: 'done', kept }
  return { status: between ? 'in_progress' : 'open', kept }
}

export function readPriority(
  property: Property | null,
  warn: Warn,
): Pick<CalendarItem, 'priority_read'> & { priority: number } {
  if (!property) return { priority: 0, priority_read: null }
  const read = /^\d$/.test(property.raw.trim()) ? Number(property.raw) : null
  if (read === null) warn('unreadable_property', `PRIORITY:${property.raw.slice(0, 100)} is not 0 to 9.`)
  return { priority: PRIORITIES[read ?? 0] ?? 0, priority_read: read }
}

/**
 * Chooses the PRIORITY to write: the one that was read, if it still means the same, else 1, 3, 5 or 9; null for none.
 */
export function choosePriority(priority: number, read: number | null): number | null {
  if (read !== null && PRIORITIES[read] === priority) return read
  return [null, 1, 3, 5, 9][priority] ?? null
}

// The project and the section of a task, by name. No property of RFC 5545 has them.

const PROJECT = 'X-SATCHEL-PROJECT'
const SECTION = 'X-SATCHEL-SECTION'

/** The properties of a place. The lines of an item keep them, so that the next import knows where the file had it. */
export const PLACE_PROPERTIES: ReadonlySet<string> = new Set([PROJECT, SECTION])

export interface ItemPlace {
  /** Null: the project into which the file is imported. */
  readonly project: string | null
  readonly section: string | null
}

/** Writes a place; no lines for none, which is the inbox. */
export function writePlaceLines(place: ItemPlace | null): string[] {
  return [
    ...writeTextLine(`${PROJECT};VALUE=TEXT`, place?.project ?? null),
    ...writeTextLine(`${SECTION};VALUE=TEXT`, place?.section ?? null),
  ]
}

/** Reads the place from the lines that are kept of an item; null if they name none. */
export function readPlace(rest: string): ItemPlace | null {
  const [project, section] = [readName(rest, PROJECT), readName(rest, SECTION)]
  return project === null && section === null ? null : { project, section }
}

/** Reads a name, cut at the length of the name of a project. */
function readName(rest: string, property: string): string | null {
  const line = rest.includes(property)
    ? rest.split('\n').find((text) => readPropertyName(text) === property)
    : undefined
  if (line === undefined) return null
  const text = joinLines(unescapeText(line.slice(line.indexOf(':') + 1))).replace(/\p{Cc}/gu, '')
  return cutCodePoints(text, MAX_ITEM_LABEL_CHARS).trim() || null
}

/** The minutes of a reminder before (negative) and after its base. */
const OFFSET_MINUTES = { min: -525_600, max: 1440 }
/** The instants of reminders: the years 1900 to 2200. Some programs write 1601 or 4501 to mean none. */
const INSTANTS_MS = { min: Date.UTC(1900, 0, 1), max: Date.UTC(2201, 0, 1) - 1 }

interface Alarms {
  readonly reminders: readonly ItemReminder[]
  /** VALARMs that Satchel has no reminder for, whole. */
  readonly kept: readonly string[]
}

interface Bases {
  readonly due: boolean
  readonly start: boolean
}

/**
 * Reads the reminders of an item. Only the time is kept, not the sound, the text or the acknowledgement. An alarm at a
 * place, without a time, or outside of Satchel's limits is kept as a VALARM in the rest.
 * @param alarms the lines of each, from BEGIN:VALARM to END:VALARM
 */
export function readAlarms(alarms: readonly (readonly string[])[], bases: Bases, zones: Zones, warn: Warn): Alarms {
  const reminders = new Map<string, ItemReminder>()
  const kept: string[] = []
  for (const lines of alarms) {
    const reminder = readAlarm(lines, bases, zones, warn)
    const key = JSON.stringify(reminder)
    if (reminder && (reminders.has(key) || reminders.size < MAX_REMINDERS)) reminders.set(key, reminder)
    else {
      if (reminder) warn('reminders_kept', `More than ${MAX_REMINDERS} reminders: further ones are only kept.`)
      kept.push(lines.join('\n'))
    }
  }
  return { reminders: [...reminders.values()], kept }
}

function readAlarm(lines: readonly string[], bases: Bases, zones: Zones, warn: Warn): ItemReminder | null {
  const find = (name: string) => lines.find((line) => readPropertyName(line) === name)
  const trigger = find('X-SATCHEL-TRIGGER') ?? find('TRIGGER')
  // Apple's placeholder for "no alarm", and its alarms at a place, have meaningless times.
  if (find('X-APPLE-PROXIMITY') || /:NONE$/i.test(find('ACTION') ?? '')) return null
  const property = trigger === undefined ? null : readProperty(trigger)
  const reminder = property === null ? null : readTrigger(property, bases, zones, warn)
  if (!reminder) warn('reminder_kept', 'A VALARM without a time that Satchel can use is only kept.')
  return reminder
}

function readTrigger(trigger: Property, bases: Bases, zones: Zones, warn: Warn): ItemReminder | null {
  const duration = readDuration(trigger.raw.trim())
  if (!duration) {
    const at = /^\d{8}T\d{6}/.test(trigger.raw) ? readIcalInstant(trigger, zones, warn) : null
    if (at === null || at < INSTANTS_MS.min || at > INSTANTS_MS.max) return null
    return { at: writeItemInstant(at), offset_minutes: null, from: null }
  }
  const offset_minutes = duration.days * 1440 + Math.floor(duration.seconds / 60)
  const from = chooseBase(trigger.params.related, bases)
  if (from === null || offset_minutes < OFFSET_MINUTES.min || offset_minutes > OFFSET_MINUTES.max) return null
  return { at: null, offset_minutes, from }
}

/** Chooses the base. RELATED=START is the default of RFC 5545; a task with only a due date has no other base. */
function chooseBase(related: string | undefined, bases: Bases): 'due' | 'start' | null {
  const end = related?.toUpperCase() === 'END'
  if (bases.due && (end || !bases.start)) return 'due'
  return bases.start ? 'start' : null
}
