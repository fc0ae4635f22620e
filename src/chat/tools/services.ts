import type { Session } from '../../db/database'
import type { Precondition, Tagged } from '../../http/conditional'

/**
 * What chat is handed of the other features: the services that their routes call, with their quota, revisions and change
 * feed. Only the members that tools use; all of them throw Refusals. Writes are one transaction each, and join one that
 * is open.
 */
export interface ChatServices {
  readonly notes: NoteServices
  readonly tasks: TaskServices
  readonly flashcards: FlashcardServices
}

interface Stored {
  readonly id: string
  readonly revision: number
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next_cursor: string | null
}

interface Paging {
  readonly limit: string
  readonly cursor?: string
}

export interface NoteSummary extends Stored {
  readonly title: string
  readonly excerpt: string
  readonly tags: readonly string[]
  readonly folder: string | null
  readonly deleted_at: string | null
}

export interface Note extends NoteSummary {
  readonly body: string
}

export interface FoundNote {
  readonly note: NoteSummary
  readonly snippets: readonly { readonly field: string; readonly text: string }[]
}

/** One edit of a body, as POST /api/notes/{id}/edits takes it. */
export interface NoteEdit {
  readonly op: 'append' | 'replace'
  readonly target: { document: true } | { heading: string[] }
  readonly content: string
}

export interface NoteServices {
  get(session: Session, id: string): Promise<Tagged<Note>>
  create(
    session: Session,
    input: { title: string; body?: string; tags?: string[]; folder?: string },
  ): Promise<Tagged<Note>>
  update(session: Session, id: string, patch: { body: string }, precondition: Precondition): Promise<Tagged<Note>>
  trash(session: Session, id: string, precondition: Precondition): Promise<void>
  edit(
    session: Session,
    id: string,
    input: { edits: NoteEdit[]; dry_run?: boolean },
    precondition: Precondition,
  ): Promise<Tagged<Note>>
  search(session: Session, query: { q: string } & Paging): Promise<Page<FoundNote>>
}

export interface When {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

export interface Task extends Stored {
  readonly title: string
  readonly notes: string
  readonly status: 'open' | 'in_progress' | 'done' | 'cancelled'
  readonly priority: number
  readonly due: When | null
  readonly due_at: string | null
  readonly labels: readonly string[]
  /** Null for one that does not repeat. */
  readonly recurrence: object | null
  /** Its direct parts. */
  readonly subtasks: { readonly total: number }
  readonly deleted_at: string | null
}

/** Members of a task that tools set. */
export interface TaskMembers {
  title?: string
  due?: When | null
  priority?: number
  labels?: string[]
  notes?: string
}

export interface TaskServices {
  get(session: Session, id: string): Promise<Tagged<Task>>
  create(session: Session, input: TaskMembers & { title: string }): Promise<Tagged<Task>>
  update(session: Session, id: string, patch: TaskMembers, precondition: Precondition): Promise<Tagged<Task>>
  trash(session: Session, id: string, precondition: Precondition): Promise<void>
  complete(
    session: Session,
    id: string,
    asked: { time_zone: string },
    precondition: Precondition,
  ): Promise<Tagged<{ readonly task: Task; readonly completion: { readonly id: string } | null }>>
  reopen(session: Session, id: string, precondition: Precondition): Promise<Tagged<Task>>
  quickAdd(
    session: Session,
    asked: { text: string; time_zone: string; now: string },
  ): Promise<
    Tagged<{ readonly task: Task; readonly warnings: readonly { readonly text: string; readonly detail: string }[] }>
  >
  list(session: Session, query: { filter?: string; time_zone: string; now: string } & Paging): Promise<Page<Task>>
}

export interface FactContent {
  type: 'basic' | 'reversed' | 'typed' | 'cloze'
  front?: string | null
  back?: string | null
  text?: string | null
}

export interface Fact extends Stored {
  readonly type: FactContent['type']
  readonly front: string | null
  readonly back: string | null
  readonly text: string | null
  readonly tags: readonly string[]
  readonly deleted_at: string | null
}

export interface Deck extends Stored {
  readonly name: string
  readonly deleted_at: string | null
}

export interface DueCard {
  readonly id: string
  readonly fact_id: string
  readonly deck_id: string
  readonly prompt: string
  readonly state: 'new' | 'learning' | 'review' | 'relearning'
  readonly due_at: string | null
}

export interface CardCounts {
  readonly new: number
  readonly learning: number
  readonly review: number
}

export interface Draft {
  readonly fact: FactContent
  readonly pattern: string
  /** From 1, in the text. */
  readonly line: number
}

export interface FlashcardServices {
  getFact(session: Session, id: string): Promise<Tagged<Fact>>
  addFact(
    session: Session,
    input: FactContent & { deck_id: string },
    onDuplicate: 'create' | 'skip',
  ): Promise<{ readonly status: 200 | 201; readonly fact: Tagged<Fact> }>
  trashFact(session: Session, id: string, precondition: Precondition): Promise<void>
  listFacts(session: Session, query: { q: string } & Paging): Promise<Page<Fact>>
  getDeck(session: Session, id: string): Promise<Tagged<Deck>>
  createDeck(session: Session, input: { name: string }): Promise<Tagged<Deck>>
  listDecks(session: Session, query: Paging): Promise<Page<Deck>>
  /** What to study now, in its order. */
  queue(
    session: Session,
    query: { deck_id?: string; limit: string },
  ): Promise<{ readonly counts: CardCounts; readonly items: readonly { readonly card: DueCard }[] }>
  /** Facts that a text has the form of. Nothing is stored. */
  draft(session: Session, asked: { text: string; limit: number }): Promise<{ readonly drafts: readonly Draft[] }>
}
