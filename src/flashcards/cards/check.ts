import type { Session } from '../../db/database'
import { requireLength } from '../../http/values'
import { requireUntrashedCard } from '../card'
import type { CardRow } from '../card-store'
import { listHiddenTexts, requireCloze } from '../cloze'
import { makeCardFaces } from '../fact'
import { type FactRow, getFactsByKeys } from '../fact-store'
import { loadNoteRenderer } from '../note-faces'
import { compareAnswer, MAX_ANSWER_CHARS } from './compare-answer'
import type { CheckedAnswer } from './schema'

/** Checks a typed answer to a card. Writes nothing. Throws not_found, invalid_request. */
export async function checkCard(session: Session, id: string, answer: string): Promise<CheckedAnswer> {
  const card = await requireUntrashedCard(session, id)
  const [fact] = await getFactsByKeys(session.db, session.workspace.id, [card.fact])
  if (!fact) throw new Error(`card ${id} has no fact`)
  const right =
    fact.type === 'custom'
      ? toRightAnswers((await loadNoteRenderer(session, [fact]))(fact, card.ordinal).right)
      : listRightAnswers(fact, card)
  requireLength(answer, MAX_ANSWER_CHARS, '/answer')
  const { diff, ...checked } = compareAnswer(answer, right)
  return { ...checked, diff: [...diff] }
}

function toRightAnswers([back = '', ...accepted]: readonly string[]) {
  return { back, accepted }
}

/** Returns the right answers to a card; of a cloze card, the hidden texts. */
function listRightAnswers(fact: FactRow, { ordinal }: CardRow): { back: string; accepted: string[] } {
  if (fact.type !== 'cloze') {
    const faces = makeCardFaces(fact).find((one) => one.ordinal === ordinal)
    return { back: faces?.answer ?? '', accepted: JSON.parse(fact.accepted) }
  }
  const hidden = listHiddenTexts(requireCloze(fact.text ?? ''), ordinal + 1)
  return { back: hidden.join(', '), accepted: [hidden.join(' ')] }
}
