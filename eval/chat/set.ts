/** A set of our own: what stands in the workspace of a person, and what that person asks and says. See eval/README.md. */
import { join } from 'node:path'
import type { NoteText } from '../satchel'
import type { Part } from '../search/compare'

interface Keyed {
  readonly key: string
}

export interface NoteOf extends Keyed, NoteText {
  readonly tags: readonly string[]
}

export interface TaskOf extends Keyed {
  readonly title: string
  readonly description?: string
  /** `2026-03-05` or `2026-03-05T18:30`. */
  readonly due?: string | null
  readonly repeat?: string | null
  readonly project?: string | null
  readonly labels?: readonly string[]
  readonly priority?: number
  /** The day on which it was done. */
  readonly done?: false | string
}

export interface CardOf extends Keyed {
  readonly deck: string
  readonly prompt: string
  readonly answer: string
}

export interface Resources {
  readonly notes: readonly NoteOf[]
  readonly tasks: readonly TaskOf[]
  readonly cards: readonly CardOf[]
}

interface Said {
  readonly language: string
  readonly kind: string
  /** Without one it belongs to both: a set aside is not tuned on. */
  readonly part?: Part
  /** What the person said before it, in order. */
  readonly before?: readonly string[]
}

export interface Question extends Said {
  readonly ask: string
  readonly size: number
  readonly of: readonly string[]
  /** Of each list, one text has to be in the answer. */
  readonly right: readonly (readonly string[])[]
  readonly wrong?: readonly string[]
}

export interface Command extends Said {
  readonly say: string
  /** The one change that is asked for, such as `{ move: 't4', due: '2026-03-06' }`; null for none. */
  readonly does: Does | null
}

export type Does = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** The resources and questions of a set have the size of the smallest workspace in which they stand. */
export interface OwnSet {
  /** A Monday. */
  readonly today: string
  readonly time_zone: string
  readonly projects: readonly string[]
  readonly notes: readonly (NoteOf & { readonly size: number })[]
  readonly tasks: readonly (TaskOf & { readonly size: number })[]
  readonly cards: readonly (CardOf & { readonly size: number })[]
  readonly questions: readonly Question[]
  readonly commands: readonly Command[]
}

export const readSet = (name: string): Promise<OwnSet> =>
  Bun.file(join(import.meta.dir, '../data/chat', `${name}.json`)).json()

/** Lists what of a set stands in a workspace of so many resources. */
export function pickSize({ notes, tasks, cards }: OwnSet, size: number): Resources {
  const stands = (one: { readonly size: number }) => one.size <= size
  return { notes: notes.filter(stands), tasks: tasks.filter(stands), cards: cards.filter(stands) }
}

export const merge = (one: Resources, other: Resources): Resources => ({
  notes: [...one.notes, ...other.notes],
  tasks: [...one.tasks, ...other.tasks],
  cards: [...one.cards, ...other.cards],
})

const DAY_MS = 86_400_000
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Makes a text comparable: without case, accents, marks of citations and signs of Markdown. */
export const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}|\[\d+\]|[*_`#|]|\[[ x]\]/gu, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()

/** Whether an answer holds a text of each list, and no wrong one. A day stands for all ways to write it. */
export function isRight({ right, wrong = [] }: Question, answer: string, today: string): boolean {
  const text = fold(answer)
  const holds = (one: string) => waysOf(one, today).some((way) => holdsWord(text, fold(way)))
  return right.every((texts) => texts.some(holds)) && !wrong.some(holds)
}

/** Whether it stands where a word begins; a number and a short word also have to end there. */
function holdsWord(text: string, part: string): boolean {
  const isShort = /\d$/.test(part) || /^\p{L}{1,3}$/u.test(part)
  const end = isShort ? '(?![\\p{L}\\d]|[.,:]\\d)' : ''
  return new RegExp(`(?<![\\p{L}\\d]|\\d[.,:])${RegExp.escape(part)}${end}`, 'u').test(text)
}

/** Lists how people write a day, in four languages; a near one also by its name. Any other text as it stands. */
function waysOf(text: string, today: string): string[] {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return [text]
  const [date, away] = [new Date(text), (Date.parse(text) - Date.parse(today)) / DAY_MS]
  const [day, month] = [date.getUTCDate(), date.getUTCMonth() + 1]
  const padded = `${String(day).padStart(2, '0')}.${String(month).padStart(2, '0')}.`
  const ways = [text, `${day}.${month}.`, padded]
  for (const language of ['en', 'de', 'fr', 'es']) {
    const name = (form: 'short' | 'long') =>
      date.toLocaleDateString(language, { month: form, timeZone: 'UTC' }).replace('.', '')
    for (const one of [name('short'), name('long')])
      ways.push(`${day} ${one}`, `${day}. ${one}`, `${one} ${day}`, `${day} de ${one}`, `${day} of ${one}`)
    if (Math.abs(away) < 7) ways.push(date.toLocaleDateString(language, { weekday: 'long', timeZone: 'UTC' }))
  }
  const near = ['yesterday gestern hier ayer', "today heute aujourd'hui hoy", 'tomorrow morgen demain mañana'][away + 1]
  return [...ways, ...(near?.split(' ') ?? [])]
}
