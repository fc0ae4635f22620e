/** How study goes: asked once when it opens. */
import type { StudyStatistics } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { Header } from '../shell/controls'
import { addressOf } from '../shell/route'
import { useAnswer } from '../shell/use-answer'
import { locale, say, sayWith } from '../words/say'
import { Bars, Chart, HeatmapPicture } from './charts'
import { studyTimeInWords } from './intervals'
import { Loading } from './Loading'

/** The answer to a request for all parts. */
type All = { readonly [Name in keyof StudyStatistics]: NonNullable<StudyStatistics[Name]> }

const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const showDay = (day: string) => dayName.format(new Date(`${day}T00:00:00Z`))
const share = new Intl.NumberFormat(locale, { style: 'percent' })
const percent = (part: number | null) => (part === null ? '–' : share.format(part))
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

export function Statistics() {
  const { api } = useWorkspace()
  const asked = useAnswer((signal) => api.call<All>({ path: 'api/flashcards/stats', signal }))
  return (
    <div class="column study-statistics">
      <Header title={say`Statistics`}>
        <a href={addressOf('study')}>{say`Decks`}</a>
      </Header>
      <Loading of={asked}>
        {({ from, today, streak, heatmap, forecast, retention, hours }) => (
          <>
            <Figures today={today} streak={streak} />
            {streak.days_studied === 0 && (
              <p class="quiet">
                {sayWith`Nothing was answered yet. ${<a href={addressOf('study', ['go'])}>{say`Study some cards`}</a>}, and see here how it goes.`}
              </p>
            )}
            <Year heatmap={heatmap} from={from} />
            <Coming forecast={forecast} />
            <Recall retention={retention} />
            <TimesOfDay hours={hours} />
          </>
        )}
      </Loading>
    </div>
  )
}

function Figures({ today, streak }: Pick<All, 'today' | 'streak'>) {
  const figures = [
    [say`Answered today`, String(today.answered)],
    [say`Time today`, today.duration_ms < 60_000 ? say`<1 min` : studyTimeInWords(today.duration_ms)],
    [say`Left today`, String(today.left)],
    [say`Streak`, say`${streak.current} {day|days}`],
    [say`Longest streak`, say`${streak.longest} {day|days}`],
  ]
  return (
    <dl class="study-figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Year({ heatmap, from }: Pick<All, 'heatmap' | 'from'>) {
  const studied = heatmap.filter(({ count }) => count > 0)
  const answers = sum(studied.map(({ count }) => count))
  const summary = say`${answers} {answer|answers} on ${studied.length} {day|days} since ${showDay(from)} last year.`
  return (
    <Chart
      title={say`The last year`}
      summary={summary}
      head={[say`Day`, say`Answers`, say`Time`]}
      rows={studied.map(({ day, count, duration_ms }) => [day, count, studyTimeInWords(duration_ms)])}
    >
      <HeatmapPicture days={heatmap} label={say`Answers on each day of the last year: ${summary}`} />
    </Chart>
  )
}

function Coming({ forecast: { backlog, days } }: Pick<All, 'forecast'>) {
  const due = sum(days.map(({ count }) => count))
  const coming = say`${due} {card|cards} due in the next ${days.length} {day|days}.`
  const summary = backlog > 0 ? say`${coming} Late: ${backlog}.` : coming
  return (
    <Chart
      title={say`The next month`}
      summary={summary}
      head={[say`Day`, say`Cards due`]}
      rows={days.map(({ day, count }) => [day, count])}
    >
      <Bars
        label={say`Cards due on each day of the next month: ${summary}`}
        bars={days.map(({ day, count }) => ({ name: showDay(day), value: count, full: count }))}
      />
    </Chart>
  )
}

function Recall({ retention }: Pick<All, 'retention'>) {
  const groups = [
    { name: say`Young`, of: say`intervals below 21 days`, ...retention.young },
    { name: say`Mature`, of: say`intervals of 21 days and more`, ...retention.mature },
    { name: say`All`, of: say`all cards in review`, ...retention.all },
  ]
  const { retention: known, expected } = retention.all
  const summary =
    known === null
      ? say`Nothing came up for review yet.`
      : say`${percent(known)} of what came up was remembered; ${percent(expected)} was expected, which the line marks.`
  return (
    <Chart
      title={say`What was remembered`}
      summary={summary}
      head={[say`Cards`, say`Answers`, say`Remembered`, say`Expected`]}
      rows={groups.map(({ name, count, retention, expected }) => [name, count, percent(retention), percent(expected)])}
    >
      <ul class="study-recall">
        {groups.map(({ name, of, retention, expected }) => (
          <li key={name}>
            <span>{name}</span>
            <svg
              class="study-share"
              viewBox="0 0 100 10"
              preserveAspectRatio="none"
              role="img"
              aria-label={say`${name}, ${of}: ${percent(retention)} remembered, ${percent(expected)} expected`}
            >
              <rect class="study-level-0" width={100} height={10} />
              <rect class="study-full" width={100 * (retention ?? 0)} height={10} />
              {expected !== null && <rect class="study-mark" x={100 * expected - 0.25} width={0.5} height={10} />}
            </svg>
            <span>{percent(retention)}</span>
          </li>
        ))}
      </ul>
    </Chart>
  )
}

function TimesOfDay({ hours }: Pick<All, 'hours'>) {
  const busiest = hours.reduce((one, other) => (other.count > one.count ? other : one), {
    hour: 0,
    count: 0,
    correct: 0,
  })
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  const summary =
    busiest.count === 0
      ? say`No answers in the last year.`
      : say`Most answers are given from ${clock(busiest.hour)} on. The full bars are correct answers.`
  return (
    <Chart
      title={say`Times of day`}
      summary={summary}
      head={[say`Hour`, say`Answers`, say`Right`]}
      rows={hours.map(({ hour, count, correct }) => [clock(hour), count, count === 0 ? '–' : percent(correct / count)])}
    >
      <Bars
        label={say`Answers by the hour of the day: ${summary}`}
        bars={hours.map(({ hour, count, correct }) => ({ name: clock(hour), value: count, full: correct }))}
      />
    </Chart>
  )
}
