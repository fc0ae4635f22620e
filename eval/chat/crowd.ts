/**
 * Ordinary resources of others, which fill a workspace and answer no question of a set: the same kinds of facts (phones,
 * prices, dates, sizes), about people and places that the set does not name.
 */

import { chance } from '../../test/torture/row'
import frames from '../data/chat/crowd.json'
import { addDays, type CardOf, fold, type NoteOf, type OwnSet, type Resources, type TaskOf } from './set'

/** What the resources are, in turns. */
const ROTA = ['note', 'note', 'task', 'note', 'card'] as const
/** The days after today on which something is due or happens: none that a list of today, this week or overdue shows. */
const DAYS = [45, 445] as const
const SENTENCES = [2, 9] as const
const SYLLABLES = [2, 4] as const
/** Numbers from the first to below the second. */
const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  n: [3, 60],
  nn: [10_000, 99_999],
  eur: [90, 900],
  cm: [150, 200],
  h: [6, 23],
  mm: [10, 60],
}

/** Makes so many resources, the same for the same set: names that the set has are left out. */
export function makeCrowd(set: OwnSet, count: number): Resources {
  const next = chance(500)
  const known = new Set(fold(JSON.stringify(set)).split(/[^\p{L}]+/u))
  const free = Object.fromEntries(
    Object.entries(frames).map(([name, all]) => [name, all.filter((one) => !known.has(fold(one)))]),
  )
  const number = (least: number, below: number) => least + Math.floor(next() * (below - least))
  const pick = (name: string): string => write(free[name]?.[number(0, free[name].length)] ?? '')
  function write(frame: string): string {
    return frame.replace(/\{(\w+)\}/g, (_, name: string) => {
      const range = NUMBERS[name]
      if (range) return String(number(...range))
      if (name === 'person') return `${pick('first')} ${pick('last')}`
      if (name === 'phone') return `0${number(300, 900)} ${number(10, 99)} ${number(100, 999)} ${number(10, 99)}`
      return name === 'day' ? addDays(set.today, number(...DAYS)) : pick(name)
    })
  }
  const many = (name: string, [least, below]: readonly [number, number]) =>
    Array.from({ length: number(least, below) }, () => pick(name))
  const crowd = { notes: [] as NoteOf[], tasks: [] as TaskOf[], cards: [] as CardOf[] }
  for (let at = 0; at < count; at++) {
    const key = `crowd${at}`
    const kind = ROTA[at % ROTA.length]
    if (kind === 'note')
      crowd.notes.push({ key, title: pick('title'), tags: ['others'], body: many('sentence', SENTENCES).join('\n\n') })
    else if (kind === 'task') crowd.tasks.push({ key, title: pick('task'), due: addDays(set.today, number(...DAYS)) })
    else
      crowd.cards.push({
        key,
        deck: pick('language'),
        prompt: pick('card'),
        answer: many('syllable', SYLLABLES).join(''),
      })
  }
  return crowd
}
