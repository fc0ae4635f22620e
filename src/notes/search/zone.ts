/** Civil dates and the instants they begin at, in a time zone. */

const DAY = 86_400_000

/** The offset of a zone from UTC at an instant; both in milliseconds. */
export type Offset = (at: number) => number

/** Offsets of a time zone: an IANA name, checked by readZone. */
export function zoneOffset(name: string): Offset {
  if (name === 'UTC') return () => 0
  const format = formatIn(name)
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return (
      new Date(0).setUTCFullYear(year, month - 1, day) +
      ((hour * 60 + minute) * 60 + second) * 1000 -
      Math.floor(at / 1000) * 1000
    )
  }
}

function formatIn(name: string): Intl.DateTimeFormat {
  const numeric = 'numeric'
  return new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone: name,
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  })
}

/**
 * The instant at which a civil date begins in a zone. Where clocks skip midnight, it is the first instant after the
 * gap; where midnight comes twice, the first.
 * @param midnight the date's midnight in UTC, in milliseconds
 */
export function startOfDay(midnight: number, offset: Offset): number {
  const before = midnight - offset(midnight - DAY)
  const after = midnight - offset(midnight + DAY)
  const exact = [before, after].filter((at) => at + offset(at) === midnight)
  return exact.length > 0 ? Math.min(...exact) : before
}
