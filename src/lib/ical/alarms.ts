import { readIcalInstant, writeItemInstant } from './dates'
import { type ItemReminder, MAX_REMINDERS, type Property, type Warn } from './item'
import { readDuration, readProperty, readPropertyName } from './properties'
import type { Zones } from './zones'

/** The minutes of a reminder before (negative) and after its base. */
const OFFSET_MINUTES = { min: -525_600, max: 1440 }
/** The instants of reminders: the years 1900 to 2200. Some programs write 1601 or 4501 to mean none. */
const INSTANTS_MS = { min: Date.UTC(1900, 0, 1), max: Date.UTC(2201, 0, 1) - 1 }

export interface Alarms {
  readonly reminders: readonly ItemReminder[]
  /** VALARMs that Satchel has no reminder for, whole. */
  readonly kept: readonly string[]
}

/** The bases that the item has for relative reminders. */
export interface Bases {
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
