import type { Session } from '../../db/database'
import type { Portable } from '../../db/portable'
import type { WorkspaceUsage } from '../../http/schema'
import type { CardWriter } from '../cards/writer'
import type { Contents } from '../decks/contents'
import type { DeckWriter } from '../decks/writer'
import type { FactWriter } from '../facts/writer'
import type { MediaWriter } from '../media/writer'
import type { Memories } from '../reviews/memory'
import type { ReviewWriter } from '../reviews/writer'
import type { PutStudySettings } from '../settings/writer'
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

/** What all of flashcards is merged with. */
interface Writers {
  readonly putSettings: PutStudySettings
  readonly memories: Memories
  readonly deckWriter: DeckWriter
  readonly contents: Contents
  readonly mediaWriter: MediaWriter
  readonly factWriter: FactWriter
  readonly cardWriter: CardWriter
  readonly reviewWriter: ReviewWriter
}

/** All of flashcards, in the order in which references come first. */
export function portablesOf({ workspaces, missingNotes }: Deps, writers: Writers): Portable[] {
  return [
    portableSettings(writers),
    portableDecks(writers),
    portableMedia({ ...writers, usage: workspaces.usage }),
    portableFacts({ ...writers, missingNotes }),
    portableCards(writers.cardWriter),
    portableReviews(writers.reviewWriter),
  ]
}
