import { fold } from '../../search/fold'
import type { EngineRun } from '../engine'
import type { NamedItem } from './grammar/intent'
import { readObjectList, readTextMember, sayFault } from './outcome'
import { writeNoneFits, writeSeveral } from './wording'
import { splitWords, stem } from './words'

/** A note or task that a message may mean. */
export interface NoteOrTask {
  readonly id: string
  readonly title: string
  /** Of a task, as tools write it: `2026-03-05T09:00`, without the time for a whole day; '' for none, and of a note. */
  readonly due: string
}

/** Words of a name that are searched, since filters of tasks are limited. */
const MAX_WORDS = 8
const MAX_WORD_UNITS = 40
/** UTF-16 units of a query. */
const MAX_QUERY_UNITS = 300
const FILLER_WORDS = new Set('a an the my our to of in on at for and or with it is do doing get be'.split(' '))

const listWords = (text: string): string[] => {
  const words = splitWords(text).map((word) => fold(word.text))
  const telling = words.filter((word) => !FILLER_WORDS.has(word))
  return telling.length > 0 ? telling : words
}

/** Finds the task with a name, among those in some states; says why if there is not exactly one. */
export async function findOneTask(run: EngineRun, task: NamedItem, states: string): Promise<NoteOrTask | null> {
  const filter = `(${states}) and (${buildTaskFilter(task.words)})`
  const outcome = await run.call('list_tasks', { filter, limit: 25 })
  if (sayFault(run, outcome)) return null
  return chooseTarget(run, 'task', task, toTargets(readObjectList(outcome.result, 'items')))
}

/** Finds the note with a name; says why if there is not exactly one. */
export async function findOneNote(run: EngineRun, note: NamedItem): Promise<NoteOrTask | null> {
  const found = await findNotesWithWords(run, note.words)
  return found && chooseTarget(run, 'note', note, found)
}

/** Finds the note or task in the trash with a name; says why if there is not exactly one. */
export async function findOneInTrash(
  run: EngineRun,
  what: 'note' | 'task',
  name: NamedItem,
): Promise<NoteOrTask | null> {
  const outcome = await run.call('search', { query: '', trashed: true, types: [what], limit: 20 })
  if (sayFault(run, outcome)) return null
  const candidates = toTargets(readObjectList(outcome.result, 'items'))
  return chooseTarget(run, what, name, filterByName(name, candidates))
}

/** Cuts words to what the search takes, without half a surrogate pair at the end. */
export const cutQuery = (words: string): string => words.slice(0, MAX_QUERY_UNITS).replace(/[\ud800-\udbff]$/, '')

/** Finds notes with the words, best first; says why and returns null if the search failed. */
export async function findNotesWithWords(run: EngineRun, words: string): Promise<NoteOrTask[] | null> {
  const outcome = await run.call('search', { query: cutQuery(words), types: ['note'], limit: 20 })
  return sayFault(run, outcome) ? null : toTargets(readObjectList(outcome.result, 'items'))
}

/** Builds a filter of tasks with any of the words; the beginnings find the other forms of a word. */
export function buildTaskFilter(name: string): string {
  const words = listWords(name).slice(0, MAX_WORDS)
  const parts = words.map((word) => `"${commonPrefix(word, stem(word)).slice(0, MAX_WORD_UNITS).toWellFormed()}*"`)
  return parts.length > 0 ? parts.join(' or ') : '""'
}

/** Returns the candidates that fit a name best: those with that title, else those with all of its words. */
export function filterByName(name: NamedItem, candidates: readonly NoteOrTask[]): NoteOrTask[] {
  const key = fold(name.words).trim()
  const same = candidates.filter(({ title }) => fold(title).trim() === key)
  if (same.length > 0 || name.quoted) return same
  const stems = listWords(name.words).map((word) => stem(word))
  return candidates.filter(({ title }) => {
    const titleStems = new Set(splitWords(title).map((word) => stem(fold(word.text))))
    return stems.every((one) => titleStems.has(one))
  })
}

function chooseTarget(
  run: EngineRun,
  what: 'note' | 'task',
  name: NamedItem,
  candidates: readonly NoteOrTask[],
): NoteOrTask | null {
  const fits = filterByName(name, candidates)
  const [only] = fits
  if (only && fits.length === 1) return only
  const titles = (fits.length > 0 ? fits : candidates).map(({ title }) => title)
  run.say((fits.length > 0 ? writeSeveral : writeNoneFits)(what, name.words, titles))
  return null
}

/** Reads the notes or tasks of a result. */
export const toTargets = (items: readonly Readonly<Record<string, unknown>>[]): NoteOrTask[] =>
  items
    .map((item) => ({
      id: readTextMember(item, 'id'),
      title: readTextMember(item, 'title'),
      due: readTextMember(item, 'due'),
    }))
    .filter(({ id }) => id !== '')

/** Returns the longest common beginning; the first text if there is none. */
function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length > 0 ? a.slice(0, length) : a
}
