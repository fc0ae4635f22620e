import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  getNextThinning,
  listRevisionsToErase,
  MAX_KEPT_VERSIONS,
  NEWEST_KEPT_VERSIONS,
} from '../../src/notes/revisions/history'
import type { VersionAge } from '../../src/notes/revisions/store'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Monday, at midnight. */
const NOW = Date.parse('2026-03-02T00:00:00.000Z')

/** Revision 1, then versions saved at these instants, then the newest that are always kept. */
function history(instants: readonly number[], labelled: readonly number[] = []): VersionAge[] {
  const newest = Array.from({ length: NEWEST_KEPT_VERSIONS }, () => NOW)
  return [instants[0] ?? NOW, ...instants, ...newest].map((updated_at, i) => ({
    revision: i + 1,
    updated_at,
    labelled: labelled.includes(i + 1),
  }))
}

/** A history with changes at these instants, such as `2026-03-01T10:09:59`, in UTC. */
const changedAt = (...instants: readonly string[]) => history(instants.map((one) => Date.parse(`${one}Z`)))

describe('thinning keeps', () => {
  // The instants are those of revisions 2, 3, …
  const table: [string, VersionAge[], number[]][] = [
    ['all of a note without changes', [{ revision: 1, updated_at: 0, labelled: false }], []],
    ['revision 1 and the newest 50, however old', history([]), []],
    [
      'the newest of each 10 minutes of the first day',
      history([HOUR, HOUR - 1, HOUR - 2, 30 * MINUTE].map((ago) => NOW - ago)),
      [2, 3],
    ],
    ['10 minutes apart over a border of the clock', changedAt('2026-03-01T10:09:59', '2026-03-01T10:10:00'), []],
    [
      'the newest of each day after that',
      changedAt('2026-02-20T00:00:00', '2026-02-20T23:59:59', '2026-02-21T00:00:00'),
      [2],
    ],
    [
      'the newest of each ISO week after 30 days',
      changedAt('2025-12-29T00:00:00', '2026-01-01T12:00:00', '2026-01-04T23:59:59', '2026-01-05T00:00:00'),
      [2, 3],
    ],
    [
      'what has a label',
      changedAt('2025-12-29T00:00:00', '2026-01-01T12:00:00', '2026-01-04T23:59:59').map((one, i) => ({
        ...one,
        labelled: i === 1,
      })),
      [3],
    ],
    ['what the clock, set back, dates in the future', history([NOW + DAY, NOW + DAY + 1]), [2]],
  ]
  test.each(table)('%s', (_, marks, thinned) => {
    expect(listRevisionsToErase(marks, NOW)).toEqual(thinned)
  })

  test('at most 1,000: of more than that the oldest go, but for revision 1 and labelled ones', () => {
    const weeks = Array.from({ length: 1200 }, (_, i) => NOW - (1300 - i) * 7 * DAY)
    const marks = history(weeks, [3])
    const gone = new Set(listRevisionsToErase(marks, NOW))
    const kept = marks.filter(({ revision }) => !gone.has(revision)).map(({ revision }) => revision)
    expect(kept).toHaveLength(MAX_KEPT_VERSIONS)
    expect(kept.slice(0, 3)).toEqual([1, 3, 254])
  })
})

/** Histories of up to 300 versions over 100 days: many to a span, some apart; the clock may run backwards at times. */
const histories = fc
  .array(
    fc.record({
      after: fc.oneof(fc.integer({ min: -HOUR, max: 20 * MINUTE }), fc.integer({ min: 0, max: 12 * HOUR })),
      labelled: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 300, size: 'max' },
  )
  .map((steps) => {
    let clock = NOW - 100 * DAY
    return steps.map(({ after, labelled }, i): VersionAge => {
      clock += after
      return { revision: i + 1, updated_at: clock, labelled }
    })
  })
const ages = fc.integer({ min: 0, max: 150 * DAY }).map((age) => NOW - 100 * DAY + age)
const without = (marks: readonly VersionAge[], gone: readonly number[]) => {
  const erased = new Set(gone)
  return marks.filter(({ revision }) => !erased.has(revision))
}

/** The history as a clock that never goes back would have written it. */
function onwards(marks: readonly VersionAge[]): VersionAge[] {
  let latest = 0
  return marks.map((mark) => {
    latest = Math.max(latest, mark.updated_at)
    return { ...mark, updated_at: latest }
  })
}

describe('for any history, thinning', () => {
  test('never takes revision 1, a labelled one or one of the newest 50', () => {
    fc.assert(
      fc.property(histories, ages, (marks, now) => {
        const gone = new Set(listRevisionsToErase(marks, now))
        const never = marks.filter(({ revision, labelled }, i) => revision === 1 || labelled || i >= marks.length - 50)
        expect(never.filter(({ revision }) => gone.has(revision))).toEqual([])
      }),
    )
  })

  test('comes to the same end if it is interrupted anywhere', () => {
    fc.assert(
      fc.property(histories, ages, fc.nat(300), (marks, now, done) => {
        const all = listRevisionsToErase(marks, now)
        expect(listRevisionsToErase(without(marks, all.slice(0, done)), now)).toEqual(all.slice(done))
      }),
    )
  })

  test('takes at any time only what it would take later as well', () => {
    fc.assert(
      fc.property(histories, ages, fc.integer({ min: 0, max: 60 * DAY }), (marks, now, later) => {
        const then = new Set(listRevisionsToErase(marks, now + later))
        expect(listRevisionsToErase(marks, now).filter((revision) => !then.has(revision))).toEqual([])
      }),
    )
  })

  test('does not depend on how often it ran, nor on versions that came meanwhile', () => {
    fc.assert(
      fc.property(histories, ages, fc.integer({ min: 0, max: 60 * DAY }), fc.nat(300), (marks, now, later, known) => {
        const early = listRevisionsToErase(marks.slice(0, known), now)
        const stepwise = without(without(marks, early), listRevisionsToErase(without(marks, early), now + later))
        expect(stepwise).toEqual(without(marks, listRevisionsToErase(marks, now + later)))
      }),
    )
  })

  test('leaves a version of every 10 minutes, day and week that had one', () => {
    fc.assert(
      fc.property(histories, ages, (written, now) => {
        // A clock set back can put the newest version of a span before the edge that this property looks at.
        const marks = onwards(written)
        const kept = without(marks, listRevisionsToErase(marks, now))
        const spans = (list: readonly VersionAge[], span: number) =>
          new Set(list.map((mark) => Math.floor(mark.updated_at / span)))
        const same = (span: number, which: (mark: VersionAge) => boolean) =>
          expect(spans(kept.filter(which), span)).toEqual(spans(marks.filter(which), span))
        same(10 * MINUTE, ({ updated_at }) => updated_at > now - DAY)
        same(DAY, ({ updated_at }) => updated_at > now - 30 * DAY)
        const week = ({ updated_at }: VersionAge) => Math.floor((updated_at / DAY + 3) / 7)
        expect(new Set(kept.map(week))).toEqual(new Set(marks.map(week)))
      }),
    )
  })

  test('has nothing to do before the instant that it asks for', () => {
    fc.assert(
      fc.property(histories, ages, fc.nat(), (marks, now, wait) => {
        const kept = without(marks, listRevisionsToErase(marks, now))
        const next = getNextThinning(kept, now)
        if (next === null) expect(listRevisionsToErase(kept, now + wait)).toEqual([])
        else {
          expect(next).toBeGreaterThan(now)
          expect(listRevisionsToErase(kept, Math.min(now + wait, next - 1))).toEqual([])
        }
      }),
    )
  })
})
