import { type FoundDay, findDays, type QuickMoment } from './quick-day-choice'
import { type Every, endOfTooOften, findEvery, readDayOf, readEvery } from './quick-every'
import { type QuickText, TAKEN } from './quick-text'

/** The recurrence of a text before its first day is known. */
export interface FoundRecurrence {
  /** The ranges that it takes: `every …`, and each of its tails that stands apart behind a time. */
  readonly ranges: readonly { start: number; end: number }[]
  readonly every: Every
  readonly completion: boolean
  /** The day of `starting …`; null without one. */
  readonly starting: string | null
  /** The day of `until …`; null without one. */
  readonly until: string | null
}

interface Tail {
  readonly start: number
  readonly end: number
  readonly completion?: true
  readonly starting?: string
  readonly until?: string
}

const TAIL = new RegExp(
  String.raw`^([\s,${TAKEN}]*)(?:(after\s+completi(?:on|ng(?:\s+it)?))(?![\w'’-])|(until|till|ending|starting|beginning|from)\s+)`,
  'i',
)
/** No rule of ours has exceptions: taking the rest of it would be wrong on just those days. */
const EXCEPTION = /^,?\s+(?:except|excluding|unless|but)(?:\s+(?:on|for|in|not|the))*(?:\s+\w+)?(?![\w'’-])/i
const NEXT_TAIL = /\s(?=(?:until|till|ending|starting|beginning|from|after)\s)/i
/** Longer is no date: what is looked at after `until` is bounded. */
const DATE_LENGTH = 40

/** Finds the first `every …` and covers it with its tails; a second one stays in the title with a warning. */
export function findRecurrence(text: QuickText, moment: QuickMoment): FoundRecurrence | null {
  let found: FoundRecurrence | null = null
  for (const { start, end, completion } of findEvery(text.rest)) {
    const every = readEvery(text.rest, end, completion)
    const unsupported = every ? endOfException(text.rest, every.end) : endOfTooOften(text.rest, end)
    if (unsupported !== null) text.keep(start, unsupported, 'unsupported_recurrence')
    else if (every && found) text.keep(start, every.end, 'already_set')
    else if (every) {
      const day = readDayOf(text.rest, start, every)
      found = withTails(text, day?.start ?? start, { ...every, by: day?.by ?? every.by }, moment)
    }
  }
  return found
}

function endOfException(text: string, at: number): number | null {
  const [exception] = text.slice(at).match(EXCEPTION) ?? []
  return exception === undefined ? null : at + exception.length
}

function withTails(text: QuickText, start: number, every: Every, moment: QuickMoment): FoundRecurrence {
  let found: FoundRecurrence = { ranges: [], every, completion: every.completion, starting: null, until: null }
  const ranges = [{ start, end: every.end }]
  for (let at = every.end, tail = readTail(text, at, moment); tail; tail = readTail(text, at, moment)) {
    const { start: from, end, ...said } = tail
    found = { ...found, ...said }
    const last = ranges.at(-1)
    if (last && text.rest.slice(last.end, from).trim() === '') last.end = end
    else ranges.push({ start: from, end })
    at = end
  }
  for (const range of ranges) text.keep(range.start, range.end)
  return { ...found, ranges }
}

function readTail(text: QuickText, at: number, moment: QuickMoment): Tail | null {
  const match = text.rest.slice(at).match(TAIL)
  if (!match) return null
  const [whole, gap = '', completion, word = ''] = match
  const start = at + gap.length
  const from = at + whole.length
  if (completion) return { start, end: from, completion: true }
  const day = dayAt(text.rest, from, moment)
  if (!day || day.date === null) return null
  return {
    start,
    end: day.end,
    ...(/^(?:until|till|ending)/i.test(word) ? { until: day.date } : { starting: day.date }),
  }
}

/** The day that begins right there. */
function dayAt(text: string, from: number, moment: QuickMoment): FoundDay | undefined {
  const [piece = ''] = text.slice(from, from + DATE_LENGTH).split(NEXT_TAIL)
  const [day] = findDays(piece, { ...moment, timeStart: null })
  if (day?.start !== 0 || day.vague) return undefined
  // `5-7 May` after `until` is no day.
  return day.last === null ? { ...day, end: from + day.end } : undefined
}
