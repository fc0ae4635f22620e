/** The resources as the server's own schemas have them. Only types: nothing of the server is bundled. */
export type { ChatAnswer } from '../../src/chat/schema'
export type { Card, CreatedFact } from '../../src/flashcards/cards/card-schema'
export type { Deck, DeckPage } from '../../src/flashcards/decks/deck'
export type { Drafts } from '../../src/flashcards/drafting/drafting'
export type { BatchFactsOutcome, CreateFact, Fact, FactContent } from '../../src/flashcards/facts/fact-schema'
export type { Queue } from '../../src/flashcards/queue/queue'
export type { BatchAnswersOutcome } from '../../src/flashcards/reviews/review-schema'
export type { StudySettings } from '../../src/flashcards/settings'
export type { StudyStats as StudyStatistics, StudyToday } from '../../src/flashcards/stats/stats'
export type { ImportReport } from '../../src/imports/schema'
export type { Attachment, SavedAttachment } from '../../src/notes/attachments/attachments'
export type { NoteBatchOp } from '../../src/notes/batch'
export type { Backlink } from '../../src/notes/links/links'
export type { NoteRevisionSummary, RevisionDiff } from '../../src/notes/revisions/revisions'
export type { Note, NoteSummary } from '../../src/notes/schema'
export type { SearchPage, SearchResult } from '../../src/search/schema'
export type { Usage } from '../../src/system/routes'
export type { TaskBatchOp } from '../../src/tasks/batch/batch'
export type { TaskCompletion } from '../../src/tasks/completions/schema'
export type { CalendarFeed, CreateFeed, NewFeed } from '../../src/tasks/feeds/feeds'
export type { Label } from '../../src/tasks/groups/labels'
export type { Project } from '../../src/tasks/groups/projects'
export type { SavedFilter } from '../../src/tasks/groups/saved-filters'
export type { TaskSection } from '../../src/tasks/groups/sections'
export type { Recurrence, Reminder, Task, TaskDate } from '../../src/tasks/schema'
export type { ChatAction, ChatCitation, ChatConfirmation, ChatUndo } from '../../src/tools/schema'
export type { ChangePage, EmptiedTrash, FeedChange } from '../../src/workspace/schema'
export type { WorkspaceSettings } from '../../src/workspace/settings'

import type { UpdateCard } from '../../src/flashcards/cards/card-schema'
import type { BatchAnswers } from '../../src/flashcards/reviews/review-schema'

/** An answer to a card, with the id of the review that it becomes. */
export type CardAnswer = BatchAnswers['items'][number]

/** What is changed of a card, beside its texts. */
export type CardChange = UpdateCard & { readonly id: string }
