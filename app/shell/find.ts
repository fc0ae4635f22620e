/** What the palette finds: actions and what the copy holds at once, and what else the server's search knows. */
import type { NoteSummary, Project, SavedFilter, SearchResult, Task } from '../api/types'
import type { PastConversation } from '../data/database'
import { dateInWords } from '../tasks/dates'
import { say } from '../words/say'
import type { Action } from './actions'
import { addressOf, go } from './route'

/** Rows from the copy, and in all. */
const MAX_LOCAL = 12
const MAX_SHOWN = 24

export interface Entry extends Action {
  /** What it is and when it is due, beside the title. */
  readonly detail?: string
  /** The address that it opens; what is found twice is shown once. */
  readonly address?: string
}

/** The resources of the copy, by id. */
export interface Searched {
  readonly note: ReadonlyMap<string, Pick<NoteSummary, 'id' | 'title'>>
  readonly task: ReadonlyMap<string, Pick<Task, 'id' | 'title' | 'status' | 'due'>>
  readonly task_project: ReadonlyMap<string, Pick<Project, 'id' | 'name'>>
  readonly task_filter: ReadonlyMap<string, Pick<SavedFilter, 'id' | 'name'>>
  readonly conversations: readonly Pick<PastConversation, 'id' | 'title'>[]
}

/** Finds by titles, without the server. What fits best comes first: a beginning, the beginning of a word, any place. */
export function findLocal(text: string, actions: readonly Action[], copy: Searched, today: string): Entry[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return actions.slice(0, MAX_LOCAL)
  const ranked: { readonly entry: () => Entry; readonly rank: number }[] = []
  const add = (title: string, entry: () => Entry, later = 0) => {
    const rank = rankOf(title.toLowerCase(), sought)
    if (rank !== null) ranked.push({ entry, rank: rank + later })
  }
  // Commands come after what fits as well.
  for (const action of actions) add(action.title, () => action, 0.75)
  for (const { id, name } of copy.task_project.values())
    add(name, () => link(name, say`Project`, addressOf('tasks', ['project', id])))
  for (const { id, name } of copy.task_filter.values())
    add(name, () => link(name, say`Filter`, addressOf('tasks', ['filter', id])))
  for (const { id, title } of copy.note.values()) add(title, () => linkToNote(id, title))
  for (const { id, title } of copy.conversations)
    add(title, () => link(title, say`Conversation`, addressOf('chat', [id])), 0.25)
  // Done tasks come after all else that fits as well.
  for (const task of copy.task.values()) add(task.title, () => linkToTask(task, today), isClosed(task) ? 0.5 : 0)
  ranked.sort((a, b) => a.rank - b.rank)
  return ranked.slice(0, MAX_LOCAL).map(({ entry }) => entry())
}

/**
 * Adds what the server found with as many of the words as its best result. It comes after what is shown already, so that
 * no row moves under the hand.
 */
export function addFound(local: readonly Entry[], found: readonly SearchResult[], today: string): Entry[] {
  const known = new Set(local.map(({ address }) => address))
  const best = found.filter(({ words }) => words >= (found[0]?.words ?? 0))
  const added = best.map((one) => toEntry(one, today)).filter(({ address }) => !known.has(address))
  return [...local, ...added].slice(0, MAX_SHOWN)
}

function toEntry(found: SearchResult, today: string): Entry {
  if (found.type === 'note') return linkToNote(found.id, found.title)
  if (found.type === 'task') return linkToTask(found, today)
  const { id, title, deck } = found
  return link(title, say`Card · ${deck.name}`, addressOf('study', ['deck', deck.id], { fact: id }))
}

const link = (title: string, detail: string, address: string): Entry => {
  return { title, detail, address, run: () => go(address) }
}

const linkToNote = (id: string, title: string) => link(title, say`Note`, addressOf('notes', [id]))

function linkToTask({ id, title, status, due }: Pick<Task, 'id' | 'title' | 'status' | 'due'>, today: string): Entry {
  const open = due === null ? say`Task` : say`Task · ${dateInWords(due.date, today)}`
  const detail = status === 'done' ? say`Task · done` : status === 'cancelled' ? say`Task · cancelled` : open
  return link(title, detail, addressOf('tasks', ['task', id]))
}

const isClosed = ({ status }: Pick<Task, 'status'>) => status === 'done' || status === 'cancelled'

function rankOf(title: string, sought: string): number | null {
  const at = title.indexOf(sought)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(title.charAt(at - 1)) ? 2 : 1
  return sought.split(/\s+/).every((word) => title.includes(word)) ? 3 : null
}
