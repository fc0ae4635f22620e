import type { Queries, WorkspaceId } from '../../db/database'
import { Bindings } from '../../db/database'
import { valuesIn } from '../../db/dialect'
import { CARD, type CardRow } from '../card-store'
import { FACT, type FactRow } from '../fact-store'

/** The filter of cards, or of facts with such a card. Null: any value matches. */
export interface StudyFilter {
  /** Keys. */
  readonly decks: readonly number[] | null
  /** Folded. Tags nested in it match, too. */
  readonly tagKey: string | null
  readonly type: FactRow['type'] | null
  /** Folded, not empty. */
  readonly text: string | null
  readonly note: string | null
  readonly sourceSystem: string | null
  /** Null if the system is null. */
  readonly sourceId: string | null
  readonly state: CardRow['state'] | null
  /** A study day (whole days since 1970-01-01), and the instant at which it begins. */
  readonly dueBefore: { readonly day: number; readonly at: number } | null
  readonly leech: boolean | null
  readonly suspended: boolean | null
  readonly flag: number | null
}

export interface StudyListing {
  readonly filter: StudyFilter
  readonly trashed: boolean
  /** The last id of the page before, or null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** Returns the cards of a page, by id. */
export function listCards(db: Queries, workspace: WorkspaceId, listing: StudyListing): Promise<CardRow[]> {
  const { filter, trashed, after, limit } = listing
  const bind = new Bindings(workspace)
  const where = [
    inWorkspace(filter),
    trashed ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL',
    ...(after === null ? [] : [`id > ${bind.add(after)}`]),
    ...inDecks(filter, bind),
    ...cardConditions(filter, bind),
    ...factConditions(filter, bind, 'study_cards.fact'),
    ...(filter.type === null
      ? []
      : [`fact IN (SELECT key FROM study_facts WHERE workspace = $1 AND type = ${bind.add(filter.type)})`]),
  ]
  const sql = `SELECT ${CARD} FROM study_cards WHERE ${where.join(' AND ')} ORDER BY id LIMIT ${bind.add(limit)}`
  return db.all<CardRow>(sql, bind.values)
}

/** Returns the facts of a page, by id. Facts that were trashed with a deck are part of that entry, and not listed. */
export function listFacts(db: Queries, workspace: WorkspaceId, listing: StudyListing): Promise<FactRow[]> {
  const { filter, trashed, after, limit } = listing
  const bind = new Bindings(workspace)
  const cards = cardConditions(filter, bind)
  const living = trashed ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL'
  const having = `study_facts.key IN
    (SELECT fact FROM study_cards WHERE workspace = $1 AND ${living} AND ${cards.join(' AND ')})`
  const where = [
    inWorkspace(filter),
    trashed ? `${living} AND trashed_with IS NULL` : living,
    ...(after === null ? [] : [`id > ${bind.add(after)}`]),
    ...inDecks(filter, bind),
    ...(cards.length > 0 ? [having] : []),
    ...factConditions(filter, bind, 'study_facts.key'),
    ...(filter.type === null ? [] : [`type = ${bind.add(filter.type)}`]),
  ]
  const sql = `SELECT ${FACT} FROM study_facts WHERE ${where.join(' AND ')} ORDER BY id LIMIT ${bind.add(limit)}`
  return db.all<FactRow>(sql, bind.values)
}

/**
 * Returns the condition on the workspace. If few facts match, the plus keeps the planner from a scan of the workspace.
 */
function inWorkspace({ sourceId, note, text }: StudyFilter): string {
  return sourceId !== null || note !== null || text !== null ? '+workspace = $1' : 'workspace = $1'
}

function inDecks({ decks }: StudyFilter, bind: Bindings): string[] {
  return decks === null ? [] : [`deck IN ${valuesIn(bind.add(JSON.stringify(decks)))}`]
}

/**
 * Returns the conditions on columns of cards. Constants are literals, so that the planner can choose a partial index.
 */
function cardConditions({ state, dueBefore, leech, suspended, flag }: StudyFilter, bind: Bindings): string[] {
  const due = dueBefore && `(due_day < ${bind.add(dueBefore.day)} OR due_at < ${bind.add(dueBefore.at)})`
  return [
    ...(state === null ? [] : [`state = ${bind.add(state)}`]),
    ...(due === null ? [] : [due]),
    ...(leech === null ? [] : [`leech = ${leech ? 1 : 0}`]),
    ...(suspended === null ? [] : [`suspended = ${suspended ? 1 : 0}`]),
    ...(flag === null ? [] : [`flag = ${bind.add(flag)}${flag > 0 ? ' AND flag > 0' : ''}`]),
  ]
}

/** Returns the conditions on the tags, notes, source and text of a fact, whose key is in the column `key`. */
function factConditions(filter: StudyFilter, bind: Bindings, key: string): string[] {
  const { tagKey, text, note, sourceSystem, sourceId } = filter
  const withId = sourceId === null ? '' : ` AND source_id = ${bind.add(sourceId)}`
  return [
    ...(sourceSystem === null
      ? []
      : [
          `${key} IN (SELECT key FROM study_facts
            WHERE workspace = $1 AND source_system = ${bind.add(sourceSystem)}${withId})`,
        ]),
    ...(note === null
      ? []
      : [`${key} IN (SELECT fact FROM study_fact_note_uses WHERE workspace = $1 AND note_id = ${bind.add(note)})`]),
    ...(tagKey === null ? [] : [tagCondition(tagKey, bind, key)]),
    ...(text === null
      ? []
      : [`${key} IN (SELECT fact FROM study_fact_texts WHERE workspace = $1 AND instr(text, ${bind.add(text)}) > 0)`]),
  ]
}

/** Returns the condition for a tag or one nested in it. Nested tags begin with it and `::`, and `;` sorts after `:`. */
function tagCondition(tagKey: string, bind: Bindings, key: string): string {
  const [tag, from, to] = [tagKey, `${tagKey}::`, `${tagKey}:;`].map((text) => bind.add(text))
  return `${key} IN (SELECT fact FROM study_fact_tags
    WHERE workspace = $1 AND (tag_key = ${tag} OR (tag_key >= ${from} AND tag_key < ${to})))`
}
