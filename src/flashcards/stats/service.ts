import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { fromDay } from '../../lib/civil/day'
import { loadDeck } from '../deck-tree'
import { requireDeckKeys } from '../filter/filter'
import { countQueue } from '../queue/service'
import { readStudy, type Study } from '../study'
import { countCollection, countForecast, listDeckKeys } from './collection'
import { listDays, listOffsets, readComingDays, readPastDays, type StudyDayRange } from './days'
import { forecastWork, UNKNOWN_WORK } from './forecast'
import { forEachPart } from './parts'
import { rmseOfAnswers } from './prediction'
import type {
  AskDeck,
  AskDeckDays,
  AskWorkload,
  Calibration,
  Distributions,
  Forecast,
  Heatmap,
  Hours,
  Retention,
  Streak,
  StudyToday,
  Workload,
} from './schema'
import {
  type AnswerCounts,
  BINS,
  type BinCount,
  countAnswers,
  countByDay,
  countByHour,
  countCalibration,
  countRetention,
  type RetentionCount,
} from './store'
import { streakOf } from './streak'
import { forecastWorkload, readRetentions } from './workload'

type Deps = Pick<Context, 'now'>

/** What every statistic reads first. */
interface StatisticsRequest {
  readonly study: Study
  /** The keys of the deck and its subdecks; null: all decks. */
  readonly decks: readonly number[] | null
}

export type StudyStatistics = ReturnType<typeof createStudyStatistics>

/**
 * Creates the statistics of studying. They only read. Each throws not_found for a deck and invalid_request for days.
 */
