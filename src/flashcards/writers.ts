import type { RecordChange, RecordChanges } from '../db/change-feed'
import type { Session } from '../db/database'
import type { WorkspaceUsage } from '../http/schema'
import { createCardWriter } from './cards/writer'
import { createDeckContents } from './decks/contents'
import { createDeckWriter } from './decks/writer'
import { createFactsWriter } from './facts/many'
import { createFactWriter } from './facts/writer'
import { createMediaWriter } from './media/writer'
import { createCardMemory } from './reviews/memory'
import { createReviewWriter } from './reviews/writer'
import { createSettingsWriter } from './settings/writer'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly record: RecordChange
  readonly recordAll: RecordChanges
  readonly usage: (session: Session) => Promise<WorkspaceUsage>
}

export type StudyWriters = ReturnType<typeof studyWriters>

/** All that writes flashcards, each kind of resource in one way. */
export function studyWriters({ now, ids, record, recordAll, usage }: Deps) {
  const cardWriter = createCardWriter({ now, record, recordAll })
  const factsWriter = createFactsWriter({ now, recordAll })
  const deckWriter = createDeckWriter({ now, record })
  return {
    cardWriter,
    factsWriter,
    deckWriter,
    factWriter: createFactWriter({ now, ids, record, cardWriter }),
    reviewWriter: createReviewWriter({ now, record, usage }),
    mediaWriter: createMediaWriter({ now, ids, record }),
    putSettings: createSettingsWriter(record),
    memories: createCardMemory({ now, cardWriter }),
    contents: createDeckContents({ now, deckWriter, factsWriter }),
  }
}
