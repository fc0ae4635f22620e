/** Rules and zones against what Python gives for them: its dateutil 2.9 (Debian's package `python3-dateutil`) and its zones. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { compare, readZones } from '../lib/civil/support'
import { differing, readRows } from '../lib/recurrence/support'

async function oracle(script: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn(['python3', join(import.meta.dir, script), ...args])
  const written = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return written
}

/**
 * Zones that are told otherwise by another version of the database: WET and EET are Lisbon and Athens since 2024b (kept
 * apart by builds with the old zones), and Moldova's hours since 2022 were corrected after 2025b.
 */
const OTHER_VERSION = ['EET', 'WET', 'Europe/Chisinau', 'Europe/Tiraspol']

test('100,000 random rules have the first 50 dates that python-dateutil gives', async () => {
  const halves = await Promise.all(['11', '12'].map((seed) => oracle('recurrence-oracle.py', 'omit', seed, '50000')))
  const rows = halves.flatMap(readRows)
  expect(rows).toHaveLength(100_000)
  expect(differing(rows, 'omit')).toEqual([])
})

test('10,000 rules of one day, moved back, are their BYSETPOS=-1 form under python-dateutil', async () => {
  const rows = readRows(await oracle('recurrence-oracle.py', 'backward', '13', '10000'))
  expect(rows).toHaveLength(10_000)
  expect(differing(rows, 'backward')).toEqual([])
})

test("civil times about every change of clocks, 1970 to 2037, are the instants of Python's zoneinfo", async () => {
  const zones = readZones(await oracle('zone-oracle.py'))
  expect(zones.length).toBeGreaterThan(400)
  const found = zones.map((rows) => ({ zone: rows.zone, ...compare(rows) }))
  expect(found.reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThan(300_000)
  const others = found.filter(({ zone, differ }) => differ.length > 0 && !OTHER_VERSION.includes(zone))
  expect(others.map(({ zone, differ }) => [zone, differ.slice(0, 3)])).toEqual([])
})
