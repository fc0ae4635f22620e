import { isZone } from '../../lib/civil/zone'
import { windowsZone } from './windows-zones'

/** Gives the IANA zone that a TZID means, or null. */
export type Zones = (tzid: string) => string | null

/** TZIDs of one file that are looked up; each costs a question to the platform. */
const MAX_TZIDS = 1000

/**
 * The zones of one file. A TZID is an IANA name, or its VTIMEZONE has one in X-LIC-LOCATION, or it is a Windows name,
 * or its end is an IANA name, as in `/mozilla.org/20050126_1/Europe/Berlin`.
 * @param locations TZID to X-LIC-LOCATION
 */
export function createZones(locations: ReadonlyMap<string, string>): Zones {
  const known = new Map<string, string | null>()
  return (tzid) => {
    const name = tzid.slice(0, 300).trim()
    const found = known.get(name)
    if (found !== undefined) return found
    const zone = known.size < MAX_TZIDS ? zoneOf(name, locations.get(name)) : null
    known.set(name, zone)
    return zone
  }
}

function zoneOf(tzid: string, location: string | undefined): string | null {
  const name = tzid.replace(/^"|"$/g, '')
  return iana(name) ?? (location === undefined ? null : iana(location)) ?? windowsZone(name) ?? pathEnd(name)
}

function iana(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name) || !isZone(name)) return null
  return /^(etc\/)?(utc|zulu|uct)$/i.test(name) ? 'UTC' : name
}

function pathEnd(name: string): string | null {
  const parts = name.split('/')
  for (let count = Math.min(3, parts.length - 1); count > 0; count--) {
    const zone = iana(parts.slice(-count).join('/'))
    if (zone) return zone
  }
  return null
}
