import { fromDay, TIME_LANGUAGES, type TimeLanguage } from '../day'
import { civilOf, clockTime, parseTimeOfDay } from '../zone'
import { type Accepted, acceptPhrases, findForeignDay, findLeftovers, findStranger, findUnreadDay } from './accept'
import { type Chosen, choose, isLong, type Warned } from './choose'
import { isBefore, type Moment, minutesOfAmount, WordCursor, WordLine } from './cursor'
import { ENGLISH } from './english'
import { FRENCH } from './french'
import { GERMAN } from './german'
import { compileWords, type Lexicon, type WordTable } from './lexicon'
import { type FoundPhrase, findPhrases, type PhraseRead, readAmountBefore } from './phrases'
import {
  type ReadDay,
  type ReadReminder,
  TIME_WARNINGS,
  type TimeReading,
  type TimeSpan,
  type TimeWarning,
} from './reading'
import { SPANISH } from './spanish'
import { type FirstOccurrence, workOut } from './work-out'

const TABLES: Readonly<Record<TimeLanguage, WordTable>> = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH }

export interface TimeContext {
  /** The instant, in milliseconds since 1970. */
  readonly now: number
  /** An IANA name; null makes times floating, and today is that of UTC. */
  readonly time_zone: string | null
  /** The language of the words; without it they tell. */
  readonly language?: TimeLanguage
  /** The language that is read first where none is named; default English. */
  readonly preferred?: TimeLanguage
  /** The order of day and month in `03/04`; null adds a warning instead of reading it. */
  readonly dateOrder: 'dmy' | 'mdy' | null
  /** Without it, recurrences are not read. */
  readonly firstOccurrence?: FirstOccurrence
  /** Whether a day may be past; default false. */
  readonly past?: boolean
}

const MAX_DURATION = 43_200
/** Minutes before the due date. */
const MAX_REMINDER = 525_600
const MAX_REMINDERS = 10

/** Whether a text has an abbreviation of a day that is a word of its own: `do` and `so` in German, `mar` in French. */
export function hasShakyDay(text: string, language: TimeLanguage): boolean {
  const words = text.toLowerCase().split(/[^\p{L}.]+/u)
  return TABLES[language].entries.some(
    ([kind, , forms]) =>
      (kind === 'shaky' || kind === 'shaky_day') && forms.split('|').some((form) => words.includes(form)),
  )
}

const lexicons = new Map<TimeLanguage, Lexicon>()

function lexiconOf(language: TimeLanguage): Lexicon {
  const known = lexicons.get(language) ?? compileWords(TABLES[language])
  lexicons.set(language, known)
  return known
}

/**
 * Reads all dates, times, recurrences, durations and reminders in a text. Never throws, and depends only on the text and
 * the context. If words of time were not understood, no date is set and a warning names them. Ignores text in quotes, and
 * text that the caller has covered or sealed (tokens.ts).
 */
export function readTime(text: string, context: TimeContext): TimeReading {
  const { language, preferred = 'en' } = context
  const first = readIn(text, language ?? preferred, context)
  if (language || first.knows) return first.reading
  const rest = TIME_LANGUAGES.filter((one) => one !== preferred).map((one) => readIn(text, one, context, true))
  return (rest.find(hasDay) ?? first).reading
}

interface ReadIn {
  readonly reading: TimeReading
  /** Whether it has words of this language about a day; a time of day may be written alike in all. */
  readonly knows: boolean
}

function hasDay({ reading: { spans, recurrence, start } }: ReadIn): boolean {
  return recurrence !== null || start !== null || spans.some(({ kind }) => kind === 'date')
}

function readIn(text: string, language: TimeLanguage, context: TimeContext, isTold = false): ReadIn {
  const line = new WordLine(text, lexiconOf(language), isTold)
  const moment = momentOf(context)
  let parts = partsOf(line, moment, context, false)
  // Several times belong together only in a rule: of two times of one day the first counts.
  if (parts.chosen.repeat) parts = partsOf(line, moment, context, true)
  const hasStranger = warnOfStranger(line, parts)
  warnOfLeftovers(line, moment, parts)
  const reading = new Answer(line, moment, parts.chosen, parts.accepted, context).reading()
  const { phrases } = parts.accepted
  const own = reading.warnings.filter(({ code }) => code !== 'hour_assumed').length - (hasStranger ? 1 : 0)
  return { reading, knows: own > 0 || phrases.some(({ read }) => read.kind === 'day' || read.kind === 'repeat') }
}

