import type { Queries } from '../../src/db/database'
import { type UnsizedFact, withDerivedColumns } from '../../src/flashcards/fact-writer'
import { factTagKey, listOrdinals } from '../../src/flashcards/facts/fact'

/** What in the tables of flashcards contradicts itself, in words: all that is kept of other rows is made anew here. */
export async function flashcardContradictions(db: Queries): Promise<string[]> {
  const tables: Tables = {
    decks: await db.all('SELECT * FROM study_decks'),
    facts: await db.all('SELECT * FROM study_facts'),
    cards: await db.all('SELECT * FROM study_cards'),
    tags: await db.all('SELECT * FROM study_fact_tags'),
    notes: await db.all('SELECT * FROM study_fact_note_uses'),
    changes: await db.all(
      "SELECT * FROM changes WHERE type IN ('deck', 'fact', 'card', 'review', 'note_type', 'study_settings')",
    ),
    reviews: await db.all('SELECT * FROM study_reviews ORDER BY key'),
    noteTypes: await db.all('SELECT * FROM flashcard_note_types'),
  }
  return [trees, cardsFollow, schedules, logged, tagged, feed].flatMap((check) => check(tables))
}

interface Row {
  readonly key: number
  readonly workspace: string
  readonly id: string
  readonly revision: number
  readonly updated_at: number
  readonly deleted_at: number | null
}
interface Deck extends Row {
  readonly trashed_with: string | null
  readonly parent: number | null
  readonly name_key: string
}
interface Fact extends Row {
  readonly trashed_with: string | null
  readonly deck: number
  readonly type: 'basic' | 'reversed' | 'typed' | 'cloze' | 'custom'
  readonly ordinals: string | null
  readonly front: string | null
  readonly back: string | null
  readonly text: string | null
  readonly tags: string
  readonly note_ids: string
  readonly size_bytes: number
}
interface Card extends Row {
  readonly fact: number
  readonly deck: number
  readonly ordinal: number
  readonly state: 'new' | 'learning' | 'review' | 'relearning'
  readonly due_at: number | null
  readonly due_day: number | null
  readonly stability: number | null
  readonly reps: number
  readonly lapses: number
  readonly last_reviewed_at: number | null
}
interface Review extends Omit<Row, 'deleted_at'> {
  readonly reviewed_at: number
  readonly card: number
  readonly kind: string
  readonly was_new: number
  readonly interval_days: number
  readonly before: string
  readonly after: string
  readonly rating: number | null
  readonly undone_at: number | null
}
type Change = Pick<Row, 'workspace' | 'id' | 'revision'> & { type: string; op: string; changed_at: number }

interface Tables {
  readonly decks: readonly Deck[]
  readonly facts: readonly Fact[]
  readonly cards: readonly Card[]
  readonly tags: readonly { workspace: string; tag_key: string; fact: number }[]
  readonly notes: readonly { workspace: string; note_id: string; fact: number }[]
  readonly changes: readonly Change[]
  readonly reviews: readonly Review[]
  readonly noteTypes: readonly Omit<Row, 'deleted_at'>[]
}

const lives = ({ deleted_at }: Row) => deleted_at === null

/** No circle, ten levels at most, nothing living in what is not, and no two living siblings of one name. */
function trees({ decks, facts }: Tables): string[] {
  const known = new Map(decks.map((deck) => [deck.key, deck]))
  const names = Map.groupBy(
    decks.filter(lives),
    ({ workspace, parent, name_key }) => `${workspace} ${parent} ${name_key}`,
  )
  return [
    ...[...names].filter(([, group]) => group.length > 1).map(([name]) => `two decks of one name: ${name}`),
    ...decks.flatMap((deck) => {
      let level = 0
      for (let above: Deck | undefined = deck; above && level < 12; level++) above = known.get(above.parent ?? 0)
      const parent = known.get(deck.parent ?? 0)
      return [
        ...(level > 10 ? [`level ${level} of deck ${deck.id}`] : []),
        ...(parent && parent.workspace !== deck.workspace ? [`deck ${deck.id} stands in a deck of another`] : []),
        ...(parent && lives(deck) && !lives(parent) ? [`deck ${deck.id} lives in the trash`] : []),
        ...(lives(deck) && deck.trashed_with !== null ? [`deck ${deck.id} lives, trashed with another`] : []),
      ]
    }),
    ...facts.flatMap((fact) => {
      const deck = known.get(fact.deck)
      return [
        ...(deck?.workspace === fact.workspace ? [] : [`fact ${fact.id} is in a deck of another`]),
        ...(lives(fact) && deck && !lives(deck) ? [`fact ${fact.id} lives in the trash`] : []),
        ...(lives(fact) && fact.trashed_with !== null ? [`fact ${fact.id} lives, trashed with a deck`] : []),
      ]
    }),
  ]
}

/** A card lives if its fact lives and has its ordinal, and stands in the deck of its fact. */
function cardsFollow({ facts, cards }: Tables): string[] {
  const byFact = Map.groupBy(cards, ({ fact }) => fact)
  return facts.flatMap((fact) => {
    const own = byFact.get(fact.key) ?? []
    const has = listOrdinals(fact)
    const living = own.filter(lives).map(({ ordinal }) => ordinal)
    const wrong = lives(fact) ? has.toSorted().join() !== living.toSorted().join() : living.length > 0
    const strays = own.filter(({ deck, workspace }) => deck !== fact.deck || workspace !== fact.workspace)
    return [
      ...(wrong ? [`cards of fact ${fact.id}: ${living}, not ${has}`] : []),
      ...strays.map(({ id }) => `card ${id} is not where its fact is`),
    ]
  })
}

