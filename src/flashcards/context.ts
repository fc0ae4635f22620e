import type { BlobStaging } from '../blobs/staging'
import type { RecordChange, RecordChanges } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import type { WorkspaceUsage } from '../http/schema'
import { createCardWriter } from './cards/card'
import { createDeckContents } from './deck-trash'
import { deckResource } from './decks/deck'
import { createSettingsWriter } from './decks/study'
import { createFactBulkWriter } from './fact-bulk'
import { createFactWriter } from './fact-writer'
import { createMediaWriter } from './media/media'
import { createNoteTypeWriter } from './note-types'
import { createCardMemory } from './reviews/memory'
import { createReviewLog } from './reviews/review-log'
import { createReviewWriter } from './reviews/review-writer'

/** What the server hands to flashcards. */
export interface StudyDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly recordAll: RecordChanges
  readonly usage: (session: Session) => Promise<WorkspaceUsage>
  readonly blobs: BlobStaging
  /** Returns the ids that no note has. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

export type StudyContext = ReturnType<typeof createStudyContext>

/** Makes what the services of flashcards, their archive and their imports share; each takes the parts that it needs. */
export function createStudyContext(deps: StudyDeps) {
  const { now, ids, record, recordAll, usage } = deps
  const cardWriter = createCardWriter({ now, record, recordAll })
  const factsWriter = createFactBulkWriter({ now, recordAll })
  const deckWriter = deckResource.createRecords({ now, record })
  const reviewWriter = createReviewWriter({ now, ids, record, recordAll, usage })
  return {
    ...deps,
    ...{ cardWriter, factsWriter, deckWriter, reviewWriter },
    factWriter: createFactWriter({ now, ids, record, cardWriter }),
    noteTypeWriter: createNoteTypeWriter({ record }),
    mediaWriter: createMediaWriter({ now, ids, record, usage }),
    putSettings: createSettingsWriter(record),
    memories: createCardMemory({ now, cardWriter }),
    contents: createDeckContents({ now, deckWriter, factsWriter }),
    reviewLog: createReviewLog({ cardWriter, reviewWriter }),
  }
}
