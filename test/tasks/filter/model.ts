import fc from 'fast-check'
import { instant, type Plain } from './support'

/** Random tasks, random filters, and what a filter says of a task in plain words. */

export const ZONES = [
  'UTC',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Santiago',
]
export const NAMES = {
  projects: ['Work', 'Home', 'Año "Ö"'],
  sections: ['Work/Next', 'Home/next', 'Home/Later'],
  labels: ['bills', "it's 100%_", 'Straße'],
}
/** Texts that must match themselves and nothing else. */
export const TEXTS = [
  ...'it\'s~100%~_~%~\'~"~\\~\\"~*~--~; DROP TABLE tasks~$1~?~{}~<b>~&~|~STRASSE~straße~Ǆ~İstanbul~é'.split('~'),
  ...'e\u0301~Σίσυφος~ﾃｽﾄ~👩‍👩‍👧~\u202eabc~日本~two\nlines~a  b'.split('~'),
]

/** Clocks change here and there in this time, in Cairo and Santiago at midnight. */
const FIRST = Date.UTC(2026, 2, 24)
const DAYS = 36
const DAY = 86_400_000

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const date = fc.integer({ min: 0, max: DAYS }).map((day) => dateOf(FIRST + day * DAY))
const instants = fc.integer({ min: FIRST, max: FIRST + DAYS * DAY })
const time = fc.constantFrom('00:00', '00:30', '02:30', '09:00', '12:00', '23:30', '23:59')
const when = fc.oneof(
  fc.constant(null),
  date.map((day) => ({ date: day, time: null, time_zone: null })),
  fc.record({ date, time, time_zone: fc.constant(null) }),
  fc.record({ date, time, time_zone: fc.constantFrom(...ZONES) }),
)
const text = fc.array(fc.constantFrom(...TEXTS, 'milk', 'Rent', ' '), { minLength: 1, maxLength: 3 })
const place = fc.constantFrom(
  ...([
    [null, null],
    ['Work', null],
    ['Home', null],
    ['Work', 'Next'],
    ['Home', 'next'],
    ['Home', 'Later'],
    ['Año "Ö"', null],
  ] as const),
)

