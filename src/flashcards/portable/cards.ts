import type { Session } from '../../db/database'
import type { Portable } from '../../db/portable'
import { invalid, Refusal } from '../../http/problem'
import { createShape } from '../../http/shape'
import { readOptional, writeInstant, writeOptional } from '../../http/values'
import { scheduleOf } from '../cards/card'
import { type CardDraft, type CardRow, cardsOfFact, getCard } from '../cards/store'
import type { CardWriter } from '../cards/writer'
import { ordinalsOf } from '../facts/fact'
import { type FactRow, getFact } from '../facts/store'
import { readSnapshot } from '../reviews/review'
import { latestOfCard, type ReviewRow } from '../reviews/store'
import type { ReviewWriter } from '../reviews/writer'
import { PortableCard } from './schema'
import { cardsFrom } from './store'
import { readSnapshotAt, readStamps, requireSchedule, toldSnapshot } from './values'

/** Cards that are read at a time. */
const READ = 500

const toShape = createShape(PortableCard, 'the card')

interface Deps {
  readonly cardWriter: CardWriter
  readonly reviewWriter: ReviewWriter
}

/** Cards with their schedules. Their deck is that of their fact. */
export function portableCards({ cardWriter, reviewWriter }: Deps): Portable {
  return {
    type: 'card',

    async *items(db, workspace) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: CardRow[] = await cardsFrom(db, workspace, after, READ)
        for (const row of rows) yield told(row)
        after = rows.length < READ ? undefined : rows.at(-1)?.id
      }
    },

    async merge(session, item) {
      const card = toShape(item)
      requireSchedule(card, '')
      const { db, workspace } = session
      const old = await getCard(db, workspace.id, card.id)
      if (old && old.revision >= card.revision) return 'unchanged'
      const fact = await getFact(db, workspace.id, card.fact_id)
      if (!fact) throw invalid('/fact_id', 'unknown_fact', 'fact_id must be the id of a fact')
      const holder = (await cardsOfFact(db, workspace.id, fact.key)).find(({ ordinal }) => ordinal === card.ordinal)
      if (holder?.id !== old?.id)
        throw new Refusal('conflict', 'The fact has another card of this ordinal, or the id is that of another card.', {
          existing_id: holder?.id ?? card.id,
        })
      const row = rowOf(card, fact)
      await (old ? cardWriter.replace(session, old, row) : cardWriter.insert(session, row))
      return old ? { merged: 'updated', left: true } : 'created'
    },

    async relate(session, item) {
      await takeBack(session, reviewWriter, toShape(item))
      return []
    },
  }
}

/**
 * Undoes the answers given here that the card, as it came, has never met: the log must end in the card as it is, or
 * undoing the last would bring back what never was.
 */
async function takeBack(session: Session, writer: ReviewWriter, { id }: PortableCard): Promise<void> {
  const { db, workspace } = session
  const card = await getCard(db, workspace.id, id)
  if (!card) return
  for (;;) {
    const last = await latestOfCard(db, workspace.id, card.key)
    if (!last || last.kind === 'import' || leaves(last, card)) return
    await writer.undo(session, last)
  }
}

/** Whether the card is as the review left it, but for what changes without an answer. */
function leaves({ after }: ReviewRow, card: CardRow): boolean {
  const { state, reps, lapses, last_reviewed_at } = readSnapshot(after)
  const isSame = state === card.state && reps === card.reps && lapses === card.lapses
  return isSame && last_reviewed_at === card.last_reviewed_at
}

function told(row: CardRow): PortableCard {
  const { id, revision, fact_id, ordinal, flag, position } = row
  return {
    id,
    revision,
    created_at: writeInstant(row.created_at),
    updated_at: writeInstant(row.updated_at),
    trashed_at: writeOptional(row.trashed_at),
    fact_id,
    ordinal,
    ...toldSnapshot({ ...row, suspended: row.suspended === 1, leech: row.leech === 1 }),
    flag,
    position,
  }
}

/** A card lives if its fact does and has its side or number, whatever is told of it. Throws invalid_request. */
function rowOf(card: PortableCard, fact: FactRow): CardDraft {
  const { id, revision, created_at, updated_at, trashed_at, fact_id: _, ordinal, flag, position, ...schedule } = card
  const stamps = readStamps({ created_at, updated_at })
  const gone = readOptional(trashed_at, '/trashed_at')
  const isLost = fact.trashed_at !== null || !ordinalsOf(fact).includes(ordinal)
  return {
    id,
    revision,
    ...stamps,
    trashed_at: isLost ? (gone ?? fact.trashed_at ?? stamps.updated_at) : null,
    fact: fact.key,
    deck: fact.deck,
    ordinal,
    ...scheduleOf(readSnapshotAt(schedule, '')),
    flag,
    position,
  }
}
