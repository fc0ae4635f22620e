/** Splits a calendar by its BEGIN and END lines, without parsing, so that a broken item does not affect the others. */

/** Lines of one item. */
const MAX_LINES = 20_000
export const MAX_DEPTH = 4
/** Time zones of a file that are read; further ones are ignored. */
const MAX_ZONES = 1000
/** Kinds of skipped components that are counted separately; all others are counted together. */
const MAX_KINDS = 100
const OTHERS = 'OTHERS'
/** Components that cannot nest: if one begins while another is open, the other has no end. */
const COMPONENTS = new Set(['VTODO', 'VEVENT', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE', 'VAVAILABILITY'])

/** The unfolded lines between BEGIN:VTODO and END:VTODO. `line` is its first line in the file, from 1. */
export interface CutTodo {
  readonly line: number
  readonly lines: readonly string[]
}

/** An item that cannot be read. Codes: unclosed_component, misplaced_end, too_deep, too_many_lines. */
export interface CutFault {
  readonly line: number
  readonly code: string
  readonly detail: string
}

export interface CutSummary {
  /** The number of components of other kinds, such as `{ VEVENT: 3 }`; VTIMEZONE is not counted. */
  readonly skipped: Readonly<Record<string, number>>
  /** TZID to X-LIC-LOCATION, from the VTIMEZONEs. */
  readonly locations: ReadonlyMap<string, string>
  readonly truncated: boolean
}

/** Thrown when a file is refused as a whole. Codes: not_a_calendar. */
export class CalendarFault extends Error {
  constructor(
    readonly code: string,
    detail: string,
  ) {
    super(detail)
    this.name = 'CalendarFault'
  }
}

interface Open {
  readonly kind: string
  readonly line: number
  readonly lines: string[]
  readonly inner: string[]
  fault: Omit<CutFault, 'line'> | null
}

/**
 * Splits text whose lines end in LF, as `decodeCalendar` returns it. Yields the items one at a time, in the order of
 * the file, and returns the summary. @throws CalendarFault at the end
 */
export function* cutCalendar(text: string): Generator<CutTodo | CutFault, CutSummary> {
  const cutter = new Cutter()
  let [at, line] = [0, 1]
  while (at < text.length) {
    const { end, lines } = findLogicalLine(text, at)
    cutter.take(text, at, end, line)
    yield* cutter.finished.splice(0)
    at = end + 1
    line += lines
  }
  const rest = cutter.finish()
  yield* cutter.finished.splice(0)
  return rest
}

/** Finds the end of a line that may be folded, and the number of physical lines. */
function findLogicalLine(text: string, at: number): { end: number; lines: number } {
  let lines = 1
  let end = text.indexOf('\n', at)
  while (end !== -1 && (text[end + 1] === ' ' || text[end + 1] === '\t')) {
    end = text.indexOf('\n', end + 1)
    lines++
  }
  return { end: end === -1 ? text.length : end, lines }
}

class Cutter {
  readonly finished: (CutTodo | CutFault)[] = []
  private readonly skipped: Record<string, number> = {}
  private readonly locations = new Map<string, string>()
  private calendars = 0
  private begun = false
  private open: Open | null = null

  take(text: string, at: number, end: number, line: number): void {
    const bound = /^(BEGIN|END):[ \t]*([A-Z0-9-]{1,64})[ \t]*$/i.exec(text.slice(at, Math.min(end, at + 80)))
    const name = (bound?.[2] ?? '').toUpperCase()
    if (!bound) this.keep(text, at, end)
    else if (bound[1]?.toUpperCase() === 'BEGIN') this.begin(name, line)
    else this.end(name)
  }

  finish(): CutSummary {
    this.closeUnended()
    if (!this.begun) throw new CalendarFault('not_a_calendar', 'The file holds no line BEGIN:VCALENDAR.')
    const { skipped, locations } = this
    return { skipped, locations, truncated: this.calendars > 0 }
  }

  private begin(name: string, line: number): void {
    if (name === 'VCALENDAR') {
      this.closeUnended()
      this.begun = true
      this.calendars++
      return
    }
    if (COMPONENTS.has(name)) this.closeUnended()
    if (this.open) this.nest(this.open, name)
    else this.openUp(name, line)
  }

  private nest(open: Open, name: string): void {
    if (open.inner.length < MAX_DEPTH) open.inner.push(name)
    else open.fault ??= { code: 'too_deep', detail: `Components lie more than ${MAX_DEPTH} deep in each other.` }
    this.push(`BEGIN:${name}`)
  }

  private openUp(kind: string, line: number): void {
    if (COMPONENTS.has(kind)) this.begun = true
    this.open = { kind, line, lines: [], inner: [], fault: null }
    if (kind !== 'VTODO' && kind !== 'VTIMEZONE') this.skip(kind)
  }

  private skip(kind: string): void {
    const isListed = kind in this.skipped || Object.keys(this.skipped).length < MAX_KINDS
    const name = isListed ? kind : OTHERS
    this.skipped[name] = (this.skipped[name] ?? 0) + 1
  }

  private end(name: string): void {
    if (name === 'VCALENDAR') {
      this.closeUnended()
      this.calendars = Math.max(0, this.calendars - 1)
      return
    }
    const { open } = this
    if (open?.kind === name) this.close(open)
    else if (open) this.unnest(open, name)
  }

  private unnest(open: Open, name: string): void {
    if (open.inner.at(-1) === name) open.inner.pop()
    else open.fault ??= { code: 'misplaced_end', detail: `END:${name} comes where nothing of that name is open.` }
    this.push(`END:${name}`)
  }

  private close(open: Open): void {
    if (open.inner.length > 0)
      open.fault ??= { code: 'unclosed_component', detail: `${open.inner.at(-1)} begins and does not end.` }
    this.open = null
    if (open.kind === 'VTIMEZONE') this.learnZone(open.lines)
    if (open.kind !== 'VTODO') return
    this.finished.push(open.fault ? { line: open.line, ...open.fault } : { line: open.line, lines: open.lines })
  }

  private closeUnended(): void {
    const { open } = this
    if (!open) return
    open.fault ??= { code: 'unclosed_component', detail: `${open.kind} begins and does not end.` }
    this.close(open)
  }

  private keep(text: string, at: number, end: number): void {
    const { open } = this
    if (!open || end === at || (open.kind !== 'VTODO' && open.kind !== 'VTIMEZONE')) return
    const raw = text.slice(at, end)
    this.push(raw.includes('\n') ? raw.replace(/\n[ \t]/g, '') : raw)
  }

  private push(line: string): void {
    const { open } = this
    if (!open) return
    if (open.lines.length < MAX_LINES) open.lines.push(line)
    else open.fault ??= { code: 'too_many_lines', detail: `The item has more than ${MAX_LINES} lines.` }
  }

  private learnZone(lines: readonly string[]): void {
    const value = (name: string) =>
      lines.find((line) => line.slice(0, name.length + 1).toUpperCase() === `${name}:`)?.slice(name.length + 1, 300)
    const [tzid, location] = [value('TZID'), value('X-LIC-LOCATION')]
    if (tzid && location && this.locations.size < MAX_ZONES) this.locations.set(tzid.trim(), location.trim())
  }
}
