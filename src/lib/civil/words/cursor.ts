import type { Lexicon, Phrase, WordKind, WordValue } from './lexicon'
import { tokenise, type WordToken } from './tokens'

/** The current time. Days are whole days since 1970-01-01, minutes are minutes after midnight. */
export interface Moment {
  /** The instant, in milliseconds since 1970. */
  readonly now: number
  /** The current day in `time_zone`. */
  readonly today: number
  readonly minutes: number
  /** An IANA name; null makes times floating, with the current day of UTC. */
  readonly time_zone: string | null
  /** The order of day and month in `03/04`; null if unknown. */
  readonly dateOrder: 'dmy' | 'mdy' | null
}

interface Hit {
  readonly value: WordValue
  /** The token after it. */
  readonly end: number
}

const NO_PHRASES: readonly Phrase[] = []
const STOPS = ',.;:!?)…'

export class WordLine {
  readonly tokens: readonly WordToken[]
  readonly #phrases: (readonly Phrase[] | undefined)[] = []

  constructor(
    readonly text: string,
    readonly lexicon: Lexicon,
    /** Whether the words alone tell that the text is in this language. */
    readonly isTold = false,
  ) {
    this.tokens = tokenise(text)
  }

  /** Finds the longest words of a kind that begin with this token. */
  hit(at: number, kind: WordKind): Hit | null {
    for (const { kinds, keys } of this.#phrasesAt(at)) {
      const value = kinds.get(kind)
      if (value !== undefined) return { value, end: at + keys.length }
    }
    return null
  }

  /** Returns whether exactly the tokens from `start` to `end`, end exclusive, are words of one of these kinds. */
  isBetween(start: number, end: number, kinds: readonly WordKind[]): boolean {
    return this.#phrasesAt(start).some((phrase) => {
      return start + phrase.keys.length === end && kinds.some((kind) => phrase.kinds.has(kind))
    })
  }

  knows(at: number): boolean {
    return this.#phrasesAt(at).length > 0
  }

  #phrasesAt(at: number): readonly Phrase[] {
    const known = this.#phrases[at]
    if (known) return known
    const listed = this.lexicon.phrases.get(this.tokens[at]?.key ?? '') ?? NO_PHRASES
    const found = listed.filter(({ keys, gaps }) => keys.every((key, i) => this.#fits(at + i, key, gaps[i] || i === 0)))
    this.#phrases[at] = found
    return found
  }

  /** Words that are written together in the table must be written together in the text. */
  #fits(at: number, key: string, gap: boolean): boolean {
    const token = this.tokens[at]
    return token !== undefined && token.key === key && (gap || !token.gap)
  }

  raw(at: number): string {
    const token = this.tokens[at]
    return token ? this.text.slice(token.start, token.end) : ''
  }

  /** Returns whether only a space, a bracket or covered text is directly before a token. */
  startsClean(at: number): boolean {
    for (let from = at; from >= at - MAX_BRACKETS; from--) {
      const [token, before] = [this.tokens[from], this.tokens[from - 1]]
      if (!token || token.gap || !before || before.kind === 'covered') return true
      if (!'(¿¡['.includes(before.key)) return false
    }
    return false
  }

  /** Returns whether the token at `end` begins a new word, after stops such as commas. */
  endsClean(end: number): boolean {
    for (let at = end; ; at++) {
      const token = this.tokens[at]
      if (!token || token.gap || token.kind === 'covered') return true
      if (token.kind !== 'sign' || !(STOPS.includes(token.key) || token.key === ']')) return false
    }
  }
}

/** Brackets and signs such as `¿` directly before a word. */
const MAX_BRACKETS = 3

/** Returns the start of up to four words of one of these kinds that are directly before a token, or null. */
export function startOf(line: WordLine, at: number, kinds: readonly WordKind[]): number | null {
  for (let from = at - 1; from >= Math.max(0, at - 4); from--) if (line.isBetween(from, at, kinds)) return from
  return null
}

/** Returns whether words of one of these kinds are directly before a token. */
export function isBefore(line: WordLine, at: number, kinds: readonly WordKind[]): boolean {
  return startOf(line, at, kinds) !== null
}

export class WordCursor {
  /** Whether a time of day is directly before the first token. */
  behindTime = false

  constructor(
    readonly line: WordLine,
    readonly moment: Moment,
    public at: number,
  ) {}

  get lexicon(): Lexicon {
    return this.line.lexicon
  }

  get token(): WordToken | undefined {
    return this.line.tokens[this.at]
  }

  /** Consumes words of a kind and returns their value; null if there are none. */
  value(kind: WordKind): WordValue | null {
    const hit = this.line.hit(this.at, kind)
    if (!hit) return null
    this.at = hit.end
    return hit.value
  }

