/** The requests of each hour as bars, with the same as a table. */
import { scaleOf } from '../../public/chart.js'
import type { Usage } from '../api/types'

type Hour = Usage['history'][number]

/** Height of the drawing in its own units; a bar of more than nothing is at least LEAST high. */
const HEIGHT = 100
const LEAST = 2
/** Hours before now that have no label, so that “now” has room. */
const ROOM = 9

const count = new Intl.NumberFormat('en')
const hourName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })

/** @param hours oldest first */
export function Chart({ hours }: { hours: readonly Hour[] }) {
  const { step, top } = scaleOf(Math.max(0, ...hours.map(({ used, refused }) => used + refused)))
  const steps = Array.from({ length: top / step + 1 }, (_, number) => number * step)
  const busy = hours.filter(({ used, refused }) => used + refused > 0).toReversed()
  return (
    <figure class="hours-chart">
      <figcaption>
        Requests of the last {hours.length} hours: {sumInWords(hours)}
      </figcaption>
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
            <span key={value}>{count.format(value)}</span>
          ))}
        </div>
        <div class="labels">
          {labelsOf(hours).map(({ place, words }) => (
            <span key={place} style={{ insetInlineStart: `${(100 * place) / hours.length}%` }}>
              {words}
            </span>
          ))}
          <span class="now">now</span>
        </div>
      </div>
      {busy.length > 0 && (
        <details>
          <summary>As a table</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                <th scope="col">Served</th>
                <th scope="col">Refused</th>
              </tr>
            </thead>
            <tbody>
              {busy.map(({ hour, used, refused }) => (
                <tr key={hour}>
                  <th scope="row">{hourName.format(new Date(hour))}</th>
                  <td>{count.format(used)}</td>
                  <td>{count.format(refused)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </figure>
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

/** The hours of the reader's day that are named below the bars: midnight by its weekday, noon by the clock. */
export function labelsOf(hours: readonly Pick<Hour, 'hour'>[]): { place: number; words: string }[] {
  return hours.flatMap(({ hour }, place) => {
    const start = new Date(hour)
    if (start.getHours() % 12 !== 0 || place > hours.length - ROOM) return []
    return [{ place, words: (start.getHours() === 12 ? clock : weekday).format(start) }]
  })
}

/** Such as “120 served, 3 refused”. */
export function sumInWords(hours: readonly Hour[]): string {
  const used = hours.reduce((sum, hour) => sum + hour.used, 0)
  const refused = hours.reduce((sum, hour) => sum + hour.refused, 0)
  if (used + refused === 0) return 'none'
  return `${count.format(used)} served${refused > 0 ? `, ${count.format(refused)} refused` : ''}`
}
