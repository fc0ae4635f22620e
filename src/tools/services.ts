import type { Session } from '../db/database'
import type { Precondition, Tagged } from '../http/conditional'
import type { TimeLanguage } from '../lib/civil/words/read'

/**
 * The services of the other features that chat uses: those that their routes call, with quota, revisions and change
 * feed, reduced to the members that tools need. All throw ApiErrors. Each write is one transaction, or joins an open
 * one.
 */
export interface ToolServices {
  readonly search: SearchService
  readonly notes: NoteServices
  readonly tasks: TaskServices
  readonly flashcards: FlashcardServices
  readonly changes: ChangeServices
}

export interface ToolChange {
  readonly type: string
  readonly id: string
  /** `delete`: moved to the trash or erased. */
  readonly op: 'upsert' | 'delete'
  readonly revision: number
  readonly changed_at: string
  /** The cursor that continues after it. */
  readonly cursor: string
}

interface ChangeServices {
  /**
   * Lists the changes after a cursor, oldest first; for null the latest ones. `cursor` continues after all that there
   * are now. Throws cursor_expired.
   */
  list(
    session: Session,
    since: string | null,
    limit: number,
  ): Promise<{ readonly items: readonly ToolChange[]; readonly hasMore: boolean; readonly cursor: string }>
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

interface ToolFoundBase extends Stored {
  readonly title: string
  readonly tags: readonly string[]
  readonly words: number
  readonly snippets: readonly { readonly field: string; readonly text: string }[]
}

/** A result of the search. */
export type ToolFound =
  | (ToolFoundBase & { readonly type: 'note'; readonly excerpt: string })
  | (ToolFoundBase & { readonly type: 'task' } & Pick<ToolTask, 'status' | 'due'>)
  | (ToolFoundBase & {
      readonly type: 'fact'
      readonly deck: { readonly name: string }
      readonly cards: readonly Pick<DueCard, 'state'>[]
    })

/** Searches what is not in the trash. Throws invalid_query. */
export type SearchService = (
  session: Session,
  query: { q: string; types: string; time_zone: string; prefix?: 'last' } & Paging,
) => Promise<Page<ToolFound> & { readonly relaxed: 'none' | 'some' | 'any' }>

export interface ToolNoteSummary extends Stored {
  readonly title: string
  readonly excerpt: string
  readonly tags: readonly string[]
  readonly folder: string | null
  readonly deleted_at: string | null
}

export interface ToolNote extends ToolNoteSummary {
  readonly body: string
}

export interface NoteEdit {
  readonly op: 'append' | 'prepend' | 'replace' | 'delete' | 'insert_before' | 'insert_after'
  readonly target:
    | { document: true }
    | { heading: string[]; nth?: number; scope?: 'section' | 'own' }
    | { text: string; within?: string[]; nth?: number }
  readonly content?: string
  readonly join?: 'block' | 'line' | 'none'
  readonly create_missing?: boolean
}

export interface NoteMembers {
  body?: string
  title?: string
  folder?: string | null
  tags?: string[]
}

interface NoteServices {
  get(session: Session, id: string): Promise<Tagged<ToolNote>>
  create(
    session: Session,
    input: { title: string; body?: string; tags?: string[]; folder?: string },
  ): Promise<Tagged<ToolNote>>
  /** A new title or folder rewrites the links to the note. */
  update(session: Session, id: string, patch: NoteMembers, precondition: Precondition): Promise<Tagged<ToolNote>>
  restore(session: Session, id: string, precondition: Precondition): Promise<Tagged<ToolNote>>
  getRevision(session: Session, id: string, revision: number): Promise<Tagged<{ readonly body: string }>>
  /** Gives the note the content of a revision, as a new one. */
  restoreRevision(session: Session, id: string, revision: number, precondition: Precondition): Promise<Tagged<ToolNote>>
  trash(session: Session, id: string, precondition: Precondition): Promise<void>
  edit(
    session: Session,
    id: string,
    input: { edits: NoteEdit[]; dry_run?: boolean },
    precondition: Precondition,
  ): Promise<Tagged<ToolNote>>
  search(
    session: Session,
    query: { q: string; sort?: '-updated'; time_zone?: string } & Paging,
  ): Promise<Page<ToolFound>>
  list(
    session: Session,
    query: { trashed?: 'true'; title?: string; archived?: 'any' } & Paging,
  ): Promise<Page<ToolNoteSummary>>
}

export interface ToolDueDate {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

export interface ToolTask extends Stored {
  readonly title: string
  readonly notes: string
  readonly status: 'open' | 'in_progress' | 'done' | 'cancelled'
  readonly priority: number
  readonly due: ToolDueDate | null
  readonly due_at: string | null
  readonly labels: readonly string[]
  readonly project_id: string | null
  /** Null for one that does not repeat. */
  readonly recurrence: object | null
  readonly subtasks: { readonly total: number }
  readonly deleted_at: string | null
}

export interface TaskMembers {
  title?: string
  due?: ToolDueDate | null
  priority?: number
  labels?: string[]
  notes?: string
  project_id?: string | null
}

interface QuickLine {
  readonly text: string
  readonly time_zone: string
  readonly now: string
  readonly language?: TimeLanguage
}

export interface QuickTask {
  readonly task: ToolTask
  /** Parts that look like a date or a project, but stayed in the title. */
  readonly warnings: readonly { readonly text: string; readonly detail: string }[]
}

export interface ToolAgendaItem {
  readonly task_id: string
  readonly title: string
  readonly kind: 'due' | 'start'
  /** The time of day; null is all day. */
  readonly time: string | null
  /** Whether it is a later date of a recurring task. */
  readonly projected: boolean
}

interface ToolAgenda {
  readonly overdue: readonly ToolTask[]
  readonly overdue_more: boolean
  readonly days: readonly { readonly date: string; readonly items: readonly ToolAgendaItem[] }[]
}

interface TaskServices {
  get(session: Session, id: string): Promise<Tagged<ToolTask>>
  create(session: Session, input: TaskMembers & { title: string }): Promise<Tagged<ToolTask>>
  update(session: Session, id: string, patch: TaskMembers, precondition: Precondition): Promise<Tagged<ToolTask>>
  trash(session: Session, id: string, precondition: Precondition): Promise<void>
  complete(
    session: Session,
    id: string,
    input: { time_zone: string },
    precondition: Precondition,
  ): Promise<Tagged<{ readonly task: ToolTask; readonly completion: { readonly id: string } | null }>>
  reopen(session: Session, id: string, precondition: Precondition): Promise<Tagged<ToolTask>>
  /** Undoes the latest completion. Throws not_latest, changed_since. */
  undoCompletion(
    session: Session,
    completion: { id: string; cid: string },
    force: boolean,
    precondition: Precondition,
  ): Promise<Tagged<ToolTask>>
  restore(session: Session, id: string, precondition: Precondition): Promise<Tagged<ToolTask>>
  listProjects(session: Session, query: Paging): Promise<Page<{ readonly id: string; readonly name: string }>>
  /**
   * Reads a line, which may take 20 ms, so best before the transaction; returns what creates its task. Throws
   * invalid_request, empty_title.
   */
  readQuick(session: Session, input: QuickLine): Promise<(tx: Session) => Promise<Tagged<QuickTask>>>
  /** Returns what is due and starts on some days: civil dates, at most 92 days. Throws invalid_request. */
  getAgenda(
    session: Session,
    query: { from?: string; to?: string; time_zone: string; now: string },
  ): Promise<ToolAgenda>
  list(
    session: Session,
    query: { filter?: string; trashed?: 'true'; time_zone?: string; now?: string } & Paging,
  ): Promise<Page<ToolTask>>
}

export interface ToolFactContent {
  type: 'basic' | 'reversed' | 'typed' | 'cloze'
  front?: string | null
  back?: string | null
  text?: string | null
}

export interface ToolFact extends Stored {
  readonly type: ToolFactContent['type'] | 'custom'
  readonly front: string | null
  readonly back: string | null
  readonly text: string | null
  /** HTML by the names of the fields, which are all that a custom fact has. */
  readonly fields: Readonly<Record<string, string>> | null
  readonly tags: readonly string[]
  readonly deleted_at: string | null
}

export interface ToolDeck extends Stored {
  readonly name: string
  readonly deleted_at: string | null
}

export interface DueCard {
  readonly id: string
  readonly fact_id: string
  readonly deck_id: string
  readonly prompt: string
  readonly answer: string
  readonly state: 'new' | 'learning' | 'review' | 'relearning'
  readonly due_at: string | null
}

interface ToolReview extends Stored {
  readonly card_id: string
  /** 1 to 4; null for a change of the schedule by hand. */
  readonly rating: 1 | 2 | 3 | 4 | null
  readonly reviewed_at: string
}

interface ToolAnsweredCard {
  readonly review: ToolReview
  readonly card: DueCard
}

export interface ToolCardCounts {
  readonly new: number
  readonly learning: number
  readonly review: number
}

export interface ToolCardDraft {
  readonly fact: ToolFactContent
  readonly pattern: string
  /** The line of the text, from 1. */
  readonly line: number
}

interface FlashcardServices {
  getFact(session: Session, id: string): Promise<Tagged<ToolFact>>
  addFact(
    session: Session,
    input: ToolFactContent & { deck_id: string },
    onDuplicate: 'create' | 'skip',
  ): Promise<{ readonly status: 200 | 201; readonly fact: Tagged<ToolFact> }>
  trashFact(session: Session, id: string, precondition: Precondition): Promise<void>
  restoreFact(session: Session, id: string, precondition: Precondition): Promise<Tagged<ToolFact>>
  getDeck(session: Session, id: string): Promise<Tagged<ToolDeck>>
  createDeck(session: Session, input: { name: string }): Promise<Tagged<ToolDeck>>
  trashDeck(session: Session, id: string, precondition: Precondition): Promise<unknown>
  restoreDeck(session: Session, id: string, precondition: Precondition): Promise<unknown>
  listDecks(session: Session, query: Paging): Promise<Page<ToolDeck>>
  /** Throws not_found. */
  getCard(session: Session, id: string): Promise<Tagged<DueCard>>
  /** Answers a card now, or at an instant in the past. Throws not_found, card_suspended. */
  answer(
    session: Session,
    card: string,
    input: { rating: 1 | 2 | 3 | 4; reviewed_at?: string },
  ): Promise<ToolAnsweredCard>
  getReview(session: Session, id: string): Promise<Tagged<ToolReview>>
  /** Brings the card back to what it was. Throws not_latest_review, conflict. */
  undoReview(session: Session, id: string, precondition: Precondition): Promise<ToolAnsweredCard>
  /** Returns the cards to study now, in order. */
  queue(
    session: Session,
    query: { deck_id?: string; limit: string },
  ): Promise<{ readonly counts: ToolCardCounts; readonly items: readonly { readonly card: DueCard }[] }>
  /** Drafts facts from the patterns of a text. Nothing is stored. */
  draft(
    session: Session,
    input: { text: string; limit: number },
  ): Promise<{ readonly drafts: readonly ToolCardDraft[] }>
}
