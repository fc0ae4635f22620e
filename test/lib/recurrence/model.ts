import type { RecurrenceRule, RuleDay, Skip } from '../../../src/lib/recurrence/rule'

/**
 * RFC 5545 by its words, a day at a time with Date: whether a rule with INTERVAL=1 and without BYSETPOS, COUNT and UNTIL
 * has an occurrence on a day. Slow, and sharing nothing with the expander.
 */

const MS = 86_400_000

interface Day {
  readonly year: number
  /** 1..12 */
  readonly month: number
  /** 1..31 */
  readonly date: number
  /** 0 is Monday. */
  readonly weekday: number
  /** Of the month, and of the year. */
  readonly lengths: { readonly month: number; readonly year: number }
  readonly yearDay: number
}

function read(day: number): Day {
  const at = new Date(day * MS)
  const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]
  const newYear = Date.UTC(year, 0, 1) / MS
  return {
    year,
    month,
    date,
    weekday: (at.getUTCDay() + 6) % 7,
    lengths: { month: new Date(Date.UTC(year, month, 0)).getUTCDate(), year: Date.UTC(year + 1, 0, 1) / MS - newYear },
    yearDay: day - newYear + 1,
  }
}

export function occursOn(rule: RecurrenceRule, anchor: number, skip: Skip, day: number): boolean {
  const [it, start] = [read(day), read(anchor)]
  const moves = skip === 'backward' && rule.freq !== 'DAILY'
  const open = [rule.byYearDay, rule.byMonthDay, rule.byDay, rule.byWeekNo].every((part) => part.length === 0)
  const monthly = rule.freq === 'MONTHLY' || rule.freq === 'YEARLY'
  const byMonth = open && rule.freq === 'YEARLY' && rule.byMonth.length === 0 ? [start.month] : rule.byMonth
  const byMonthDay = open && monthly ? [start.date] : rule.byMonthDay
  return (
    day >= anchor &&
    (byMonth.length === 0 || byMonth.includes(it.month)) &&
    (byMonthDay.length === 0 || isNamed(it.date, it.lengths.month, byMonthDay, moves)) &&
    (rule.byYearDay.length === 0 || isNamed(it.yearDay, it.lengths.year, rule.byYearDay, moves)) &&
    (rule.byWeekNo.length === 0 || weekIsNamed(rule, day)) &&
    weekdayFits(rule, it, start, open)
  )
}

function isNamed(place: number, length: number, named: readonly number[], moves: boolean): boolean {
  if (named.includes(place) || named.includes(place - length - 1)) return true
  return moves && place === length && named.some((one) => one > length)
}

/** Counts weeks from 1 by walking back to the start of the week that holds 4 January. */
function weekIsNamed({ byWeekNo, weekStart }: RecurrenceRule, day: number): boolean {
  const startOf = (year: number) => {
    let first = Date.UTC(year, 0, 4) / MS
    while (read(first).weekday !== weekStart) first -= 1
    return first
  }
  const { year } = read(day)
  const own = [year - 1, year, year + 1].findLast((one) => startOf(one) <= day) ?? year
  const [first, next] = [startOf(own), startOf(own + 1)]
  return isNamed(Math.floor((day - first) / 7) + 1, (next - first) / 7, byWeekNo, false)
}

function weekdayFits(rule: RecurrenceRule, it: Day, start: Day, open: boolean): boolean {
  const alone = rule.byWeekNo.length > 0 && [rule.byYearDay, rule.byMonthDay].every((part) => part.length === 0)
  if (rule.byDay.length > 0) return rule.byDay.some((named) => isNth(rule, it, named))
  return (rule.freq === 'WEEKLY' && open) || alone ? it.weekday === start.weekday : true
}

function isNth(rule: RecurrenceRule, it: Day, { weekday, nth }: RuleDay): boolean {
  if (it.weekday !== weekday) return false
  const ofYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const [place, length] = ofYear ? [it.yearDay, it.lengths.year] : [it.date, it.lengths.month]
  return nth === 0 || nth === Math.ceil(place / 7) || nth === -Math.ceil((length - place + 1) / 7)
}
