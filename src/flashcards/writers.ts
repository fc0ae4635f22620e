import type { RecordChange, RecordChanges } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import type { WorkspaceUsage } from '../http/schema'
import { createCardWriter } from './cards/card-writer'
import { createDeckContents } from './deck-trash'
import { createDeckWriter } from './decks/deck'
import { createSettingsWriter } from './decks/study'
import { createFactBulkWriter } from './fact-bulk'
import { createFactWriter } from './fact-writer'
import { createMediaWriter } from './media/media'
import { createNoteTypeWriter } from './note-types'
import { createCardMemory } from './reviews/memory'
import { createReviewWriter } from './reviews/review-writer'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly recordAll: RecordChanges
  readonly usage: (session: Session) => Promise<WorkspaceUsage>
}

export type StudyWriters = ReturnType<typeof createStudyWriters>

export function createStudyWriters({ now, ids, record, recordAll, usage }: Deps) {
  const cardWriter = createCardWriter({ now, record, recordAll })
  const factsWriter = createFactBulkWriter({ now, recordAll })
  const deckWriter = createDeckWriter({ now, record })
  return {
    cardWriter,
    factsWriter,
    deckWriter,
    factWriter: createFactWriter({ now, ids, record, cardWriter }),
    reviewWriter: createReviewWriter({ now, record, recordAll, usage }),
    noteTypeWriter: createNoteTypeWriter({ record }),
    mediaWriter: createMediaWriter({ now, ids, record }),
    putSettings: createSettingsWriter(record),
    memories: createCardMemory({ now, cardWriter }),
    contents: createDeckContents({ now, deckWriter, factsWriter }),
  }
}