/** Of due_at and due_day just what the state stores. Only what was set due without an answer is in review without memory. */
function schedules({ cards }: Tables): string[] {
  return cards
    .filter(({ state, due_at, due_day, stability, reps }) => {
      const remembered = state === 'review' && reps === 0 && stability === null ? 0 : 1
      const stored = state === 'new' ? [0, 0, 0] : state === 'review' ? [0, 1, remembered] : [1, 0, 1]
      return [due_at, due_day, stability].some((value, i) => (value === null) === (stored[i] === 1))
    })
    .map(({ id, state }) => `schedule of card ${id}, which is ${state}`)
}

/** Late answers come after those that they stand before. */
const byTime = (one: Review, other: Review) =>
  one.reviewed_at - other.reviewed_at || (one.id < other.id ? -1 : Number(one.id > other.id))

/** A card is what its last review by time that stands left it, or what the first that was undone found. Imports may keep it. */
function logged({ cards, reviews }: Tables): string[] {
  const byCard = Map.groupBy(reviews, ({ card }) => card)
  const members = ['state', 'reps', 'lapses', 'last_reviewed_at'] as const
  const schedule = (of: Pick<Card, (typeof members)[number]>) => members.map((name) => of[name]).join()
  return [
    ...cards.flatMap((card) => {
      const log = byCard.get(card.key) ?? []
      const standing = log.filter(({ undone_at }) => undone_at === null)
      const last =
        standing
          .filter(({ kind }) => kind !== 'import')
          .toSorted(byTime)
          .at(-1) ?? standing.at(-1)
      const known = last?.after ?? log[0]?.before
      if (known === undefined || last?.kind === 'import' || schedule(JSON.parse(known)) === schedule(card)) return []
      return [`card ${card.id} is not as its log leaves it`]
    }),
    ...reviews.flatMap(({ id, kind, rating, before, was_new, interval_days }) => {
      const { state, scheduled_days } = JSON.parse(before)
      // What an import knows of a card without a log is no first answer.
      const isSeed = kind === 'import' && rating === null
      const follows = was_new === Number(state === 'new' && !isSeed) && interval_days === scheduled_days
      return follows ? [] : [`review ${id} contradicts what was before`]
    }),
  ]
}

function tagged({ facts, tags, notes }: Tables): string[] {
  const byFact = Map.groupBy(tags, ({ fact }) => fact)
  const notesByFact = Map.groupBy(notes, ({ workspace, fact }) => `${workspace} ${fact}`)
  return [
    ...(notes.length === facts.reduce((sum, { note_ids }) => sum + JSON.parse(note_ids).length, 0)
      ? []
      : ['notes of facts that are gone']),
    ...facts.flatMap((fact) => {
      const kept = (byFact.get(fact.key) ?? []).map(({ tag_key }) => tag_key).toSorted()
      const has = JSON.parse(fact.tags).map(factTagKey).toSorted()
      const belongs = (notesByFact.get(`${fact.workspace} ${fact.key}`) ?? []).map(({ note_id }) => note_id).toSorted()
      const said: string[] = JSON.parse(fact.note_ids).toSorted()
      const bytes = withDerivedColumns(fact as unknown as UnsizedFact).size_bytes
      return [
        ...(belongs.join(' ') === said.join(' ') ? [] : [`notes of fact ${fact.id}: ${belongs}, not ${said}`]),
        ...(bytes === fact.size_bytes ? [] : [`fact ${fact.id} has ${bytes} bytes, not ${fact.size_bytes}`]),
        ...(kept.join(' ') === has.join(' ') ? [] : [`tags of fact ${fact.id}: ${kept}, not ${has}`]),
      ]
    }),
  ]
}

/** The latest change that the feed tells of is the one that the row shows; of what is gone, that it is gone. */
function feed({ decks, facts, cards, reviews, noteTypes, changes }: Tables): string[] {
  const told = new Map(changes.map((change) => [`${change.type} ${change.workspace} ${change.id}`, change]))
  const wrong = (type: string, row: Omit<Row, 'key'>) => {
    const place = `${type} ${row.workspace} ${row.id}`
    const change = told.get(place)
    told.delete(place)
    const shown = [row.revision, row.updated_at, row.deleted_at === null ? 'upsert' : 'delete'].join()
    return [change?.revision, change?.changed_at, change?.op].join() === shown ? [] : [`feed of ${place}`]
  }
  const found = [
    ...decks.flatMap((row) => wrong('deck', row)),
    ...facts.flatMap((row) => wrong('fact', row)),
    ...cards.flatMap((row) => wrong('card', row)),
    ...reviews.flatMap((row) => wrong('review', { ...row, deleted_at: null })),
    ...noteTypes.flatMap((row) => wrong('note_type', { ...row, deleted_at: null })),
  ]
  const left = [...told.values()].filter(({ type, op }) => type !== 'study_settings' && op === 'upsert')
  return [...found, ...left.map(({ type, id }) => `${type} ${id} is gone, and the feed does not tell`)]
}
