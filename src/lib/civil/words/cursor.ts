import type { Lexicon, Phrase, WordKind, WordValue } from './lexicon'
import { tokenise, type WordToken } from './tokens'

/** What a reading counts from; days are whole days since 1970-01-01, minutes those after midnight. */
export interface Moment {
  /** The instant, in milliseconds since 1970. */
  readonly now: number
  /** What the clock of `time_zone` shows then. */
  readonly today: number
  readonly minutes: number
  /** An IANA name; null is floating, and the clock is that of UTC. */
  readonly time_zone: string | null
  /** How `03/04` is read; null is not at all. */
  readonly dateOrder: 'dmy' | 'mdy' | null
}

interface Hit {
  readonly value: WordValue
  /** The token after it. */
  readonly end: number
}

const NO_PHRASES: readonly Phrase[] = []
const STOPS = ',.;:!?)…'

/** A text as tokens, with what the tables of a language know of each. */
export class WordLine {
  readonly tokens: readonly WordToken[]
  readonly #phrases: (readonly Phrase[] | undefined)[] = []

  constructor(
    readonly text: string,
    readonly lexicon: Lexicon,
  ) {
    this.tokens = tokenise(text)
  }

  /** The longest words that begin with this token and are of a kind. */
  hit(at: number, kind: WordKind): Hit | null {
    for (const { kinds, keys } of this.#phrasesAt(at)) {
      const value = kinds.get(kind)
      if (value !== undefined) return { value, end: at + keys.length }
    }
    return null
  }

  #phrasesAt(at: number): readonly Phrase[] {
    const known = this.#phrases[at]
    if (known) return known
    const listed = this.lexicon.phrases.get(this.tokens[at]?.key ?? '') ?? NO_PHRASES
    const found = listed.filter(({ keys, gaps }) => keys.every((key, i) => this.#fits(at + i, key, gaps[i] || i === 0)))
    this.#phrases[at] = found
    return found
  }

  /** A space in the table is one in the text; without one there is none, but for the first word. */
  #fits(at: number, key: string, gap: boolean): boolean {
    const token = this.tokens[at]
    return token !== undefined && token.key === key && (gap || !token.gap)
  }

  /** The text of a token as it was written. */
  raw(at: number): string {
    const token = this.tokens[at]
    return token ? this.text.slice(token.start, token.end) : ''
  }

  /** Whether nothing but a space, a bracket or what is covered is right before a token. */
  startsClean(at: number): boolean {
    const [token, before] = [this.tokens[at], this.tokens[at - 1]]
    if (!token || token.gap || !before || before.kind === 'covered') return true
    return '(¿¡['.includes(before.key) && this.startsClean(at - 1)
  }

  /** Whether nothing but stops and then a space, what is covered or the end are right before a token. */
  endsClean(end: number): boolean {
    for (let at = end; ; at++) {
      const token = this.tokens[at]
      if (!token || token.gap || token.kind === 'covered') return true
      if (token.kind !== 'sign' || !(STOPS.includes(token.key) || token.key === ']')) return false
    }
  }
}

/** A place in a line from which the grammar reads on. */
export class WordCursor {
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

  /** Goes past words of a kind and gives their value; null where none are. */
  value(kind: WordKind): WordValue | null {
    const hit = this.line.hit(this.at, kind)
    if (!hit) return null
    this.at = hit.end
    return hit.value
  }

  /** The same for kinds whose values are numbers. */
  number(kind: WordKind): number | null {
    const value = this.value(kind)
    return value === null ? null : Number(value)
  }

  has(kind: WordKind): boolean {
    return this.value(kind) !== null
  }

  /** Whether words of a kind are next; goes nowhere. */
  sees(kind: WordKind): boolean {
    return this.line.hit(this.at, kind) !== null
  }

  /** Goes past one of these signs. */
  sign(signs: string, { glued = false } = {}): boolean {
    const token = this.token
    if (token?.kind !== 'sign' || !signs.includes(token.key) || (glued && token.gap)) return false
    this.at += 1
    return true
  }

  /** Goes past a number of at most so many digits. */
  digits(longest: number, { glued = false, shortest = 1 } = {}): number | null {
    const token = this.token
    if (token?.kind !== 'number' || token.key.length > longest || token.key.length < shortest) return null
    if (glued && token.gap) return null
    this.at += 1
    return Number(token.key)
  }

  /** Reads, and where nothing comes of it goes back. */
  attempt<Read>(read: () => Read | null): Read | null {
    const at = this.at
    const found = read()
    if (found === null) this.at = at
    return found
  }

  /** What reads furthest; of equals the first. */
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

  /** Whether what was read up to here is followed by a stop, a space or the end. */
  get clean(): boolean {
    return this.line.endsClean(this.at)
  }
}

/** `3`, `1.5`, `two`, `half an`. */
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

/** What a number counts. */
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
  // One letter is a unit right behind its number alone: `3d`; of hours and minutes they are written apart as well.
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
    const count = readCount(c)
    const unit = count === null ? null : readUnit(c)
    if (count === null || unit === null) return null
    const odd = unit === 'hour' ? (c.number('past_hour') ?? c.attempt(() => readOddMinutes(c))) : null
    return odd === null ? { count, unit } : { count: count * 60 + odd, unit: 'minute' }
  })
}

/** The minutes after hours: `1h30`, `1 hour and 15 minutes`. */
function readOddMinutes(c: WordCursor): number | null {
  const and = c.has('and')
  const apart = c.token?.gap === true
  const minutes = c.digits(3)
  if (minutes === null) return null
  const said = c.attempt(() => (readUnit(c) === 'minute' ? true : null)) !== null
  return said || (!and && !apart) ? minutes : null
}

/** Minutes of an amount that is of days or shorter, or of weeks; null of what has no fixed length. */
export function minutesOfAmount({ count, unit }: Amount): number | null {
  if (unit === 'minute') return count
  if (unit === 'hour') return count * 60
  if (unit === 'day') return count * 1440
  if (unit === 'week') return count * 10_080
  return unit === 'fortnight' ? count * 20_160 : null
}
