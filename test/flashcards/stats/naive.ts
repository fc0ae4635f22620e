import { type StudyClock, studyDay } from '../../../src/flashcards/scheduling/study-day'
import type { CardColumns, ReviewColumns } from '../log-rows'

/** Every statistic counted the plain way: one look at each row. */

export interface Counted {
  readonly clock: StudyClock
  readonly now: number
  readonly cards: readonly CardColumns[]
  readonly reviews: readonly ReviewColumns[]
}

const DAY = 86_400_000
export const dayText = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => (values.length === 0 ? null : sum(values) / values.length)
const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

function answersOf({ reviews }: Counted, from: number, to: number): ReviewColumns[] {
  return reviews.filter(
    ({ undone_at, rating, study_day: day }) => undone_at === null && rating !== null && day >= from && day <= to,
  )
}

const duration = (answers: readonly ReviewColumns[]) =>
  sum(answers.map(({ duration_ms }) => Math.min(duration_ms, 60_000)))
const correct = (answers: readonly ReviewColumns[]) => answers.filter(({ rating }) => rating !== 1).length

const todayOf = ({ now, clock }: Counted) => studyDay(now, clock)
const living = ({ cards }: Counted) => cards.filter(({ deleted_at }) => deleted_at === null)

export function today(all: Counted) {
  const day = todayOf(all)
  const answers = answersOf(all, day, day)
  return {
    answered: answers.length,
    again: answers.filter(({ rating }) => rating === 1).length,
    duration_ms: duration(answers),
    new_seen: new Set(answers.filter(({ was_new }) => was_new === 1).map(({ card }) => card)).size,
  }
}

export function hours(all: Counted, from: number, to: number) {
  const format = new Intl.DateTimeFormat('en', { timeZone: all.clock.time_zone, hour: '2-digit', hourCycle: 'h23' })
  const rows = span(0, 23).map((hour) => ({ hour, count: 0, correct: 0 }))
  for (const answer of answersOf(all, from, to)) {
    const row = rows[Number(format.format(answer.reviewed_at))]
    if (!row) throw new Error('no such hour')
    row.count++
    if (answer.rating !== 1) row.correct++
  }
  return rows
}

export function retention(all: Counted, from: number, to: number) {
  const first = new Map<string, ReviewColumns>()
  const reviewed = answersOf(all, from, to).filter(
    ({ kind, interval_days }) => (kind === 'review' || kind === 'import') && interval_days >= 1,
  )
  for (const answer of reviewed.toSorted((a, b) => a.reviewed_at - b.reviewed_at)) {
    const place = `${answer.card} ${answer.study_day}`
    if (!first.has(place)) first.set(place, answer)
  }
  const rates = (answers: readonly ReviewColumns[]) => ({
    count: answers.length,
    correct: correct(answers),
    retention: answers.length === 0 ? null : correct(answers) / answers.length,
    expected: mean(answers.flatMap(({ predicted_retrievability: p }) => (p === null ? [] : [p]))),
  })
  const found = [...first.values()]
  return {
    young: rates(found.filter(({ interval_days }) => interval_days < 21)),
    mature: rates(found.filter(({ interval_days }) => interval_days >= 21)),
    all: rates(found),
  }
}

export function forecast(all: Counted, days: number) {
  const coming = living(all).filter(({ state, suspended }) => state !== 'new' && suspended === 0)
  const due = coming.map(({ due_day, due_at, buried_until }) =>
    Math.max(due_day ?? studyDay(due_at ?? 0, all.clock), buried_until ?? 0),
  )
  const today = todayOf(all)
  return {
    backlog: due.filter((day) => day < today).length,
    days: span(today, today + days - 1).map((day) => ({
      day: dayText(day),
      count: due.filter((one) => one === day).length,
    })),
  }
}

export function streak(all: Counted) {
  const today = todayOf(all)
  const studied = new Set(answersOf(all, Number.NEGATIVE_INFINITY, today).map(({ study_day }) => study_day))
  const upTo = (day: number): number => (studied.has(day) ? 1 + upTo(day - 1) : 0)
  const ends = [...studied].filter((day) => !studied.has(day + 1)).toSorted((a, b) => a - b)
  return {
    studied_today: studied.has(today),
    days_studied: studied.size,
    current: upTo(studied.has(today) ? today : today - 1),
    longest: Math.max(0, ...ends.map(upTo)),
    runs: ends.map((to) => ({ from: dayText(to - upTo(to) + 1), to: dayText(to), days: upTo(to) })),
  }
}

export function heatmap(all: Counted, from: number, to: number) {
  return span(from, to).map((day) => {
    const answers = answersOf(all, day, day)
    return { day: dayText(day), count: answers.length, duration_ms: duration(answers) }
  })
}