export const randomTask: fc.Arbitrary<Omit<Plain, 'n'>> = fc
  .record({
    title: text.map((parts) => parts.join(' ').replaceAll('\n', ' ')),
    notes: fc.oneof(
      fc.constant(''),
      text.map((parts) => parts.join('\n')),
    ),
    status: fc.constantFrom('open', 'open', 'in_progress', 'done', 'cancelled'),
    priority: fc.nat(4),
    due: when,
    start: when,
    duration: fc.constantFrom(null, 1, 15, 30, 43_200),
    created: instants,
    updated: instants,
    ended: instants,
    recurring: fc.boolean(),
    reminder: fc.boolean(),
    note: fc.boolean(),
    labels: fc.subarray(NAMES.labels),
    place,
    parent: fc.boolean(),
    blocked: fc.boolean(),
    blocking: fc.boolean(),
    trashed: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  .map(({ place: [project, section], ended, ...task }) => ({
    ...task,
    project,
    section,
    completed: task.status === 'done' ? ended : null,
  })) as fc.Arbitrary<Omit<Plain, 'n'>>

export interface Asked {
  readonly now: number
  readonly time_zone: string
}
export const asked: fc.Arbitrary<Asked> = fc.record({
  // Often on a whole minute, where a time of day is just not past.
  now: fc.oneof(
    instants,
    instants.map((at) => at - (at % (30 * 60_000))),
  ),
  time_zone: fc.constantFrom(...ZONES),
})

/** A filter as it is written, and what it says. */
export interface Written {
  readonly text: string
  readonly status: boolean
  readonly fits: (task: Plain, asked: Asked) => boolean
}

const formats = new Map(
  ZONES.map((timeZone) => {
    const [date, time] = [
      { year: 'numeric', month: '2-digit', day: '2-digit' } as const,
      { timeStyle: 'medium' } as const,
    ]
    const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('sv-SE', { timeZone, ...options })
    return [timeZone, { date: format(date), time: format(time) }]
  }),
)
/** What calendar and clock of a zone show, as `YYYY-MM-DDTHH:MM:SS`. */
const shown = (at: number, time_zone: string) => `${dayOf(at, time_zone)}T${formats.get(time_zone)?.time.format(at)}`
const dayOf = (at: number, time_zone: string) => formats.get(time_zone)?.date.format(at) ?? ''

function dayOfWhen(one: Plain['due'], time_zone: string): string | null {
  const at = instant(one)
  return at === null ? (one?.date ?? null) : dayOf(at, time_zone)
}

function isOverdue({ due, status }: Plain, { now, time_zone }: Asked): boolean {
  if (due === null || status === 'done' || status === 'cancelled') return false
  const at = instant(due)
  if (at !== null) return at < now
  if (due.time !== null)
    return `${due.date}T${due.time}:00.000` < `${shown(now, time_zone)}.${String(now % 1000).padStart(3, '0')}`
  return due.date < dayOf(now, time_zone)
}

const plus = (day: string, days: number) => dateOf(Date.parse(day) + days * DAY)
const term = (name: string, fits: Written['fits'], status = false): Written => ({ text: name, status, fits })

const states: Written[] = [
  term('today', ({ due }, { now, time_zone }) => dayOfWhen(due, time_zone) === dayOf(now, time_zone)),
  term('tomorrow', ({ due }, { now, time_zone }) => dayOfWhen(due, time_zone) === plus(dayOf(now, time_zone), 1)),
  term('overdue', isOverdue),
  term('undated', ({ due }) => due === null),
  term('recurring', ({ recurring }) => recurring),
  term('blocked', ({ blocked }) => blocked),
  term('blocking', ({ blocking }) => blocking),
  term('subtask', ({ parent }) => parent),
  term('inbox', ({ project }) => project === null),
  ...['open', 'in_progress', 'done', 'cancelled'].map((name) => term(name, ({ status }) => status === name, true)),
  ...[0, 1, 2, 3, 4].map((n) => term(`p${n}`, ({ priority }) => priority === n)),
  term('has:notes', ({ notes }) => notes !== ''),
  term('has:due', ({ due }) => due !== null),
  term('has:start', ({ start }) => start !== null),
  term('has:reminder', ({ reminder }) => reminder),
  term('has:duration', ({ duration }) => duration !== null),
  term('has:label', ({ labels }) => labels.length > 0),
  term('has:note', ({ note }) => note),
  term('#work', ({ project }) => project === 'Work'),
  term('#"AÑO  \\"ö\\""', ({ project }) => project === 'Año "Ö"'),
  term('/NEXT', ({ section }) => section === 'Next' || section === 'next'),
  term('/later', ({ section }) => section === 'Later'),
  term('@Bills', ({ labels }) => labels.includes('bills')),
  term(`@"it's 100%_"`, ({ labels }) => labels.includes("it's 100%_")),
  term('@STRASSE', ({ labels }) => labels.includes('Straße')),
]

/** Texts of filters, with the words that a task must have. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  ...{ MILK: ['milk'], rent: ['rent'], 'milk rent': ['milk', 'rent'], 'rent  MILK': ['milk', 'rent'] },
  ...{ table: ['table'], lin: [], 'lin*': ['lines'], Bills: ['bills'], nowhere: [], 'milk nowhere': [] },
}

const quoted = fc.constantFrom(...Object.entries(WORDS)).map(([wanted, words]) =>
  term(`"${wanted}"`, ({ title, notes, labels }) => {
    const own = [title, notes, ...labels]
      .join('\n')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
    return words.length > 0 && words.every((word) => own.includes(word))
  }),
)

const operator = fc.constantFrom('<', '<=', '=', '!=', '>=', '>')
function compares<T extends string | number>(value: T | null, sign: string, to: T): boolean {
  if (value === null) return false
  const results = { '<': value < to, '<=': value <= to, '=': value === to, '!=': value !== to, '>=': value >= to }
  return sign in results ? results[sign as keyof typeof results] : value > to
}

const WEEK = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const dateValue = fc.oneof(
  date.map((day) => ({ text: day, day: () => day })),
  fc.constant({ text: 'today', day: (today: string) => today }),
  fc
    .integer({ min: -20, max: 20 })
    .map((n) => ({ text: `${n < 0 ? '' : '+'}${n}d`, day: (from: string) => plus(from, n) })),
  fc.integer({ min: -2, max: 2 }).map((n) => ({ text: `${n}w`, day: (from: string) => plus(from, n * 7) })),
  fc.integer({ min: -1, max: 1 }).map((n) => ({ text: `${n}m`, day: (from: string) => plusMonths(from, n) })),
  fc.integer({ min: -1, max: 1 }).map((n) => ({ text: `${n}y`, day: (from: string) => plusMonths(from, n * 12) })),
  fc.nat(6).map((n) => ({
    text: WEEK[n] ?? '',
    day: (from: string) =>
      [0, 1, 2, 3, 4, 5, 6].map((k) => plus(from, k)).find((one) => new Date(one).getUTCDay() === n) ?? '',
  })),
)

/** The same day of another month, or its last. */
function plusMonths(from: string, months: number): string {
  const at = new Date(from)
  const day = at.getUTCDate()
  at.setUTCDate(1)
  at.setUTCMonth(at.getUTCMonth() + months)
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
  at.setUTCDate(Math.min(day, last))
  return dateOf(at.getTime())
}

const dated = fc
  .record({ field: fc.constantFrom('due', 'start', 'created', 'updated', 'completed'), operator, value: dateValue })
  .map(({ field, operator: sign, value }) =>
    term(
      `${field}${sign}${value.text}`,
      (task, { now, time_zone }) => {
        const one = task[field as 'due' | 'created']
        const day = typeof one === 'number' ? dayOf(one, time_zone) : dayOfWhen(one, time_zone)
        return compares(day, sign, value.day(dayOf(now, time_zone)))
      },
      field === 'completed',
    ),
  )
const numbered = fc.oneof(
  fc
    .record({ operator, value: fc.nat(4) })
    .map(({ operator: sign, value }) =>
      term(`priority ${sign} ${value}`, ({ priority }) => compares(priority, sign, value)),
    ),
  fc
    .record({ operator, value: fc.constantFrom(0, 1, 15, 29, 43_200) })
    .map(({ operator: sign, value }) =>
      term(`duration${sign}${value}`, ({ duration }) => compares(duration, sign, value)),
    ),
)

export const anyTerm = fc.oneof(fc.constantFrom(...states), quoted, dated, numbered)

export const anyFilter: fc.Arbitrary<Written> = fc.letrec<{ filter: Written }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    anyTerm,
    fc
      .record({ parts: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }), sign: fc.constantFrom('&', ' and ') })
      .map(({ parts, sign }) => joined(parts, sign, (fits) => fits.every(Boolean))),
    fc
      .record({ parts: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }), sign: fc.constantFrom('|', ' OR ') })
      .map(({ parts, sign }) => joined(parts, sign, (fits) => fits.some(Boolean))),
    fc.record({ part: tie('filter'), sign: fc.constantFrom('!', 'not ') }).map(({ part, sign }) => ({
      ...part,
      text: `${sign}(${part.text})`,
      fits: (task: Plain, how: Asked) => !part.fits(task, how),
    })),
  ),
})).filter

function joined(parts: readonly Written[], sign: string, join: (fits: boolean[]) => boolean): Written {
  return {
    text: parts.map((part) => `(${part.text})`).join(sign),
    status: parts.some(({ status }) => status),
    fits: (task, how) => join(parts.map((part) => part.fits(task, how))),
  }
}