function partsOf(line: WordLine, moment: Moment, { past = false }: TimeContext, lists: boolean): Parts {
  const found = findPhrases(line, moment, lists)
  const accepted = acceptPhrases(line, found)
  return { found, accepted, chosen: choose(accepted, past) }
}

/** Reads `2 days before`, `remind me 1 h before`, `30 min`: minutes, at most 525,600; null for any other text. */
export function readReminderOffset(text: string, context: TimeContext): number | null {
  const c = createWordCursor(text, context)
  c.has('remind')
  const found = readAmountBefore(c, true)
  if (found?.before) c.has('remind')
  const minutes = found && c.token === undefined ? minutesOfAmount(found.amount) : null
  return minutes !== null && isWhole(minutes, MAX_REMINDER) ? minutes : null
}

export function createWordCursor(text: string, context: TimeContext): WordCursor {
  return new WordCursor(
    new WordLine(text, lexiconOf(context.language ?? context.preferred ?? 'en')),
    momentOf(context),
    0,
  )
}

function momentOf({ now, time_zone, dateOrder }: TimeContext): Moment {
  const { day, minutes } = civilOf(now, time_zone ?? 'UTC')
  return { now, today: day, minutes, time_zone, dateOrder }
}

interface Parts {
  readonly found: readonly FoundPhrase[]
  readonly accepted: Accepted
  readonly chosen: Chosen
}

/** Where all that was read is a time of day or an abbreviation, another word may be the day. */
function warnOfStranger(line: WordLine, { found, chosen, accepted }: Parts): boolean {
  const [phrase] = chosen.kinds.keys()
  const foreign = phrase ? null : findForeignDay(line)
  if (foreign) chosen.warned.push({ code: 'not_understood', ...foreign })
  const others = TIME_LANGUAGES.map(lexiconOf).filter((one) => one !== line.lexicon)
  const [time] = [...chosen.kinds.keys()].filter(({ read }) => read.kind === 'time')
  // `Tandarts morgen om 10:00`
  if (chosen.kinds.size > 1 && time) return breakAt(chosen, findStranger(line, time, others, time.start - 1))
  if (!phrase || chosen.kinds.size > 1) return foreign !== null
  const { read, start, end } = phrase
  const unread = read.kind === 'time' && !chosen.broken ? findUnreadDay(line, found, phrase) : null
  if (unread) return breakAt(chosen, unread) && false
  const isShort = read.kind === 'day' && end - start <= 2 && /^\p{L}{1,3}$/u.test(line.raw(start))
  if (read.kind !== 'time' && !isShort) return false
  const stranger = findStranger(line, phrase, others)
  // `Call Ann Friday about it 14:00`; `Mme Mardi` is not a day for certain.
  if (accepted.names.some((name) => !isBefore(line, name.start, ['name']))) chosen.broken = true
  return breakAt(chosen, stranger)
}

function breakAt(chosen: Chosen, stranger: Pick<Warned, 'start' | 'end'> | null): boolean {
  if (!stranger) return false
  chosen.broken = true
  chosen.warned.push({ code: 'not_understood', ...stranger })
  return true
}

