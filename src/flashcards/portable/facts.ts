import type { Session } from '../../db/database'
import type { Portable } from '../../db/portable'
import { invalid } from '../../http/problem'
import { createShape } from '../../http/shape'
import { readOptional } from '../../http/values'
import { cardsOfFact } from '../cards/store'
import { type DeckRow, getDeck } from '../decks/store'
import { checkedFact, mayBecome } from '../facts/fact'
import { columnsOf, toFact } from '../facts/form'
import { type FactRow, getFact } from '../facts/store'
import { type FactWriter, otherFaces, type UnsizedFact } from '../facts/writer'
import { PortableFact } from './schema'
import { factsFrom } from './store'
import { readStamps, trashedIn } from './values'

/** Facts that are read at a time: 10 MiB of texts at most. */
const READ = 50

const toShape = createShape(PortableFact, 'the fact')

/** What a fact leaves: ids and revisions of the cards that show something else of it. */
type Touched = readonly (readonly [id: string, revision: number])[]

interface Deps {
  readonly factWriter: FactWriter
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** Facts. Their cards come on their own; those that do not come are made in the end. */
export function portableFacts({ factWriter, missingNotes }: Deps): Portable {
  async function requireNote(session: Session, id: string | null): Promise<void> {
    if (id !== null && (await missingNotes(session, [id])).length > 0)
      throw invalid('/source_note_id', 'unknown_note', 'source_note_id must be the id of a note')
  }

  async function replace(session: Session, old: FactRow, next: UnsizedFact): Promise<Touched> {
    if (!mayBecome(old.type, next.type))
      throw invalid('/type', 'type_fixed', `a ${old.type} fact cannot become ${next.type}`)
    const cards = await cardsOfFact(session.db, session.workspace.id, old.key)
    const isOther = otherFaces(old, await factWriter.replace(session, old, next))
    return cards.filter(({ ordinal }) => isOther(ordinal)).map(({ id, revision }) => [id, revision])
  }

  return {
    type: 'fact',

    async *items(db, workspace) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: FactRow[] = await factsFrom(db, workspace, after, READ)
        for (const row of rows) yield told(row)
        after = rows.length < READ ? undefined : rows.at(-1)?.id
      }
    },

    async merge(session, item) {
      const fact = toShape(item)
      const { db, workspace } = session
      const old = await getFact(db, workspace.id, fact.id)
      // An import that was stopped may have left it without its cards.
      if (old && old.revision >= fact.revision) return { merged: 'unchanged', left: [] }
      const deck = await getDeck(db, workspace.id, fact.deck_id)
      if (!deck) throw invalid('/deck_id', 'unknown_deck', 'deck_id must be the id of a deck')
      const row = rowOf(fact, deck)
      await requireNote(session, row.source_note_id)
      if (old) return { merged: 'updated', left: await replace(session, old, row) }
      await factWriter.insertAlone(session, row)
      return { merged: 'created', left: [] }
    },

    async relate(session, item, left) {
      const touched = new Map(left as Touched)
      const fact = await getFact(session.db, session.workspace.id, toShape(item).id)
      // What came with a revision of its own has told of the change already.
      if (fact) await factWriter.settle(session, fact, (card) => touched.get(card.id) === card.revision)
      return []
    },
  }
}

function told(row: FactRow): PortableFact {
  const { id, revision, created_at, updated_at, trashed_at, ...rest } = toFact(row).resource
  return { id, revision, created_at, updated_at, trashed_at, trashed_with: row.trashed_with, ...rest }
}

/** Throws invalid_request. */
function rowOf(fact: PortableFact, deck: DeckRow): UnsizedFact {
  const { id, revision, created_at, updated_at, trashed_at, trashed_with, deck_id: _, ...content } = fact
  return {
    id,
    revision,
    ...readStamps({ created_at, updated_at }),
    ...trashedIn({ trashed_at: readOptional(trashed_at, '/trashed_at'), trashed_with }, deck),
    ...columnsOf(checkedFact(content)),
    deck: deck.key,
  }
}