export function createStudyStatistics({ now }: Deps) {
  async function ask(session: Session, { deck_id }: AskDeck): Promise<StatisticsRequest> {
    const study = await readStudy(session, now())
    if (deck_id === undefined) return { study, decks: null }
    const decks = await requireDeckKeys(session, deck_id)
    // If the deck contains all others, reading the log of all decks is fastest.
    const isAll = decks.length === (await listDeckKeys(session)).length
    return { study, decks: isAll ? null : decks }
  }

  return {
    /** Returns what was answered on this study day, and how much of it is left. */
    async today(session: Session, query: AskDeck): Promise<StudyToday> {
      const { study, decks } = await ask(session, query)
      const { today } = study
      const { db, workspace } = session
      const sum: Mutable<AnswerCounts> = { answered: 0, again: 0, duration_ms: 0, new_seen: 0 }
      await forEachPart(session, { from: today, to: today }, decks, async (part) => {
        const counts = await countAnswers(db, workspace.id, part)
        for (const name of ['answered', 'again', 'duration_ms', 'new_seen'] as const) sum[name] += counts[name]
      })
      const left = await countQueue(session, study, await selectDeck(session, query))
      return { study_day: fromDay(today), ...sum, left: left.new + left.learning + left.review }
    },

    /** Counts answers and their success by hour of the day. */
    async hours(session: Session, query: AskDeckDays): Promise<Hours> {
      const { study, decks } = await ask(session, query)
      const days = readPastDays(query, study.today)
      const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, count: 0, correct: 0 }))
      await forEachPart(session, days, decks, async (part) => {
        const own = 'days' in part ? part.days : { from: part.from.day, to: part.to.day }
        const offsets = listOffsets(own, study.clock.time_zone)
        for (const found of await countByHour(session.db, session.workspace.id, part, offsets)) {
          const hour = hours[found.hour]
          if (hour) Object.assign(hour, { count: hour.count + found.count, correct: hour.correct + found.correct })
        }
      })
      return { ...shownDays(days), hours }
    },

    /** Returns the actual and the expected recall of cards that came up for review. */
    async retention(session: Session, query: AskDeckDays): Promise<Retention> {
      const { study, decks } = await ask(session, query)
      const days = readPastDays(query, study.today)
      const found: RetentionCount[] = []
      await forEachPart(session, days, decks, async (part) => {
        found.push(...(await countRetention(session.db, session.workspace.id, part)))
      })
      return {
        ...shownDays(days),
        young: retentionOf(found.filter(({ mature }) => mature === 0)),
        mature: retentionOf(found.filter(({ mature }) => mature === 1)),
        all: retentionOf(found),
      }
    },

    /** Returns how many cards become due on each study day, and the answers that will be given. */
    async forecast(session: Session, query: AskDeckDays): Promise<Forecast> {
      const { study, decks } = await ask(session, query)
      const days = readComingDays(query, study.today)
      const due = await countForecast(session, study, days, decks)
      const work = await forecastWork(session, study, days, await selectDeck(session, query))
      return { ...shownDays(days), ...due, days: due.days.map((day, i) => ({ ...day, ...(work[i] ?? UNKNOWN_WORK) })) }
    },

    /** Returns the runs of days on which something was answered. */
    async streak(session: Session, query: AskDeck): Promise<Streak> {
      const { study, decks } = await ask(session, query)
      const studied = new Set<number>()
      await forEachPart(session, { from: 0, to: study.today }, decks, async (part) => {
        for (const { day } of await countByDay(session.db, session.workspace.id, part)) studied.add(day)
      })
      return streakOf(studied, study.today)
    },

    /** Returns what each desired retention costs in the coming year. Throws invalid_request for retentions. */
    async workload(session: Session, query: AskWorkload): Promise<Workload> {
      const retentions = readRetentions(query.retentions)
      const study = await readStudy(session, now())
      return forecastWorkload(session, study, { selected: await selectDeck(session, query), retentions })
    },

    /** Returns how much was answered on each study day. */
    async heatmap(session: Session, query: AskDeckDays): Promise<Heatmap> {
      const { study, decks } = await ask(session, query)
      const days = readPastDays(query, study.today)
      const all = listDays(days).map((day) => ({ day: fromDay(day), count: 0, duration_ms: 0 }))
      await forEachPart(session, days, decks, async (part) => {
        for (const found of await countByDay(session.db, session.workspace.id, part)) {
          const day = all[found.day - days.from]
          if (day)
            Object.assign(day, { count: day.count + found.count, duration_ms: day.duration_ms + found.duration_ms })
        }
      })
      return { ...shownDays(days), days: all }
    },

    /** Returns how memory and intervals are distributed over the cards. */
    async distributions(session: Session, query: AskDeck): Promise<Distributions> {
      const { study, decks } = await ask(session, query)
      return countCollection(session, study, decks)
    },

    /** Returns how well the predicted chances of recall fit the outcomes. */
    async calibration(session: Session, query: AskDeckDays): Promise<Calibration> {
      const { study, decks } = await ask(session, query)
      const days = readPastDays(query, study.today)
      const found: BinCount[] = []
      await forEachPart(session, days, decks, async (part) => {
        found.push(...(await countCalibration(session.db, session.workspace.id, part)))
      })
      const count = sumOf(found, 'count')
      const bins = binsOf(found)
      const log_loss = rate(sumOf(found, 'loss'), count)
      const rmse_bins = await rmseOfAnswers(session, { days, decks, count })
      return { ...shownDays(days), count, log_loss, rmse_bins, bins }
    },
  }
}

async function selectDeck(session: Session, { deck_id }: AskDeck): Promise<number | null> {
  return deck_id === undefined ? null : (await loadDeck(session, deck_id)).key
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

function shownDays({ from, to }: StudyDayRange) {
  return { from: fromDay(from), to: fromDay(to) }
}

function retentionOf(found: readonly RetentionCount[]) {
  const [count, correct] = [sumOf(found, 'count'), sumOf(found, 'correct')]
  const expected = rate(sumOf(found, 'predicted_sum'), sumOf(found, 'predicted'))
  return { count, correct, retention: rate(correct, count), expected }
}

function binsOf(found: readonly BinCount[]): Calibration['bins'] {
  return Array.from({ length: BINS }, (_, bin) => {
    const own = found.filter((one) => one.bin === bin)
    const count = sumOf(own, 'count')
    const [predicted, observed] = [rate(sumOf(own, 'predicted_sum'), count), rate(sumOf(own, 'recalled'), count)]
    return { from: bin / BINS, count, predicted, observed }
  })
}

function sumOf<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0)
}

/** Returns the share, or null without data. */
function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
