/** Sentences of the settings, made of what the server and the browser say. */
import { momentInWords } from '../../public/in-words.js'
import { foreignAdvice, isSatchelKey } from '../../public/key-format.js'
import { tidyName } from '../../public/key-store.js'
import type { CalendarFeed, EmptiedTrash, ImportReport, Usage } from '../api/types'
import { locale, reader, say } from '../words/say'

type Hour = Usage['history'][number]

/** Hours before now that have no label in the chart, so that “now” has room. */
const ROOM = 9
/** Most parts that the scale of the chart is divided into. */
const PARTS = 4

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** The name of a new key: the wish in one line; without one “Key 2” or so, which no other has. */
export function nameFor(others: readonly { readonly name: string }[], wish: string): string {
  let number = others.length + 1
  while (others.some(({ name }) => name === say`Key ${number}`)) number++
  return tidyName(wish, say`Key ${number}`)
}

/** What is said of keys that were added: those that were not here before are `fresh`. */
export function keysInWords(found: number, fresh: readonly { readonly key: string }[]): string {
  if (fresh.length === 0)
    return found === 1 ? say`This key is here already. It is in use now.` : say`These keys are here already.`
  const added = fresh.length === 1 ? say`One key added.` : say`${fresh.length} keys added.`
  return fresh.every(({ key }) => isSatchelKey(key)) ? added : `${added} ${foreignAdvice(say)}`
}

/** What a feed shows, such as “Events: p1 or p2, also what is done”. */
export function feedInWords({
  filter,
  component,
  include_done,
}: Pick<CalendarFeed, 'filter' | 'component' | 'include_done'>): string {
  const what = filter ?? say`all open tasks`
  if (component === 'vevent') return include_done ? say`Events: ${what}, also what is done` : say`Events: ${what}`
  return include_done ? say`To-dos: ${what}, also what is done` : say`To-dos: ${what}`
}

/** What became of the trash. A run: there is so much that the server goes on by itself. */
export function emptiedInWords(answer: EmptiedTrash | ImportReport): string {
  if ('state' in answer) return say`There is much in the trash: the server goes on to erase it.`
  const { erased, kept } = answer
  const done =
    erased === 0
      ? say`The trash was empty.`
      : erased === 1
        ? say`Erased one thing.`
        : say`Erased ${erased} {thing|things}.`
  if (kept.length === 0) return done
  return `${done} ${say`${kept.length} could not be erased, since other things depend on them.`}`
}

/** The hours of the reader's day that are named below the bars: midnight by its weekday, noon by the clock. */
export function labelsOf(hours: readonly Pick<Hour, 'hour'>[]): { place: number; words: string }[] {
  return hours.flatMap(({ hour }, place) => {
    const start = new Date(hour)
    if (start.getHours() % 12 !== 0 || place > hours.length - ROOM) return []
    return [{ place, words: (start.getHours() === 12 ? clock : weekday).format(start) }]
  })
}

/** A scale from nought in at most four equal parts, each 1, 2 or 5 times a power of ten, that reaches a number of requests. */
export function scaleOf(value: number): { step: number; top: number } {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value / PARTS)))
  const step = power * ([1, 2, 5].find((times) => times * power * PARTS >= value) ?? 10)
  return { step, top: step * Math.max(1, Math.ceil(value / step)) }
}

/** Such as “120 served, 3 refused”. */
export function sumInWords(hours: readonly Hour[]): string {
  const used = hours.reduce((sum, hour) => sum + hour.used, 0)
  const refused = hours.reduce((sum, hour) => sum + hour.refused, 0)
  if (used + refused === 0) return say`none`
  return refused > 0 ? say`${used} served, ${refused} refused` : say`${used} served`
}

/** What kind of workspace it is, and since or until when. */
export function kindInWords({ kind, created_at, expires_at }: Usage['workspace'], at: Date): string {
  if (kind === 'key')
    return created_at ? say`Private, since ${date.format(new Date(created_at))}` : say`Private, still empty`
  if (!expires_at) return say`Scratch space, still empty`
  return say`Scratch space, erased ${momentInWords(new Date(expires_at), at, reader)} unless it is used before`
}
