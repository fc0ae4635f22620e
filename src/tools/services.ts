import type { Session } from '../db/database'
import type { Cards } from '../flashcards/cards'
import type { Card } from '../flashcards/cards/card-schema'
import type { Decks } from '../flashcards/decks'
import type { Deck } from '../flashcards/decks/deck'
import type { Drafting, Drafts } from '../flashcards/drafting/drafting'
import type { Facts } from '../flashcards/facts'
import type { Fact, FactContent } from '../flashcards/facts/fact-schema'
import type { Queue, Queues } from '../flashcards/queue/queue'
import type { AnswerCard, AnsweredReview } from '../flashcards/reviews/review-schema'
import type { Reviews, ReviewUndo } from '../flashcards/reviews/reviews'
import type { Precondition, Tagged } from '../http/responses'
import type { NoteEdits } from '../notes/edits'
import type { NamedNote, NameMatches, NoteNames } from '../notes/names'
import type { Revisions } from '../notes/revisions/revisions'
import type { BodyEdit, Note, NoteSummary, UpdateNote } from '../notes/schema'
import type { NoteSearch } from '../notes/search/search'
import type { Notes } from '../notes/service'
import type { SearchEverything } from '../search/service'
import type { Agenda, Agendas } from '../tasks/agenda/agenda'
import type { CompletionActions } from '../tasks/completions/completions'
import type { Projects } from '../tasks/groups/projects'
import type { TaskQueries } from '../tasks/list'
import type { QuickAdd, QuickAdded } from '../tasks/quick/quick-add'
import type { Task, TaskDate } from '../tasks/schema'
import type { Tasks } from '../tasks/service'
import type { FeedChange } from '../workspace/schema'

/**
 * The services of the features that tools and agents use: those that their routes call, with quota, revisions and change feed, but
 * none that erases. This is the only file of what is shared that knows the features, by their types alone. All throw
 * ApiErrors. Each write is one transaction, or joins an open one.
 */
export interface ToolServices {
  readonly search: SearchEverything
  readonly notes: Pick<Notes, 'get' | 'create' | 'update' | 'trash' | 'restore' | 'list'> & {
    readonly getRevision: Revisions['get']
    readonly restoreRevision: Revisions['restore']
    readonly edit: NoteEdits['apply']
    readonly search: NoteSearch
    readonly names: NoteNames
  }
  readonly tasks: Pick<Tasks, 'get' | 'create' | 'update' | 'trash' | 'restore'> &
    Pick<CompletionActions, 'complete' | 'reopen'> & {
      readonly list: TaskQueries['list']
      readonly listProjects: Projects['list']
      readonly undoCompletion: CompletionActions['undo']
      /** Reads a line, which may take 20 ms, so best before the transaction; returns what creates its task. */
      readQuick(session: Session, input: QuickAdd): Promise<(tx: Session) => Promise<Tagged<QuickAdded>>>
      readonly getAgenda: Agendas['getAgenda']
    }
  readonly flashcards: {
    readonly getFact: Facts['get']
    readonly addFact: Facts['add']
    readonly trashFact: Facts['trash']
    readonly restoreFact: Facts['restore']
    readonly getDeck: Decks['get']
    readonly createDeck: Decks['create']
    readonly listDecks: Decks['list']
    trashDeck(session: Session, id: string, precondition: Precondition): Promise<unknown>
    restoreDeck(session: Session, id: string, precondition: Precondition): Promise<unknown>
    readonly getCard: Cards['get']
    answer(session: Session, card: string, input: AnswerCard): Promise<AnsweredReview>
    readonly getReview: Reviews['get']
    readonly undoReview: ReviewUndo['one']
    readonly queue: Queues['get']
    readonly draft: Drafting['draft']
  }
  readonly changes: {
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
}

/** What a tool sets of a task. */
export interface TaskMembers {
  title?: string
  due?: TaskDate | null
  priority?: number
  labels?: string[]
  notes?: string
  project_id?: string | null
}

/** With the cursor that continues after it. */
export type ToolChange = Omit<FeedChange, 'seq'> & { readonly cursor: string }
export type ToolFound = Awaited<ReturnType<SearchEverything>>['items'][number]
export type ToolCardDraft = Drafts['drafts'][number]
export type ToolAgendaItem = Agenda['days'][number]['items'][number]
export type ToolCardCounts = Queue['counts']
export type {
  Agenda as ToolAgenda,
  BodyEdit as NoteEdit,
  Card as DueCard,
  Deck as ToolDeck,
  Fact as ToolFact,
  FactContent as ToolFactContent,
  NamedNote as ToolNoteName,
  NameMatches,
  Note as ToolNote,
  NoteSummary as ToolNoteSummary,
  QuickAdded as QuickTask,
  Task as ToolTask,
  TaskDate as ToolDueDate,
  UpdateNote as NoteMembers,
}
