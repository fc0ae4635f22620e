import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import { type CardFaces, cardsOf } from '../facts/fact'
import { type FactRow, factsByKeys } from '../facts/store'
import { readInherited, type Study } from '../settings/study'
import { toCard } from './card'
import type { Card } from './schema'
import { type CardRow, getCard } from './store'

/** A card as it is shown, and how many bytes the texts of its fact have. */
export interface CardWithSize extends Tagged<Card> {
  readonly bytes: number
}

/** The cards as they are shown now, in the same order. */
export async function showCards(session: Session, study: Study, cards: readonly CardRow[]): Promise<CardWithSize[]> {
  const { db, workspace } = session
  const own = Map.groupBy(cards, ({ fact }) => fact)
  const rows = await factsByKeys(db, workspace.id, [...own.keys()])
  const facts = new Map(rows.map((fact) => [fact.key, faced(fact, own.get(fact.key) ?? [])]))
  const settings = await readInherited(
    session,
    study,
    cards.map(({ deck }) => deck),
  )
  return cards.map((card) => {
    const fact = facts.get(card.fact)
    if (!fact) throw new Error(`card ${card.id} has no fact`)
    const faces = fact.faces.get(card.ordinal) ?? lostFaces(card)
    const weights = settings.get(card.deck)?.effective.weights ?? null
    return { ...toCard(card, faces, study, weights), bytes: fact.bytes }
  })
}

/** One card as it is shown now. */
export async function showCard(session: Session, study: Study, card: CardRow): Promise<CardWithSize> {
  const [shown] = await showCards(session, study, [card])
  if (!shown) throw new Error(`card ${card.id} is not shown`)
  return shown
}

/** What these cards of a fact show. */
function faced(fact: FactRow, cards: readonly CardRow[]) {
  const faces = cardsOf(fact, new Set(cards.map(({ ordinal }) => ordinal)))
  return { faces: new Map(faces.map((one) => [one.ordinal, one])), bytes: fact.size_bytes }
}

/** A card in the trash whose side or number its fact has no more asks for nothing. */
function lostFaces({ ordinal }: CardRow): CardFaces {
  return { ordinal, prompt: '', answer: '' }
}

/** The card, living or in the trash. Throws not_found. */
export async function requireCard({ db, workspace }: Session, id: string): Promise<CardRow> {
  const card = await getCard(db, workspace.id, id)
  if (!card) throw new ApiError('not_found', 'There is no card with this id.')
  return card
}

/** The card, which must live. Throws not_found. */
export async function requireStudied({ db, workspace }: Session, id: string): Promise<CardRow> {
  const card = await getCard(db, workspace.id, id)
  if (!card || card.trashed_at !== null) throw new ApiError('not_found', 'There is no card with this id.')
  return card
}
