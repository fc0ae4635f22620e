import type { Session } from '../../db/database'
import { requireStudied } from '../cards/show'
import type { CardRow } from '../cards/store'
import { checkedCloze, hiddenBy } from '../facts/cloze'
import { cardsOf } from '../facts/fact'
import { type FactRow, factsByKeys } from '../facts/store'
import { checkAnswer } from './check'
import type { CheckedAnswer } from './schema'

/** What was typed for a card, against what is right. Nothing is written. Throws not_found, invalid_request. */
export async function checkCard(session: Session, id: string, answer: string): Promise<CheckedAnswer> {
  const card = await requireStudied(session, id)
  const [fact] = await factsByKeys(session.db, session.workspace.id, [card.fact])
  if (!fact) throw new Error(`card ${id} has no fact`)
  const { diff, ...checked } = checkAnswer(answer, rightAnswers(fact, card))
  return { ...checked, diff: [...diff] }
}

/** For cloze, what the card hides. */
function rightAnswers(fact: FactRow, { ordinal }: CardRow): { back: string; accepted: string[] } {
  if (fact.type !== 'cloze') {
    const faces = cardsOf(fact).find((one) => one.ordinal === ordinal)
    return { back: faces?.answer ?? '', accepted: JSON.parse(fact.accepted) }
  }
  const hidden = hiddenBy(checkedCloze(fact.text ?? ''), ordinal + 1)
  return { back: hidden.join(', '), accepted: [hidden.join(' ')] }
}
