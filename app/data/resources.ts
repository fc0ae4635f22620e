/** The resources that the browser keeps a copy of. */
import type {
  Card,
  Deck,
  Label,
  Note,
  NoteSummary,
  Project,
  SavedFilter,
  StudySettings,
  Task,
  TaskSection,
  WorkspaceSettings,
} from '../api/types'

/** By the name that the change feed gives to the type. */
export interface CopiedTypes {
  /** The body is kept apart. */
  note: NoteSummary
  task: Task
  task_project: Project
  task_section: TaskSection
  task_label: Label
  task_filter: SavedFilter
  deck: Deck
  workspace_settings: WorkspaceSettings
}
export type CopiedType = keyof CopiedTypes
export type Copied = CopiedTypes[CopiedType]

export const COPIED_TYPES: readonly CopiedType[] = [
  'note',
  'task',
  'task_project',
  'task_section',
  'task_label',
  'task_filter',
  'deck',
  'workspace_settings',
]

/** The body of a note as of a revision. */
export interface Body {
  readonly id: string
  readonly revision: number
  readonly body: string
}

/** What the server said last of what to study in a deck and its subdecks. */
export interface KeptQueue {
  /** An id; empty: all decks. */
  readonly deck: string
  /** Of its cards, in order. */
  readonly ids: readonly string[]
  /** Whether these were all that there were to study. */
  readonly isWhole: boolean
  readonly settings: StudySettings
  /** An instant. */
  readonly dayEndsAt: string
  /** Milliseconds since 1970. */
  readonly keptAt: number
}

/** Whether a card is in its first steps, or in those after it was forgotten. */
export const isLearning = ({ state }: Pick<Card, 'state'>) => state === 'learning' || state === 'relearning'

/** Parts a note of the server into what lists show and its body. */
export function partNote({ body, properties: _, ...summary }: Note): { summary: NoteSummary; body: Body } {
  return { summary, body: { id: summary.id, revision: summary.revision, body } }
}
