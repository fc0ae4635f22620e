import type { Session } from '../../db/database'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readInstant } from '../../http/values'
import { requireCard } from '../cards/show'
import { decksDownwards } from '../decks/store'
import { requireDeck } from '../decks/tree'
import { toReview } from './review'
import type { ListReviews, Review } from './schema'
import { listReviews } from './store'

/** A page of the log, the latest answer first. Throws not_found for a card or a deck, invalid_cursor, invalid_request. */
export async function listLog(
  session: Session,
  { cursor, limit: asked, ...filters }: ListReviews,
): Promise<Page<Review>> {
  const { card_id, deck_id, from, to, kind, undone } = filters
  const limit = Number(asked ?? DEFAULT_LIMIT)
  const binding = JSON.stringify(['reviews', Object.entries(filters).toSorted()])
  const after = cursor === undefined ? null : readCursor(cursor, binding, ['number', 'string'])
  const rows = await listReviews(session.db, session.workspace.id, {
    card: card_id === undefined ? null : (await requireCard(session, card_id)).key,
    decks: deck_id === undefined ? null : await keysBelow(session, deck_id),
    from: from === undefined ? null : readInstant(from, '/from'),
    to: to === undefined ? null : readInstant(to, '/to'),
    kind: kind ?? null,
    undone: undone === undefined ? null : undone === 'true',
    after,
    limit: limit + 1,
  })
  return toPage(
    rows,
    limit,
    binding,
    ({ reviewed_at, id }) => [reviewed_at, id],
    (row) => toReview(row).resource,
  )
}

async function keysBelow(session: Session, id: string): Promise<number[]> {
  const deck = await requireDeck(session, id)
  return (await decksDownwards(session.db, session.workspace.id, deck.key)).map(({ key }) => key)
}
