import { readIcalInstant, writeItemInstant } from './dates'
import { type ItemReminder, MAX_REMINDERS, type Property, type Warn } from './item'
import { readDuration, readProperty, readPropertyName } from './properties'
import type { Zones } from './zones'

/** Minutes before (negative) and after what a reminder counts from. */
const OFFSET_MINUTES = { min: -525_600, max: 1440 }
/** Instants of reminders: the years 1900 to 2200. Some programs write 1601 or 4501 for none. */
const INSTANTS_MS = { min: Date.UTC(1900, 0, 1), max: Date.UTC(2201, 0, 1) - 1 }

export interface Alarms {
  readonly reminders: readonly ItemReminder[]
  /** VALARMs that are no reminder of Satchel's, whole. */
  readonly kept: readonly string[]
}

/** What a relative reminder can count from in the item that is read. */
export interface Bases {
  readonly due: boolean
  readonly start: boolean
}

/**
 * The reminders of an item. A reminder keeps when it fires, nothing of its sound, text or acknowledgement; what fires
 * at a place or never, or outside of Satchel's limits, stays a VALARM in the rest.
 * @param alarms each from BEGIN:VALARM to END:VALARM
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
  // Apple's stand-in for "no alarm" and its alarms at a place have times that mean nothing.
  if (find('X-APPLE-PROXIMITY') || /:NONE$/i.test(find('ACTION') ?? '')) return null
  const property = trigger === undefined ? null : readProperty(trigger)
  const reminder = property === null ? null : readTrigger(property, bases, zones, warn)
  if (!reminder) warn('reminder_kept', 'A VALARM without a time that Satchel can use is only kept.')
  return reminder
}

function readTrigger(trigger: Property, bases: Bases, zones: Zones, warn: Warn): ItemReminder | null {
  const duration = readDuration(trigger.raw.trim())
  if (!duration) {
    const at = /^\d{8}T\d{6}/.test(trigger.raw) ? readIcalInstant(readAsDateTime(trigger), zones, warn) : null
    if (at === null || at < INSTANTS_MS.min || at > INSTANTS_MS.max) return null
    return { at: writeItemInstant(at), offset_minutes: null, from: null }
  }
  const offset_minutes = duration.days * 1440 + Math.floor(duration.seconds / 60)
  const from = chooseBase(trigger.params.related, bases)
  if (from === null || offset_minutes < OFFSET_MINUTES.min || offset_minutes > OFFSET_MINUTES.max) return null
  return { at: null, offset_minutes, from }
}

/** RELATED=START is the default of RFC 5545; a task with a due date alone has nothing else to count from. */
function chooseBase(related: string | undefined, bases: Bases): 'due' | 'start' | null {
  const end = related?.toUpperCase() === 'END'
  if (bases.due && (end || !bases.start)) return 'due'
  return bases.start ? 'start' : null
}

/** Some leave out VALUE=DATE-TIME: then ical.js took the value for a duration. */
function readAsDateTime(trigger: Property): Property {
  return readProperty(`DTSTAMP${zoneParameter(trigger)}:${trigger.raw}`) ?? trigger
}

function zoneParameter({ params }: Property): string {
  return params.tzid === undefined ? '' : `;TZID="${params.tzid.replaceAll('"', '')}"`
}