function warnOfLeftovers(line: WordLine, moment: Moment, { found, accepted, chosen }: Parts): void {
  for (const leftover of findLeftovers(line, moment, found, { accepted, chosen })) {
    const { code, start, end, breaks } = leftover
    const known = chosen.warned.some((one) => one.code !== code && one.start < end && start < one.end)
    if (breaks || (chosen.repeat && code !== 'unclear_time')) chosen.broken = true
    if (!known || breaks) chosen.warned.push(leftover)
    // In `dinner 8 tonight` the 8 may be the hour, so that it is no other one.
    if (code === 'unclear_time' && chosen.day?.vague) chosen.day = { ...chosen.day, minutes: null, vague: false }
  }
  // `Piscine 2h samedi 14h`, `Sieste 1h30 demain à 14h`: one of the two may be how long it takes.
  const isLength = ({ start, end }: FoundPhrase) => end - start <= 3 && line.tokens[start + 1]?.key === 'h'
  const times = accepted.phrases.filter(({ read }) => read.kind === 'time')
  const length = times.length > 1 ? times.find(isLength) : undefined
  if (length) {
    chosen.broken = true
    chosen.warned.push({ code: 'not_understood', start: length.start, end: length.end })
  }
  const remind = accepted.taken(0) ? null : (line.hit(0, 'remind_to') ?? line.hit(0, 'remind'))
  if (remind && chosen.kinds.size > 0) chosen.warned.push({ code: 'not_understood', start: 0, end: remind.end })
  // `friday, no wait, monday`
  const isTwice = chosen.warned.some(({ code }) => code === 'more_dates')
  for (let at = 0; isTwice && at < line.tokens.length; at++) {
    const correction = line.hit(at, 'correction')
    if (!correction) continue
    chosen.broken = true
    chosen.warned.push({ code: 'not_understood', start: at, end: correction.end })
  }
}

class Answer {
  readonly #spans: TimeSpan[] = []
  readonly #warned: Warned[]

  constructor(
    readonly line: WordLine,
    readonly moment: Moment,
    readonly chosen: Chosen,
    readonly accepted: Accepted,
    readonly context: TimeContext,
  ) {
    this.#warned = [...chosen.warned]
  }

  reading(): TimeReading {
    const { chosen, moment, context } = this
    const worked = chosen.broken ? null : workOut(chosen, moment, context.firstOccurrence ?? (() => null))
    if (worked?.problem) this.#warnOfAll(worked.problem)
    const { due = null, start = null, recurrence = null } = worked ?? {}
    if (worked && !worked.problem) for (const [phrase, kind] of chosen.kinds) this.#take(phrase, kind, recurrence)
    const loose = due && !due.time ? this.accepted.loose[0] : undefined
    if (loose && !chosen.broken) this.#warn('unclear_time', loose)
    if (chosen.assumed && due?.time) this.#warn('hour_assumed', chosen.assumed)
    const duration = this.#duration()
    return {
      due,
      start,
      recurrence,
      duration_minutes: duration ?? (due ? (chosen.time?.duration ?? null) : null),
      reminders: this.#reminders(due),
      spans: joined(this.line.text, this.#spans),
      warnings: this.#warnings(),
    }
  }

  #warn(code: Warned['code'], { start, end }: Pick<Warned, 'start' | 'end'>): void {
    this.#warned.push({ code, start, end })
  }

