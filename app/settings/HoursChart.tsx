/** The requests of each hour as bars, with the same as a table. */
import type { Usage } from '../api/types'
import { locale, say } from '../words/say'
import { labelsOf, scaleOf, sumInWords } from './words'

type Hour = Usage['history'][number]

/** Height of the drawing in its own units; a bar of more than nothing is at least LEAST high. */
const HEIGHT = 100
const LEAST = 2

const hourName = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: '2-digit', minute: '2-digit' })

/** @param hours oldest first */
export function HoursChart({ hours }: { hours: readonly Hour[] }) {
  const busy = hours.filter(({ used, refused }) => used + refused > 0).toReversed()
  return (
    <figure class="hours-chart">
      <figcaption>{say`Requests of the last ${hours.length} hours: ${sumInWords(hours)}`}</figcaption>
      <Plot hours={hours} />
      {busy.length > 0 && (
        <details>
          <summary>{say`As a table`}</summary>
          <HoursTable hours={busy} />
        </details>
      )}
    </figure>
  )
}

function Plot({ hours }: { hours: readonly Hour[] }) {
  const { step, top } = scaleOf(Math.max(0, ...hours.map(({ used, refused }) => used + refused)))
  const steps = Array.from({ length: top / step + 1 }, (_, number) => number * step)
  return (
    <div class="plot" aria-hidden="true">
      <svg aria-hidden="true" viewBox={`0 0 ${Math.max(1, hours.length)} ${HEIGHT}`} preserveAspectRatio="none">
        {steps.map((value) => (
          <path key={value} d={`M0 ${HEIGHT - (HEIGHT * value) / top}H${hours.length}`} />
        ))}
        {hours.map((hour, place) => (
          <Bar key={hour.hour} hour={hour} place={place} top={top} />
        ))}
      </svg>
      <div class="scale">
        {steps.toReversed().map((value) => (
          <span key={value}>{say`${value}`}</span>
        ))}
      </div>
      <div class="labels">
        {labelsOf(hours).map(({ place, words }) => (
          <span
            key={place}
            class={words.includes(':') ? 'noon' : ''}
            style={{ insetInlineStart: `${(100 * place) / hours.length}%` }}
          >
            {words}
          </span>
        ))}
        <span class="now">{say`now`}</span>
      </div>
    </div>
  )
}

/** @param top number of requests at the upper edge */
function Bar({ hour: { used, refused }, place, top }: { hour: Hour; place: number; top: number }) {
  const height = (value: number) => (value > 0 ? Math.max(LEAST, (HEIGHT * value) / top) : 0)
  const [low, high] = [height(used), height(refused)]
  return (
    <>
      {low > 0 && <rect x={place + 0.15} y={HEIGHT - low} width={0.7} height={low} />}
      {high > 0 && <rect class="refused" x={place + 0.15} y={HEIGHT - low - high} width={0.7} height={high} />}
    </>
  )
}

function HoursTable({ hours }: { hours: readonly Hour[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{say`Hour`}</th>
          <th scope="col">{say`Served`}</th>
          <th scope="col">{say`Refused`}</th>
        </tr>
      </thead>
      <tbody>
        {hours.map(({ hour, used, refused }) => (
          <tr key={hour}>
            <th scope="row">{hourName.format(new Date(hour))}</th>
            <td>{say`${used}`}</td>
            <td>{say`${refused}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
