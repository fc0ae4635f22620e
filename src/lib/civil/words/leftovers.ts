import { isBefore, type Moment, readAmount, startOf, WordCursor, type WordLine } from './cursor'
import { readSuffix } from './dates'
import type { WordKind } from './lexicon'
import { CORE, endOf } from './periods'
import type { FoundPhrase, PhraseRead } from './phrases'
import { readZoneWords } from './zones'

/**
 * What is left of a text beside what was understood. One rule: nothing is set if words of time touch a phrase that
 * counts, with or without links such as `and`, `of` or `before` between them, since they say which day is meant, or that
 * it is not. Words of time that touch nothing only get a warning, and only behind a link: `after lunch`, not `lunch`.
 */

/** Tokens that were not understood, end exclusive. */
export interface Leftover {
  /**
   * `unsupported_recurrence` for an exception such as `except sunday`; `unclear_time` for `8 tonight`, where 8 may be a
   * time or part of the title, so that the date is set anyway.
   */
  readonly code: 'not_understood' | 'unsupported_recurrence' | 'unclear_time' | 'past_date'
  readonly start: number
  readonly end: number
  /** Whether no date may be set beside it. */
  readonly breaks: boolean
}

/** What joins words of time to what is before them. */
const LINKS: readonly WordKind[] = [
  ...(['past', 'at', 'of', 'until', 'starting', 'from', 'every', 'after', 'before', 'next', 'coming', 'this'] as const),
  ...(['near', 'after_next', 'between', 'not', 'except', 'times', 'not_due', 'and', 'or', 'to'] as const),
]
/** Behind these even a day that was read says that the phrase before it is not meant alone. */
const TURNS: readonly WordKind[] = ['except', 'not', 'before', 'after']
/** The whole of what is said at the end of a text: `friday last`, `the weekend after`. */
const ENDS: readonly WordKind[] = ['before', 'after', 'past', 'this', 'next', 'coming', 'near', 'not']
/** Words of time that belong to a phrase without a link. */
const LOUD: readonly WordKind[] = [
  ...(['weekdays', 'unit', 'adverb', 'clock', 'ago', 'from_now', 'same_time', 'half', 'alternate', 'yes_no'] as const),
  'part_adverb',
]
/** Before a phrase they say that it is not meant as it is read; before some phrases others do, too. */
const TURNS_AHEAD: readonly WordKind[] = ['not', 'except', 'same_time', 'after', 'not_due', 'near', 'part_adverb']
const TURNS_BEFORE: Readonly<Record<PhraseRead['kind'] | 'led', readonly WordKind[]>> = {
  time: [
    ...TURNS_AHEAD,
    'every',
    'past',
    'holiday',
    'weekday',
    'shaky',
    'at',
    'around',
    'until',
    'starting',
    'between',
  ],
  repeat: [...TURNS_AHEAD, 'times', 'often', 'every', 'ordinal', 'sometime', 'weekday', 'shaky'],
  day: [...TURNS_AHEAD, 'sometime', 'around', 'to', 'other', 'until', 'starting', 'between'],
  led: TURNS_AHEAD,
  ...{ length: [], count: [], completion: [], reminder: [], ring: [] },
}
/** What joins a phrase to words of time before it. */
const JOINS: readonly WordKind[] = ['and', 'or', 'of', 'before', 'at', 'by']
const JOINED: readonly WordKind[] = [
  ...(['weekday', 'shaky', 'ordinal', 'unit', 'this', 'part', 'weekdays', 'vague', 'month'] as const),
]
const MAX_LINKS = 4

const PERIODS: readonly unknown[] = ['week', 'fortnight', 'month', 'quarter', 'year', 'weekend', 'workday']

/** The words of time before and behind a phrase. */
export class Beside {
  constructor(
    readonly line: WordLine,
    readonly moment: Moment,
    readonly phrase: FoundPhrase,
    readonly taken: (at: number) => boolean,
    readonly isRule: boolean,
  ) {}

