/** The resources as the server's own schemas have them. Only types: nothing of the server is bundled. */
import type { BatchAnswers } from '../../src/flashcards/review-schema'

export type { ChatAnswer } from '../../src/chat/schema'
export type { Card, CreatedFact } from '../../src/flashcards/card-schema'
export type { Deck, DeckPage } from '../../src/flashcards/decks/schema'
export type { Drafts } from '../../src/flashcards/drafting/schema'
export type { BatchFactsOutcome, CreateFact, Fact, FactContent } from '../../src/flashcards/fact-schema'
export type { Queue } from '../../src/flashcards/queue/schema'
export type { BatchAnswersOutcome, CardPreview } from '../../src/flashcards/review-schema'
export type { Forecast, Heatmap, Hours, Retention, Streak, StudyToday } from '../../src/flashcards/stats/schema'
export type { NoteBatchOp } from '../../src/notes/batch/schema'
export type { Note, NoteSummary } from '../../src/notes/schema'
export type { TaskBatchOp } from '../../src/tasks/batch/schema'
export type { Label } from '../../src/tasks/labels/schema'
export type { Project } from '../../src/tasks/projects/schema'
export type { SavedFilter } from '../../src/tasks/saved-filters/schema'
export type { Task, TaskDate } from '../../src/tasks/schema'
export type { TaskSection } from '../../src/tasks/sections/schema'
export type { ChangePage, FeedChange } from '../../src/workspace/schema'
export type { WorkspaceSettings } from '../../src/workspace/settings/schema'
/** An answer to a card, with the id of the review that it becomes. */
export type CardAnswer = BatchAnswers['items'][number]
