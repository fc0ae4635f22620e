import ICAL from 'ical.js'
import { offsetAt } from '../../../src/lib/civil/zone'
import { writeVtimezone } from '../../../src/lib/ical/zones'

const HOUR = 3_600_000

/** A VTIMEZONE of ours as ical.js understands it. */
export function readZone(zone: string, first: number, last: number): ICAL.Timezone {
  const component = new ICAL.Component(ICAL.parse(writeVtimezone(zone, first, last).join('\r\n')))
  return new ICAL.Timezone({ component, tzid: zone })
}

/** Seconds that a zone as ical.js understands it is ahead of UTC at what its clocks show at an instant. */
export function offsetRead(timezone: ICAL.Timezone, zone: string, at: number): number {
  const shown = new Date(at + offsetAt(at, zone))
  const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth() + 1, shown.getUTCDate()]
  const [hour, minute, second] = [shown.getUTCHours(), shown.getUTCMinutes(), shown.getUTCSeconds()]
  return timezone.utcOffset(new ICAL.Time({ year, month, day, hour, minute, second, isDate: false }, timezone))
}

/** Instants, at most six hours before each change of a zone's clocks. */
export function* changesOf(zone: string, from: number, to: number): Generator<number> {
  for (let at = from; at < to; at += 6 * HOUR) if (offsetAt(at, zone) !== offsetAt(at + 6 * HOUR, zone)) yield at
}