  find(): Leftover[] {
    const { start, end, read } = this.phrase
    const comma = this.line.tokens[end]?.key === ',' ? end + 1 : end
    const except = read.kind === 'repeat' ? this.line.hit(comma, 'except') : null
    const last = Math.min((except?.end ?? 0) + 1, this.line.tokens.length)
    if (except) return [{ code: 'unsupported_recurrence', start, end: last, breaks: true }]
    const behind = this.#endBehind()
    const ahead = behind === null ? (this.#condition() ?? this.#startAhead()) : start
    if (behind !== null || (ahead !== null && ahead < start) || this.#isMoved() || this.#isOdd())
      return [{ code: 'not_understood', start: Math.min(ahead ?? start, start), end: behind ?? end, breaks: true }]
    if (this.#isHour(start - 1)) return [{ code: 'unclear_time', start: start - 1, end: start, breaks: false }]
    // `le lundi` is rather every Monday.
    const isHabit = read.kind === 'day' && read.day.weekday !== null && read.day.last === null
    if (isHabit && !this.isRule && this.line.hit(start, 'habit'))
      return [{ code: 'not_understood', start, end, breaks: false }]
    // `late friday`, `every 6 weeks or so`
    const from = startOf(this.line, start, ['loosely']) ?? start
    const to = (this.taken(end) ? null : this.line.hit(end, 'loosely')?.end) ?? end
    if (from === start && to === end) return []
    return [{ code: 'not_understood', start: from < start ? from : end, end: to > end ? to : start, breaks: false }]
  }

  /** Returns the end of the words of time behind the phrase, or null. */
  #endBehind(): number | null {
    const { line, moment, taken } = this
    const { read, end } = this.phrase
    const c = new WordCursor(line, moment, end)
    if (c.token?.kind === 'covered' || c.token?.kind === 'sealed') return null
    // `un vendredi par mois`
    const per = taken(end) ? null : line.hit(end, 'per')
    if (per && PERIODS.includes(line.hit(per.end, 'unit')?.value)) return per.end + 1
    const links: WordKind[] = []
    while (links.length < MAX_LINKS && c.token && !taken(c.at)) {
      const link = LINKS.find((kind) => c.has(kind)) ?? (c.sign(',&/+-–') ? 'and' : null)
      if (link === null) break
      links.push(link)
      c.has('article')
    }
    const last = links.at(-1)
    // `el lunes que viene no, el otro`
    const not = line.hit(end, 'not')
    if (not && line.tokens[not.end]?.kind !== 'word') return not.end
    // `14 Uhr frühestens`, `tomorrow just before lunch`
    if (links.includes('near')) return endOf(line, c.at, [...CORE, 'number']) ?? c.at
    // `dimanche dernier`
    if (links.includes('past') && line.lexicon.articleDays) return c.at
    if (!c.token) return last && ENDS.includes(last) ? c.at : null
    if (taken(c.at)) {
      const isList = read.kind === 'repeat' || (read.kind === 'time' && (this.isRule || last === 'or'))
      const isJoined = isList && last !== undefined && line.tokens[c.at - 1]?.kind === 'word'
      // `in 2 weeks from friday`, `every day before friday`
      const from = read.kind === 'day' ? line.hit(end, 'from') : null
      const isBase = from
        ? endOf(line, from.end, ['weekday', 'day'])
        : read.kind === 'repeat' && line.hit(end, 'before')
      return isJoined || isBase || links.some((kind) => TURNS.includes(kind)) ? c.at + 1 : null
    }
    if (last && c.attempt(() => this.#readMore(c)) !== null) return c.at
    if (read.kind === 'repeat' && (last === 'until' || last === 'starting')) return c.at + 1
    if (c.token.kind === 'number') return this.#isCount(c, links) ? null : c.at
    if (!last) return this.#endTouching(c)
    const word = line.hit(c.at, 'number') ?? line.hit(c.at, 'part')
    if (word && line.tokens[word.end]?.kind !== 'word' && line.raw(c.at).length > 1) return word.end
    const core = endOf(line, c.at, CORE)
    const isJoin = links.every((kind) => kind === 'and' || kind === 'to')
    // In `friday and lunch with Ann` lunch is no time.
    return core !== null && isJoin && line.tokens[core]?.kind === 'word' ? null : core
  }

  /** Reads an amount that belongs to the phrase: days or longer, or hours behind a unit. */
  #readMore(c: WordCursor): true | null {
    const amount = readAmount(c)
    if (!amount || (amount.count <= 1 && c.token?.kind === 'word')) return null
    const isShort = amount.unit === 'hour' || amount.unit === 'minute'
    return isShort && !isBefore(c.line, this.phrase.end, ['unit']) ? null : true
  }

  /** Returns the end of words that belong to the phrase without a link, or null. */
  #endTouching(c: WordCursor): number | null {
    const { line, at } = c
    const { read } = this.phrase
    const isTime = read.kind === 'time'
    if ((isTime || line.raw(at).length > 2) && c.attempt(() => readZoneWords(c))) return c.at
    if (isTime && /^(?:Eastern|Central|Mountain|Pacific)$/.test(line.raw(at))) return at + 1
    const amount = c.attempt(() => readAmount(c))
    if (amount && amount.count > 1) return c.at
    const loud = endOf(line, at, LOUD)
    if (loud !== null && !this.taken(loud - 1)) return loud
    const month = line.hit(at, 'month')
    if (month && (line.tokens[month.end]?.kind === 'number' || month.end === line.tokens.length)) return month.end
    const number = line.hit(at, 'number') ?? line.hit(at, 'half') ?? line.hit(at, 'past_hour')
    // `à quinze heures trente`
    if (isTime && number && isBefore(line, at, ['oclock']) && isBefore(line, at - 1, ['number'])) return number.end
    // `viernes nueve y cinco`
    const minutes = number && (line.hit(number.end, 'minutes_lead') ?? line.hit(number.end, 'and'))
    if (minutes && line.hit(minutes.end, 'number')) return minutes.end + 1
    const dash = number && line.tokens[number.end]?.key === '-' ? number.end + 1 : (number?.end ?? at)
    const more = number && (line.hit(dash, 'number')?.end ?? number.end)
    return more === line.tokens.length ? more : null
  }

  /** Returns whether a number behind the phrase counts what follows it; else consumes it. */
  #isCount(c: WordCursor, links: readonly WordKind[]): boolean {
    const { line } = c
    const { read, end } = this.phrase
    // `tomorrow 1430 hrs`
    const isClock = /^(?:[01]\d|2[0-3])[0-5]\d$/.test(c.token?.key ?? '')
    c.at += 1
    if (isClock && line.hit(c.at, 'unit')?.value === 'hour') return false
    if (c.attempt(() => (readSuffix(c) && c.clean ? true : null))) return false
    if (links.some((kind) => !['and', 'or', 'at'].includes(kind)) || c.sees('oclock')) return false
    const isRange = c.sees('to') || c.sees('and') || c.sees('or')
    if (c.token?.kind === 'word' && c.token.gap && !isRange)
      return links.length > 0 || !(read.kind === 'repeat' || isBefore(line, end, ['weekday', 'shaky', 'unit']))
    return read.kind === 'time' && links.length === 0
  }

  /** Returns the start of the words of time before the phrase, or null. */
  #startAhead(): number | null {
    const { line, taken } = this
    const { read, start } = this.phrase
    // `sale at 5th`
    if (read.kind === 'day' && read.day.place === 'end' && isBefore(line, start, ['at'])) return start - 1
    let at = start
    let joined = false
    for (let links = 0; links < MAX_LINKS && at > 0 && !taken(at - 1); links++) {
      const turn = startOf(line, at, TURNS_BEFORE[read.kind === 'day' && (read.led || joined) ? 'led' : read.kind])
      if (turn !== null) return turn
      // `before or on friday`
      if (joined && links === 1 && isBefore(line, start, ['or']) && isBefore(line, at, ['before', 'after', 'by']))
        return at - 1
      const join = startOf(line, at, JOINS) ?? (',&/-–'.includes(line.tokens[at - 1]?.key ?? ' ') ? at - 1 : null)
      const article = join === null ? startOf(line, at, ['article']) : null
      if (join === null && article === null) break
      joined ||= join !== null
      at = join ?? article ?? at
    }
    if (at === 0 || taken(at - 1)) return null
    return joined ? this.#startJoined(at) : this.#startTouching(start)
  }

