import type { Session } from '../../db/database'
import type { Portable } from '../../db/portable'
import type { WorkspaceUsage } from '../../http/schema'
import type { StudyWriters } from '../writers'
import { portableCards } from './cards'
import { portableDecks } from './decks'
import { portableFacts } from './facts'
import { portableMedia } from './media'
import { portableReviews } from './reviews'
import { portableSettings } from './settings'

interface Deps {
  readonly workspaces: { readonly usage: (session: Session) => Promise<WorkspaceUsage> }
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** All of flashcards, in the order in which references come first. */
export function portablesOf({ workspaces, missingNotes }: Deps, writers: StudyWriters): Portable[] {
  return [
    portableSettings(writers),
    portableDecks(writers),
    portableMedia({ ...writers, usage: workspaces.usage }),
    portableFacts({ ...writers, missingNotes }),
    portableCards(writers),
    portableReviews(writers.reviewWriter),
  ]
}
