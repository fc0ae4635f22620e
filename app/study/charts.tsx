/** Pictures of numbers, each with the same numbers as a table. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../words/say'
import { type HeatmapDay, layOutHeatmap } from './heatmap'

interface ChartProps {
  readonly title: string
  /** What the picture shows, in a sentence. */
  readonly summary: string
  readonly children: ComponentChildren
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** A picture with its title, a sentence that says it, and its numbers. */
export function Chart({ title, summary, children, head, rows }: ChartProps) {
  return (
    <figure class="study-chart">
      <figcaption>
        <h2>{title}</h2>
        <p class="quiet">{summary}</p>
      </figcaption>
      {children}
      <details>
        <summary class="fine">{say`The numbers`}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll it */}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls */}
        <div class="study-table" tabIndex={0} role="group" aria-label={say`${title}: the numbers`}>
          <table>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, ...values]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {values.map((value, index) => (
                    <td key={head[index + 1]}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const CELL = 11
const GAP = 2
const TOP = 16

/** A year of days, a column for each week. It scrolls where it does not fit; the last week is seen first. */
export function HeatmapPicture({ days, label }: { days: readonly HeatmapDay[]; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const { cells, columns, months } = layOutHeatmap(days)
  useEffect(() => {
    if (box.current) box.current.scrollLeft = box.current.scrollWidth
  }, [days])
  const step = CELL + GAP
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll it
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls
    <div class="study-heatmap" ref={box} tabIndex={0} role="group" aria-label={say`The last year`}>
      <svg class="study-year" width={columns * step} height={TOP + 7 * step} role="img" aria-label={label}>
        {months.map(({ column, name }) => (
          <text key={column} x={column * step} y={TOP - 5}>
            {name}
          </text>
        ))}
        {cells.map(({ day, count, column, row, level }) => (
          <rect
            key={day}
            class={`study-level-${level}`}
            x={column * step}
            y={TOP + row * step}
            width={CELL}
            height={CELL}
            rx={2}
          >
            <title>{`${day}: ${count}`}</title>
          </rect>
        ))}
      </svg>
    </div>
  )
}

export interface Bar {
  readonly name: string
  readonly value: number
  /** The part of the value drawn full; the rest is pale. */
  readonly full: number
}

/** Upright bars with the names of the first, the middle and the last below. They are as wide as the page lets them. */
export function Bars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const named = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)]
  return (
    <>
      <svg
        class="study-bars"
        viewBox={`0 0 ${bars.length * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {bars.map(({ name, value, full }, index) => {
          const [height, inner] = [(100 * value) / highest, (100 * full) / highest]
          return (
            <g key={name}>
              <title>{`${name}: ${value}`}</title>
              <rect class="study-pale" x={index * 10 + 1} y={100 - height} width={8} height={height} />
              <rect class="study-full" x={index * 10 + 1} y={100 - inner} width={8} height={inner} />
            </g>
          )
        })}
      </svg>
      <p class="study-axis fine" aria-hidden="true">
        {named.map((bar, index) => (
          <span key={index}>{bar?.name}</span>
        ))}
      </p>
    </>
  )
}