  /** Returns the start of what a link joins to the phrase: `mon, wed and fri`, `evening before 5 may`, `5 and 7 may`. */
  #startJoined(at: number): number | null {
    const { line } = this
    const { read, start } = this.phrase
    const core = startOf(line, at, JOINED)
    if (core !== null && (read.kind !== 'day' || line.tokens[at]?.kind === 'word')) return core
    const numbered = read.kind === 'time' || [start, start + 1].some((one) => line.tokens[one]?.kind === 'number')
    // `1st and 15th`
    const from = line.tokens[at - 1]?.gap === false ? at - 2 : at - 1
    return numbered && line.tokens[from]?.kind === 'number' ? from : null
  }

  /** Returns the start of words of time directly before the phrase, or null. */
  #startTouching(start: number): number | null {
    const { line } = this
    const { read } = this.phrase
    const before = line.tokens[start - 1]
    if (isBefore(line, start, ['proper'])) return null
    const number = startOf(line, start, ['number']) ?? (before?.kind === 'number' ? start - 1 : null)
    const isNumber = number !== null
    if (line.hit(start, 'weekdays') && isNumber) return start - 1
    if (number !== null && this.#isCounted(number)) return number
    // `jusqu'à 5`
    if (read.kind === 'time' && before?.key.endsWith("'") && line.hit(start - 1, 'until')) return start - 1
    if (isBefore(line, start, ['vague']) && isBefore(line, start - 1, ['at', 'before', 'after'])) return start - 1
    const unit = line.hit(start - 1, 'unit')
    const isPeriod = unit?.end === start && PERIODS.includes(unit.value) && !isNumber
    const isNoun = isBefore(line, start - 1, ['no_day', 'article'])
    // `soir à 8`, `Date night 8:00`
    const part =
      read.kind === 'time' && !read.time.halfKnown && read.time.minutes < 720 ? startOf(line, start, ['part']) : null
    if (part !== null && Number(line.hit(part, 'part')?.value) >= 720) return part
    if (read.kind === 'time') return isPeriod && !isNoun ? start - 1 : this.#startOfAmount(start)
    if (read.kind !== 'day') return null
    // `Réunion mensuelle le premier lundi`
    if (read.day.place === 'whole' && isBefore(line, start, ['frequency'])) return start - 1
    const owner = /^(.+)['’]s$/.exec(before?.key ?? '')?.[1] ?? ''
    if (line.lexicon.phrases.get(owner)?.some(({ kinds }) => CORE.some((kind) => kinds.has(kind)))) return start - 1
    if (this.#isOfNoun()) return start - 1
    if (line.hit(start, 'before') && isBefore(line, start, ['weekday', 'shaky', 'part'])) return start - 1
    // `la mañana del 15 de mayo`, `matinée du 15 mai`, `in der Woche vom 5. Mai`
    const isOf = line.hit(start, 'of') !== null || line.hit(start, 'from') !== null
    if (line.lexicon.articleDays && isBefore(line, start, ['part']) && (isOf || isBefore(line, start - 1, ['article'])))
      return start - 1
    if (isOf && isPeriod) return start - 1
    // `Thanksgiving in a year`
    if (line.hit(start, 'in') && isBefore(line, start, ['month', 'holiday', 'feast', 'vague'])) return start - 1
    const amount = this.#startOfAmount(start)
    if (amount !== null) return amount
    if (isNoun) return null
    const adverb = startOf(line, start, ['adverb', 'weekdays', 'alternate'])
    if (adverb !== null) return adverb
    const next = line.hit(start, 'next') ? line.hit(start + 1, 'unit')?.value : null
    const dated = read.day.weekday !== null || next === 'year' || line.tokens[start]?.kind === 'number'
    const isMonth = !read.led && dated && !isBefore(line, start - 1, ['with', 'name'])
    if (isMonth && isBefore(line, start, ['month', 'holiday'])) return start - 1
    if (next && (isBefore(line, start, ['end', 'unit_end', 'middle', 'late']) || (isNumber && next === 'month')))
      return start - 1
    // `week friday`; `moving day friday` is a title.
    return isPeriod ? start - 1 : null
  }

  /**
   * Returns whether a number directly before the phrase belongs to it: `de 5 à 7`, `nine tomorrow` behind `past`, `dos lunes`,
   * `3 prochaines semaines`.
   */
  #isCounted(at: number): boolean {
    const { line } = this
    const { read, start, end } = this.phrase
    if (read.kind !== 'day' && read.kind !== 'time') return false
    if (isBefore(line, at, ['at', 'from', 'between', 'around'])) return true
    if (read.kind === 'day' && isBefore(line, at, ['every', 'in'])) return true
    const { vague = false, weekday = null } = read.kind === 'day' ? read.day : {}
    if (vague && line.lexicon.articleDays && isBefore(line, at, ['article'])) return true
    for (let one = start; one < end; one++) if (line.hit(one, 'unit') && line.raw(one).endsWith('s')) return true
    const isWord = line.tokens[at]?.kind === 'word' && Number(line.hit(at, 'number')?.value) !== 1
    if (!isWord || isBefore(line, at, ['for', 'version'])) return false
    return read.kind === 'time' || weekday !== null || isBefore(line, at, ['to', 'minutes_to', 'to_hour'])
  }

  /** Returns the start of `2 weeks` in `2 weeks friday`; `1 hour friday` is a title, `10 minutes before 5pm` is not. */
  #startOfAmount(start: number): number | null {
    const { line, moment } = this
    const isBase = (['before', 'after', 'from'] as const).some((kind) => line.hit(start, kind))
    if (!isBefore(line, start, ['unit']) || (this.phrase.read.kind === 'time' && !isBase)) return null
    for (let from = start - 2; from >= Math.max(0, start - 4); from--) {
      const c = new WordCursor(line, moment, from)
      const amount = isBefore(line, from, ['for']) ? null : readAmount(c)
      if (amount && c.at === start) return isBase || !(amount.unit === 'hour' || amount.unit === 'minute') ? from : null
      const lead = endOf(line, from, ['next', 'coming', 'this', 'past', 'ordinal', 'every', 'other'])
      if (lead !== null && line.hit(lead, 'unit')?.end === start) return from
    }
    return null
  }

  /** Returns whether a weekday follows a month or a year, as in `every month on friday`: which one is not said. */
  #isOdd(): boolean {
    const { read, start } = this.phrase
    if (read.kind !== 'day' || read.day.weekday === null || this.line.hit(start, 'on') === null) return false
    return ['month', 'quarter', 'year'].includes(String(this.line.hit(start - 1, 'unit')?.value))
  }

  /** Returns whether a weekday belongs to what follows it: `the friday report`, `our monday meeting`. */
  #isOfNoun(): boolean {
    const { line, taken } = this
    const { read, start, end } = this.phrase
    const next = line.tokens[end]
    if (read.kind !== 'day' || read.day.weekday === null || read.led || line.lexicon.articleDays) return false
    return next?.kind === 'word' && next.gap && !taken(end) && isBefore(line, start, ['article', 'no_day'])
  }

  /** Returns the start of the condition of a day or a time, as in `if it rains tomorrow`, or null. */
  #condition(): number | null {
    const { line } = this
    const { read, start } = this.phrase
    if (read.kind !== 'day' && read.kind !== 'time') return null
    for (let at = start - 1; at >= 0 && at >= start - MAX_CONDITION_TOKENS; at--) {
      const token = line.tokens[at]
      if (token?.kind === 'covered' || (token?.kind === 'sign' && ',;.:!?)'.includes(token.key))) return null
      // `sí` is no condition in Spanish.
      if (line.hit(at, 'if')?.value === 1 && line.raw(at).toLowerCase() !== 'sí') return at
    }
    return null
  }

  /** Returns whether a range tells from when to when something is moved: `move the call from monday to friday`. */
  #isMoved(): boolean {
    const { read, start, end } = this.phrase
    const range = read.kind === 'day' ? read.day.last : read.kind === 'time' ? read.time.duration : null
    const from = range === null ? end + MAX_CONDITION_TOKENS : Math.max(0, start - MAX_CONDITION_TOKENS)
    for (let at = from; at < end + MAX_CONDITION_TOKENS; at++) if (this.line.hit(at, 'moving')) return true
    return false
  }

  /** Returns whether a number before a day may be an hour: `8 tonight`, `0815 tomorrow`, `9-5 friday`, `5p tomorrow`. */
  #isHour(at: number): boolean {
    const { line } = this
    const { read, start } = this.phrase
    const [digits, sign] = [line.tokens[at], line.tokens[at - 1]]
    if (read.kind !== 'day' || !digits || this.taken(at) || line.tokens[start]?.gap !== true) return false
    if (line.hit(at, 'ish')) return sign?.kind === 'number' && !digits.gap
    const word = line.isBetween(at, start, ['number']) ? Number(line.hit(at, 'number')?.value) : 0
    if (word > 1) return read.day.vague && !read.led && !isBefore(line, at, ['for', 'version'])
    if (digits.kind === 'word') return /^[ap]$/.test(digits.key) && sign?.kind === 'number' && !digits.gap
    if (digits.kind !== 'number') return false
    const isRange =
      line.tokens[at - 2]?.kind === 'number' && (':.-–'.includes(sign?.key ?? ' ') || line.hit(at - 1, 'to'))
    if (isRange || (at > 2 && line.hit(at - 3, 'between'))) return Number(digits.key) <= 24
    if (read.led || !line.startsClean(at) || isBefore(line, at, ['version'])) return false
    if (isBefore(line, at, ['at', 'by', 'around', 'until'])) return Number(digits.key) <= 24
    return read.day.vague ? Number(digits.key) <= 12 : /^(?:[01]\d|2[0-3])[0-5]\d$/.test(digits.key)
  }
}

/** A condition or a verb is looked for in so many tokens. */
const MAX_CONDITION_TOKENS = 12
