import {
  type CheckRule,
  DATES,
  MAX_EXDATES,
  MAX_RRULE,
  type ItemMoment,
  type Property,
  type ItemRecurrence,
  type Warn,
} from './item'
import { dayOn, minutesBetween, readMoments } from './read-dates'
import type { Zones } from './read-zones'
import { writtenRule } from './write-repeat'

/** The lines of an item that speak of repeating, and the dates they speak of. */
export interface RepeatLines {
  readonly rules: readonly Property[]
  /** RDATE and EXRULE. */
  readonly others: readonly Property[]
  readonly exdates: readonly Property[]
  /** X-SATCHEL-RRULE, -SKIP, -MODE and -ANCHOR, by the name after X-SATCHEL-. */
  readonly ours: ReadonlyMap<string, Property>
}

/** A rule that Satchel cannot keep as one; its lines are kept as they are. */
export interface NoRepeat {
  readonly recurrence: null
  readonly kept: readonly string[]
}

export interface Repeat {
  readonly recurrence: ItemRecurrence
  readonly kept: readonly []
}

/**
 * How a task repeats. An RRULE of another program leaves out the days that a month lacks, unless RSCALE says otherwise.
 * @param start DTSTART as it stands there, from which others count; the task's own rule counts from `due`
 */
export function readRepeat(
  lines: RepeatLines,
  due: ItemMoment | null,
  start: ItemMoment | null,
  { zones, check, warn }: { readonly zones: Zones; readonly check: CheckRule; readonly warn: Warn },
): Repeat | NoRepeat {
  const [rule, ...more] = lines.rules
  const all = [...lines.rules, ...lines.others, ...lines.exdates].map(({ line }) => line)
  const none = (code: string, detail: string): NoRepeat => {
    warn(code, `${detail} The task does not repeat; the rule is kept for the next export.`)
    return { recurrence: null, kept: all }
  }
  if (!rule && lines.others.length === 0) return { recurrence: null, kept: all }
  if (!rule || more.length > 0 || lines.others.length > 0)
    return none('unsupported_recurrence', 'Satchel knows one RRULE, without RDATE and EXRULE.')
  if (!due) return none('recurrence_without_date', 'An RRULE needs a date to count from.')
  const checked = rule.raw.length > MAX_RRULE ? { problem: `It is over ${MAX_RRULE} characters.` } : check(rule.raw)
  if ('problem' in checked) return none('unsupported_recurrence', `${rule.raw.slice(0, 100)}: ${checked.problem}`)
  if (start && /;BY/i.test(rule.raw) && start.date !== due.date)
    return none('recurrence_from_start', 'The rule names the days of the start, and Satchel repeats by the due date.')
  const mode = ourValue(lines, 'MODE') === 'COMPLETION' ? 'completion' : 'schedule'
  const anchorLine = lines.ours.get('ANCHOR')
  const anchor = anchorLine && readMoments(anchorLine, zones, warn)[0]?.date
  const own = ownRule(lines, { raw: rule.raw, anchor: anchor ?? due.date, due }, check, checked)
  return { recurrence: { ...own, mode, exdates: readExdates(lines.exdates, due, zones, warn) }, kept: [] }
}

/** The rule as Satchel wrote it, if written again it gives the RRULE that stands there: else someone changed that since. */
function ownRule(
  lines: RepeatLines,
  { raw, anchor, due }: { readonly raw: string; readonly anchor: string; readonly due: ItemMoment },
  check: CheckRule,
  checked: Pick<ItemRecurrence, 'rrule' | 'skip'>,
): Pick<ItemRecurrence, 'rrule' | 'skip' | 'anchor'> {
  const skip = ourValue(lines, 'SKIP') === 'BACKWARD' ? 'backward' : checked.skip
  const own = (lines.ours.get('RRULE')?.raw ?? raw).slice(0, MAX_RRULE)
  const read = check(own)
  const unchanged = !('problem' in read) && writtenRule({ rrule: own, skip, anchor }, due) === raw.toUpperCase()
  return unchanged ? { rrule: read.rrule, skip, anchor } : { rrule: checked.rrule, skip, anchor: due.date }
}

function ourValue({ ours }: RepeatLines, name: string): string | undefined {
  return ours.get(name)?.raw.toUpperCase()
}

function readExdates(lines: readonly Property[], due: ItemMoment, zones: Zones, warn: Warn): string[] {
  const moments = lines.flatMap((line) => readMoments(line, zones, warn))
  const days = moments.map((moment) => dayOn(moment, due)).filter((day) => day >= DATES.first && day <= DATES.last)
  const dates = [...new Set(days)].sort()
  if (dates.length > MAX_EXDATES)
    warn('exdates_dropped', `Of ${dates.length} exceptions the latest ${MAX_EXDATES} were taken.`)
  return dates.slice(-MAX_EXDATES)
}

/** The start of a repeating task: a DTSTART that is the due itself is only what the rule counts from. */
export function startBeside(due: ItemMoment, start: ItemMoment | null): ItemMoment | null {
  if (!start) return null
  const same = (start.time === null) === (due.time === null) && start.tz === due.tz && minutesBetween(start, due) === 0
  return same ? null : start
}
