/** Adds what was typed into quick add: a task, a note or a card. */
import type { QuickParse } from '../../src/tasks/quick/parse'
import type { Deck, Project, TaskSection } from '../api/types'
import { createResource } from '../data/create'
import { newId } from '../data/ids'
import { recall, remember } from '../data/remembered'
import type { Workspace } from '../data/workspace'
import type { Write } from '../data/writes'
import { actWithUndo } from '../shell/act'
import { say } from '../words/say'
import { taskOf } from './task-of'

/** What is made. A line with `::` is a card, whatever is chosen. */
export type Kind = 'task' | 'note' | 'card'

interface KindWords {
  readonly name: string
  readonly add: string
  readonly field: string
  readonly example: string
  readonly hint: string
}
export const KINDS: Readonly<Record<Kind, KindWords>> = {
  task: {
    ...{ name: say`Task`, add: say`Add task`, field: say`New task`, example: say`Call mum tomorrow 9am` },
    hint: say`tomorrow 9am · every friday · @label · #project · !1`,
  },
  note: {
    ...{ name: say`Note`, add: say`Add note`, field: say`New note`, example: say`A thought` },
    hint: say`The first line is the title.`,
  },
  card: {
    ...{ name: say`Card`, add: say`Add card`, field: say`New card`, example: say`Capital of Peru :: Lima` },
    hint: say`question :: answer`,
  },
}

/** The sides of `front :: back`; null if it is none. */
export function cardSides(text: string): { front: string; back: string } | null {
  const [, front, back] = /^(.*\S)\s+::\s+(\S.*)$/s.exec(text) ?? []
  return front !== undefined && back !== undefined ? { front: front.trim(), back: back.trim() } : null
}

/**
 * Adds a task. Returns a sentence if it cannot be added as it is.
 * @param parse null: the text is taken as it is
 * @param projectId where it goes if the text names no project; null: the inbox
 */
export function addTask(
  workspace: Workspace,
  text: string,
  parse: QuickParse | null,
  projectId: string | null,
): string {
  const data = taskOf(text, parse, projectId)
  if (typeof data === 'string') return data
  const id = newId()
  actWithUndo(
    workspace,
    say`Added “${data.title}”.`,
    [{ type: 'task', op: { op: 'create', id, data } }],
    [{ type: 'task', op: { op: 'delete', id } }],
  )
  return ''
}

/** Adds a note: its first line is the title. */
export function addNote(workspace: Workspace, text: string): void {
  const id = newId()
  const write: Write = { type: 'note', op: { op: 'create', id, data: { body: text.trim() } } }
  actWithUndo(workspace, say`Added a note.`, [write], [{ type: 'note', op: { op: 'delete', id } }])
}

/** Adds a card to a deck; null: the first deck is made. Returns a sentence if it is no card. Throws Refused, Unreachable, without a deck. */
export async function addCard(workspace: Workspace, text: string, deck: Deck | null): Promise<string> {
  const sides = cardSides(text)
  if (!sides) return say`Write the question, two colons and the answer: Capital of Peru :: Lima`
  const { id, name } =
    deck ?? (await createResource<Deck>(workspace, 'deck', 'api/flashcards/decks', { name: say`Cards` }))
  const card = newId()
  actWithUndo(
    workspace,
    say`Added a card to “${name}”.`,
    [{ type: 'fact', op: { id: card, type: 'basic', deck_id: id, ...sides } }],
    async () => {
      if (!(await workspace.outbox.withdraw(card)))
        await workspace.api.call({ method: 'DELETE', path: `api/flashcards/facts/${card}` })
    },
  )
  return ''
}

/** Makes a project that a line names, so that it is understood. Throws Refused, Unreachable. */
export const makeProject = (workspace: Workspace, name: string) =>
  createResource<Project>(workspace, 'task_project', 'api/tasks/projects', { name })

/** Makes a section of a project that a line names. Throws Refused, Unreachable. */
export const makeSection = (workspace: Workspace, project_id: string, name: string) =>
  createResource<TaskSection>(workspace, 'task_section', 'api/tasks/sections', { project_id, name })

const DECK = 'satchel.quick_add.deck'

/** The deck of the last card, else the oldest; null: there is none. */
export function deckForCards({ copy }: Workspace): Deck | null {
  const decks = copy.shown.deck.value
  const [oldest] = [...decks.values()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  return decks.get(recall(DECK)) ?? oldest ?? null
}

export const rememberDeck = (id: string) => remember(DECK, id)