  /** Like `value`, for kinds with numbers as values. */
  number(kind: WordKind): number | null {
    const value = this.value(kind)
    return value === null ? null : Number(value)
  }

  has(kind: WordKind): boolean {
    return this.value(kind) !== null
  }

  sees(kind: WordKind): boolean {
    return this.line.hit(this.at, kind) !== null
  }

  sign(signs: string, { glued = false } = {}): boolean {
    const token = this.token
    if (token?.kind !== 'sign' || !signs.includes(token.key) || (glued && token.gap)) return false
    this.at += 1
    return true
  }

  /** Consumes a number of at most `longest` digits. */
  digits(longest: number, { glued = false, shortest = 1 } = {}): number | null {
    const token = this.token
    if (token?.kind !== 'number' || token.key.length > longest || token.key.length < shortest) return null
    if (glued && token.gap) return null
    this.at += 1
    return Number(token.key)
  }

  /** Reads something; goes back if that returns null. */
  attempt<Read>(read: () => Read | null): Read | null {
    const at = this.at
    const found = read()
    if (found === null) this.at = at
    return found
  }

  /** Tries all readers and keeps the longest result; the first of equally long ones. */
  longest<Read>(readers: readonly ((cursor: WordCursor) => Read | null)[]): Read | null {
    const from = this.at
    let best: Read | null = null
    let end = from
    for (const reader of readers) {
      this.at = from
      const found = reader(this)
      if (found === null || (best !== null && this.at <= end)) continue
      best = found
      end = this.at
    }
    this.at = end
    return best
  }

  /** Whether a stop, a space or the end follows. */
  get clean(): boolean {
    return this.line.endsClean(this.at)
  }
}

/** Reads `3`, `1.5`, `two`, `half an`. */
export function readCount(c: WordCursor): number | null {
  return c.longest<number>([
    (each) => each.number('number'),
    (each) => {
      const whole = each.digits(6)
      if (whole === null) return null
      const decimal = each.attempt(() =>
        each.sign('.,', { glued: true }) &&
        each.token?.kind === 'number' &&
        !each.token.gap &&
        each.token.key.length <= 2
          ? each.token.key
          : null,
      )
      if (decimal === null) return whole
      each.at += 1
      return Number(`${whole}.${decimal}`)
    },
  ])
}

export type Unit =
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'fortnight'
  | 'month'
  | 'quarter'
  | 'year'
  | 'workday'
  | 'weekend'
  | 'weekends'

export function readUnit(c: WordCursor): Unit | null {
  const token = c.token
  // A single letter is a unit only next to its number, as in `3d`; `1 h` and `30 m` are also written apart.
  if (token?.gap && token.key.length === 1 && !'hm'.includes(token.key)) return null
  return c.value('unit') as Unit | null
}

/** A count and its unit, e.g. `2 weeks`; `1 h 30` is 90 minutes. */
export interface Amount {
  readonly count: number
  readonly unit: Unit
}

export function readAmount(c: WordCursor): Amount | null {
  return c.attempt(() => {
    const whole = readCount(c)
    // `two and a half hours`
    const half = whole !== null && c.number('past_hour') === 30 ? 0.5 : 0
    const count = whole === null ? null : whole + half
    const unit = count === null ? null : readUnit(c)
    if (count === null || unit === null) return null
    if (unit !== 'hour' && c.number('past_hour') === 30)
      // `un año y medio`
      return unit === 'year' ? { count: count * 12 + 6, unit: 'month' } : null
    const odd = unit === 'hour' ? (c.number('past_hour') ?? c.attempt(() => readOddMinutes(c))) : null
    return odd === null ? { count, unit } : { count: count * 60 + odd, unit: 'minute' }
  })
}

/** Reads the minutes after hours: `1h30`, `1 hour and 15 minutes`. */
function readOddMinutes(c: WordCursor): number | null {
  const and = c.has('and')
  const apart = c.token?.gap === true
  const minutes = c.digits(3)
  if (minutes === null) return null
  const said = c.attempt(() => (readUnit(c) === 'minute' ? true : null)) !== null
  return said || (!and && !apart) ? minutes : null
}

/** Returns the minutes of an amount; null for units without a fixed length, such as months. */
export function minutesOfAmount({ count, unit }: Amount): number | null {
  const minutes = MINUTES_OF[unit]
  return minutes === undefined ? null : count * minutes
}

const MINUTES_OF: Partial<Record<Unit, number>> = { minute: 1, hour: 60, day: 1440, week: 10_080, fortnight: 20_160 }
