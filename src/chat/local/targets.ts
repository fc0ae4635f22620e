import { fold } from '../../search/fold'
import type { EngineRun } from '../engine'
import type { NamedItem } from './grammar/intent'
import { objectsIn, plainTitle, sayFault, textIn } from './outcome'
import { splitWords, stem } from './words'

/** Something that a message may mean. */
export interface NoteOrTask {
  readonly id: string
  readonly title: string
}

/** What is offered where a name fits several. */
const MOST_OFFERED = 10
/** Words of a name that are looked for; a filter of tasks has an end. */
const MOST_WORDS = 8
const LONGEST_WORD = 40
/** UTF-16 units. */
const LONGEST_QUERY = 300
const LITTLE = new Set('a an the my our to of in on at for and or with it is do doing get be'.split(' '))

const wordsIn = (text: string): string[] => {
  const words = splitWords(text).map((word) => fold(word.text))
  const telling = words.filter((word) => !LITTLE.has(word))
  return telling.length > 0 ? telling : words
}

/** The task of a name, among those that a filter leaves; says why if there is not exactly one. */
export async function findOneTask(run: EngineRun, task: NamedItem, states: string): Promise<NoteOrTask | null> {
  const filter = `(${states}) and (${filterOf(task.words)})`
  const outcome = await run.call('list_tasks', { filter, limit: 25 })
  if (sayFault(run, outcome)) return null
  return choose(run, 'task', task, targetsOf(objectsIn(outcome.result, 'items')))
}

/** The note of a name; says why if there is not exactly one. */
export async function findOneNote(run: EngineRun, note: NamedItem): Promise<NoteOrTask | null> {
  const found = await notesWithWords(run, note.words)
  return found && choose(run, 'note', note, found)
}

/** As much of the words as the search takes, without half a surrogate pair at the end. */
export const queryOf = (words: string): string => words.slice(0, LONGEST_QUERY).replace(/[\ud800-\udbff]$/, '')

/** Notes that hold the words, the best first; null where that could not be looked up, which is said. */
export async function notesWithWords(run: EngineRun, words: string): Promise<NoteOrTask[] | null> {
  const outcome = await run.call('search', { query: queryOf(words), types: ['note'], limit: 20 })
  return sayFault(run, outcome) ? null : targetsOf(objectsIn(outcome.result, 'items'))
}

/** Tasks that hold one of the words, as a filter of tasks says it; a stem finds the other forms of its word. */
export function filterOf(name: string): string {
  const words = wordsIn(name).slice(0, MOST_WORDS)
  const parts = words.map((word) => `"${common(word, stem(word)).slice(0, LONGEST_WORD).toWellFormed()}"`)
  return parts.length > 0 ? parts.join(' or ') : '""'
}

/** Those that the name fits best: the title itself, else all of its words. */
export function matchingTargets(name: NamedItem, candidates: readonly NoteOrTask[]): NoteOrTask[] {
  const key = fold(name.words).trim()
  const same = candidates.filter(({ title }) => fold(title).trim() === key)
  if (same.length > 0 || name.quoted) return same
  const stems = wordsIn(name.words).map(stem)
  return candidates.filter(({ title }) => {
    const held = new Set(splitWords(title).map((word) => stem(fold(word.text))))
    return stems.every((one) => held.has(one))
  })
}

function choose(
  run: EngineRun,
  what: 'note' | 'task',
  name: NamedItem,
  candidates: readonly NoteOrTask[],
): NoteOrTask | null {
  const fits = matchingTargets(name, candidates)
  const [only] = fits
  if (only && fits.length === 1) return only
  const offered = (fits.length > 0 ? fits : candidates).slice(0, MOST_OFFERED)
  const problem = fits.length > 0 ? `Several ${what}s fit` : `I found no ${what} called`
  const lines = offered.map(({ title }, i) => `${i + 1}. ${plainTitle(title)}`)
  const ask = lines.length > 0 ? `Say which by its title in quotation marks; I did nothing:\n${lines.join('\n')}` : ''
  run.say(`${problem} ${plainTitle(name.words)}. ${ask || 'I did nothing.'}`)
  return null
}

const targetsOf = (items: readonly Readonly<Record<string, unknown>>[]): NoteOrTask[] =>
  items.map((item) => ({ id: textIn(item, 'id'), title: textIn(item, 'title') })).filter(({ id }) => id !== '')

/** The longest beginning that both have. */
function common(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length > 0 ? a.slice(0, length) : a
}
