/** The hour that requests are counted in: that of the clock, or one that is held because the clock was set back. */

export const HOUR_MS = 3_600_000
/** So many hours a clock may fall behind the hour held; one that is further behind was ahead before. */
const HELD_HOURS = 2

/**
 * The hour to count in, in hours since 1970. A clock set back a little gives nobody a fresh hour: the newest one goes on
 * until the clock has passed it. Had the clock been ahead, that would freeze every limit for as long: it is followed.
 * @param held the hour that was counted in last
 * @param present the hour of the clock
 */
export function heldHour(held: number, present: number): number {
  return present < held - HELD_HOURS ? present : Math.max(held, present)
}