  #warnOfAll(code: Warned['code']): void {
    const phrases = [...this.chosen.kinds]
    const [first] = phrases.find(([, kind]) => code !== 'recurrence_never_occurs' || kind === 'recurrence') ?? []
    const time = phrases.find(([, kind]) => kind === 'time')?.[0]
    const at = code === 'not_understood' ? (time ?? first) : first
    if (at) this.#warn(code, at)
  }

  #take(phrase: FoundPhrase, kind: TimeSpan['kind'], recurrence: TimeReading['recurrence']): void {
    const value = kind === 'recurrence' ? recurrence : spanValue(phrase)
    if (value !== null) this.#span(phrase, kind, value)
  }

  #span({ start, end }: FoundPhrase, kind: TimeSpan['kind'], value: TimeSpan['value']): void {
    this.#spans.push({ ...this.#range(start, end), kind, value })
  }

  #range(start: number, end: number): { start: number; end: number } {
    const { tokens } = this.line
    return { start: tokens[start]?.start ?? 0, end: tokens[end - 1]?.end ?? 0 }
  }

  /** Takes `for 30 min`; days and weeks only after a day or a time, since `food for 3 days` is not a duration. */
  #duration(): number | null {
    let minutes: number | null = null
    for (const phrase of this.accepted.phrases) {
      if (phrase.read.kind !== 'length' || this.chosen.kinds.has(phrase)) continue
      if (isLong(phrase) && (!this.accepted.beside(phrase, 'before') || this.chosen.broken)) continue
      if (this.#warned.some(({ start }) => start === phrase.start)) continue
      const amount = minutesOfAmount(phrase.read.amount) ?? 0
      if (minutes !== null) this.#warn('already_set', phrase)
      else if (!isWhole(amount, MAX_DURATION)) this.#warn('out_of_range', phrase)
      else {
        minutes = amount
        this.#span(phrase, 'duration', minutes)
      }
    }
    return minutes
  }

  #reminders(due: ReadDay | null): ReadReminder[] {
    const reminders: ReadReminder[] = []
    for (const phrase of this.accepted.phrases) {
      if (phrase.read.kind === 'ring' && due) this.#ring(phrase, phrase.read, due, reminders)
      if (phrase.read.kind !== 'reminder') continue
      const minutes = minutesOfAmount(phrase.read.amount) ?? 0
      if (!phrase.read.before) this.#warn('not_understood', phrase)
      else if (!due) this.#warn('reminder_without_date', phrase)
      else if (!isWhole(minutes, MAX_REMINDER)) this.#warn('out_of_range', phrase)
      else if (reminders.length === MAX_REMINDERS) this.#warn('too_many_reminders', phrase)
      else {
        const reminder = { at: null, offset_minutes: -minutes, from: 'due' } as const
        reminders.push(reminder)
        this.#span(phrase, 'reminder', reminder)
      }
    }
    return reminders
  }

  /** Adds a reminder at the due time, or at a time of the day that is due. */
  #ring(
    phrase: FoundPhrase,
    { time, link }: Extract<PhraseRead, { kind: 'ring' }>,
    { time: at }: ReadDay,
    reminders: ReadReminder[],
  ): void {
    const dueAt = at === null ? 0 : parseTimeOfDay(at)
    const minutes = time ? (time.assumed ?? time.minutes) - dueAt : 0
    const reminder = { at: null, offset_minutes: minutes, from: 'due' } as const
    // Of a whole day nothing says when it rings.
    if (!link && (time || at !== null)) reminders.push(reminder)
    this.#span(phrase, 'reminder', reminder)
  }

  #detail(code: Warned['code']): string {
    const minutes = this.chosen.time?.minutes ?? 0
    return code === 'hour_assumed' ? `read as ${clockTime(minutes)}` : TIME_WARNINGS[code]
  }

  #warnings(): TimeWarning[] {
    const all: TimeWarning[] = []
    // If no date is set, it does not matter which one would count.
    const idle = this.chosen.broken ? ['more_dates', 'already_set'] : []
    const warned = this.#warned.filter(({ code }) => !idle.includes(code))
    for (const { code, start, end } of warned.toSorted((a, b) => a.start - b.start)) {
      const range = this.#range(start, end)
      const same = all.findIndex((other) => other.code === code && range.start < other.end)
      const other = all[same]
      if (other) all[same] = { ...other, end: Math.max(other.end, range.end) }
      else all.push({ code, ...range, detail: this.#detail(code) })
    }
    return all
  }
}

function isWhole(minutes: number, limit: number): boolean {
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= limit
}

function spanValue({ read }: FoundPhrase): string | null {
  if (read.kind === 'time') return clockTime(read.time.minutes)
  if (read.kind !== 'day' || read.day.day === null) return null
  const { day, last, minutes, vague } = read.day
  return minutes === null || vague ? fromDay(last ?? day) : `${fromDay(day)}T${clockTime(minutes)}`
}

/** Sorts the spans, and joins adjacent ones of the recurrence. */
function joined(text: string, spans: readonly TimeSpan[]): TimeSpan[] {
  const all: TimeSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    const beside = last?.kind === 'recurrence' && span.kind === 'recurrence'
    if (last && beside && text.slice(last.end, span.start).trim() === '')
      all[all.length - 1] = { ...last, end: span.end }
    else all.push(span)
  }
  return all
}
