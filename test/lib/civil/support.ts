import { instantOf, isZone } from '../../../src/lib/civil/zone'

const HALF_HOUR = 1800
const DAY = 86_400

/** What test/slow/zone-oracle.py wrote of one zone: rows of a civil time and the way to the instants from it on. */
export interface ZoneRows {
  readonly zone: string
  readonly rows: readonly (readonly number[])[]
}

/** Reads the oracle's lines; one that is a string alone is a remark. */
export function readZones(lines: string): ZoneRows[] {
  return lines
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter((row) => Array.isArray(row))
    .map(([zone, ...rows]) => ({ zone, rows }))
    .filter(({ zone }) => isZone(zone))
}

/** Civil times of a zone that are another instant for us, and how many there were. */
export function compare({ zone, rows }: ZoneRows): { compared: number; differ: string[] } {
  const times = rows.flatMap(([start = 0, ...ways]) =>
    ways.map((way, i) => ({ wall: start + i * HALF_HOUR, at: (start + i * HALF_HOUR + way) * 1000 })),
  )
  const differ = times.filter(({ wall, at }) => {
    const day = Math.floor(wall / DAY)
    return instantOf(day, (wall - day * DAY) / 60, zone) !== at
  })
  return { compared: times.length, differ: differ.map(({ wall }) => new Date(wall * 1000).toISOString().slice(0, 16)) }
}
