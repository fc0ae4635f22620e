/** The kinds of things that can be in the trash, and how each is listed and brought back. */
import type { Deck, Fact, Label, NoteSummary, Project, SavedFilter, Task, TaskSection } from '../api/types'
import { say } from '../words/say'

/** Something in the trash, as it is listed. */
export interface Trashed {
  readonly id: string
  readonly title: string
  /** RFC 3339 instant. */
  readonly deleted_at: string
}

export interface TrashKind {
  /** As the API calls it. */
  readonly type: 'note' | 'task' | 'task_project' | 'task_section' | 'task_label' | 'task_filter' | 'deck' | 'fact'
  readonly title: string
  /** The list, to which `trashed=true` is added; one thing of it is restored by POST to its `/{id}/restore`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
}

export const TRASH_KINDS: readonly TrashKind[] = [
  { type: 'note', title: say`Notes`, path: 'api/notes', query: { archived: 'any' } },
  { type: 'task', title: say`Tasks`, path: 'api/tasks', query: { status: 'any' } },
  { type: 'deck', title: say`Decks`, path: 'api/flashcards/decks' },
  { type: 'fact', title: say`Flashcards`, path: 'api/flashcards/facts' },
  { type: 'task_project', title: say`Projects`, path: 'api/tasks/projects' },
  { type: 'task_section', title: say`Sections`, path: 'api/tasks/sections' },
  { type: 'task_label', title: say`Labels`, path: 'api/tasks/labels' },
  { type: 'task_filter', title: say`Saved filters`, path: 'api/tasks/filters' },
]

/** A resource of any kind that can be in the trash. */
export type TrashedResource = NoteSummary | Task | Deck | Fact | Project | TaskSection | Label | SavedFilter

/** Longest title shown of a flashcard, in characters. */
const MAX_TITLE = 120

/** The resource as it is listed: a flashcard by its question, in one line. */
export function toTrashed(resource: TrashedResource): Trashed {
  const title =
    'title' in resource
      ? resource.title
      : 'name' in resource
        ? resource.name
        : (resource.front ?? resource.text ?? Object.values(resource.fields ?? {})[0] ?? '')
  const line = title.replace(/\s+/g, ' ').trim()
  return {
    id: resource.id,
    title: line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line || say`Untitled`,
    deleted_at: resource.deleted_at ?? '',
  }
}
