import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { offsetAt } from '../../src/lib/civil/zone'
import { exported, readFile, write } from '../lib/ical/support'
import { exportTask } from '../lib/ical/tasks-arbitrary'
import { changesOf, offsetRead, readZone } from '../lib/ical/zone-reader'

/** The long forms of what test/lib/ical holds. */
const HOUR = 3_600_000

describe('calendar files, the long way', () => {
  test('20,000 tasks are the same after an export and an import', () => {
    fc.assert(
      fc.property(exportTask, (original) => {
        expect(readFile(write([original])).items.map(exported)).toEqual([original])
      }),
      { numRuns: 20_000 },
    )
  }, 600_000)

  test.each(Intl.supportedValuesOf('timeZone'))(
    'the VTIMEZONE of %s is the zone, around each change from 1973 to 2037',
    (zone) => {
      // Until 1972 Liberia's offset had seconds, which ical.js does not read.
      const timezone = readZone(zone, 1973, 2037)
      for (const change of changesOf(zone, Date.UTC(1973, 0, 4), Date.UTC(2037, 11, 31)))
        for (const at of [change - 72 * HOUR, change - 27 * HOUR, change + 33 * HOUR, change + 78 * HOUR])
          expect([at, offsetRead(timezone, zone, at)]).toEqual([at, offsetAt(at, zone) / 1000])
    },
    60_000,
  )
})
