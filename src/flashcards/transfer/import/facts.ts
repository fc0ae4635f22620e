import type { Session } from '../../../db/database'
import { type Fault, Refusal } from '../../../http/problem'
import { writeInstant } from '../../../http/values'
import { cardsOfFact } from '../../cards/store'
import type { CardWriter } from '../../cards/writer'
import { changedFact, checkedFact, duplicateKey, type FactMembers } from '../../facts/fact'
import { columnsOf, membersOf } from '../../facts/form'
import { type FactRow, factByDuplicateKey, factByExternalId, getFact } from '../../facts/store'
import type { FactWriter } from '../../facts/writer'
import { renamedMedia } from '../../media/media-name'
import type { FactContent } from '../../schema'
import { readInherited, type Study } from '../../settings/study'
import { isId } from '../id'
import type { ParsedFact } from '../parsed'
import type { ImportQuery } from '../schema'
import { type ImportLog, studied } from './cards'
import type { DeckPaths } from './decks'
import type { Renamed } from './media'
import { type NewFacts, namesOf } from './new-facts'
import type { Tally } from './report'
import type { Around } from './schedule'

/** The end of the year 9999. */
const LAST_INSTANT = 253_402_300_799_999

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly factWriter: FactWriter
  readonly cardWriter: CardWriter
  readonly importLog: ImportLog
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** One import while it runs. */
export interface Run {
  /** Its database is a transaction. */
  readonly session: Session
  readonly query: ImportQuery
  readonly study: Study
  readonly decks: DeckPaths
  readonly renamed: Renamed
  readonly tally: Tally
  /** The highest position of a card before. */
  readonly lastPosition: number
  /** Facts that are not written yet. */
  readonly waiting: NewFacts
  /** Ids of the facts that this import made or met. */
  readonly claimed: Set<string>
  /** Weights by the key of a deck. */
  readonly weights: Map<number, readonly number[] | null>
}

/** A fact that is here, and how it is known again. */
interface Match {
  readonly fact: FactRow
  readonly by: 'id' | 'external_id' | 'front'
}

export type ImportFact = (run: Run, item: ParsedFact) => Promise<void>

export function createFactImport({ now, ids, factWriter, cardWriter, importLog, missingNotes }: Deps): ImportFact {
  /** The content as it can be stored here. */
  async function contentOf(
    { session, renamed, tally }: Run,
    { fact, where, ...item }: ParsedFact,
  ): Promise<FactContent> {
    const text = (markdown: string | null | undefined) => markdown && renamedMedia(markdown, renamed)
    const { front, back, extra, hint, source_note_id: note } = fact
    const sides =
      fact.type === 'cloze'
        ? { text: text(fact.text) ?? null }
        : { front: text(front) ?? null, back: text(back) ?? null }
    const isLost = note != null && (!isId(note) || (await missingNotes(session, [note])).length > 0)
    if (isLost) tally.line(where, 'unknown_note', 'The note that it comes from is not here.')
    const stamp = item.external_modified_at
    const isReal = stamp !== null && stamp >= 0 && stamp <= LAST_INSTANT
    return {
      ...fact,
      ...sides,
      ...(renamed.size > 0 && extra ? { extra: renamedMedia(extra, renamed) } : {}),
      ...(renamed.size > 0 && hint ? { hint: renamedMedia(hint, renamed) } : {}),
      source_note_id: isLost ? null : (note ?? null),
      external_id: item.external_id,
      external_modified_at: isReal ? writeInstant(stamp) : null,
    }
  }

  async function weightsOf({ session, study, weights }: Run, deck: number): Promise<readonly number[] | null> {
    const known = weights.get(deck)
    if (known !== undefined) return known
    const found = (await readInherited(session, study, [deck])).get(deck)?.effective.weights ?? null
    weights.set(deck, found)
    return found
  }

  async function aroundOf(run: Run, item: ParsedFact, deck: number): Promise<Around | null> {
    const { clock, now } = run.study
    if (run.query.scheduling === 'drop' || item.cards.length === 0) return null
    return { clock, weights: await weightsOf(run, deck), now }
  }

  async function insert(run: Run, item: ParsedFact, members: FactMembers, names: readonly string[]): Promise<void> {
    const { key: deck } = await run.decks.at(item.deck)
    const id = isId(item.id) ? item.id : ids()
    run.claimed.add(id)
    run.waiting.add({ id, deck, members, names, item, around: await aroundOf(run, item, deck) })
  }

  /** Another stays the one that the names of the file mean. */
  function insertCopy(run: Run, item: ParsedFact, members: FactMembers, names: readonly string[]): Promise<void> {
    const { id: _, ...nameless } = item
    return insert(run, nameless, { ...members, external_id: null, external_modified_at: null }, names)
  }

  /** Gives cards that a fact did not have before what the file knows of them. */
  async function follow(run: Run, item: ParsedFact, fact: FactRow, known: ReadonlySet<number>): Promise<void> {
    const { session, tally, lastPosition } = run
    const all = await cardsOfFact(session.db, session.workspace.id, fact.key)
    const made = all.filter(({ key }) => !known.has(key))
    if (made.length === 0) return
    tally.cards += made.length
    const around = await aroundOf(run, item, fact.deck)
    for (const card of made) {
      run.waiting.standBehind(card.position)
      const study = around && studied(item, card.ordinal, around, lastPosition)
      if (!study) continue
      const { position } = await cardWriter.save(session, card, study.columns)
      run.waiting.standBehind(position)
      const rows = study.log.map((row) => ({ card: card.key, row }))
      await importLog(session, rows, now())
      tally.reviews += study.rows
    }
  }

  async function update(run: Run, item: ParsedFact, { fact, by }: Match, content: FactContent): Promise<void> {
    const { session, tally } = run
    const { source_note_id: note, external_id, external_modified_at, ...plain } = content
    const external =
      by === 'id'
        ? {}
        : { external_id: external_id ?? fact.external_id, external_modified_at: external_modified_at ?? null }
    const patch = { ...plain, ...(note ? { source_note_id: note } : {}), ...(external_id ? external : {}) }
    const changed = columnsOf(changedFact(membersOf(fact), patch))
    await run.waiting.write(session)
    const known = await cardsOfFact(session.db, session.workspace.id, fact.key)
    const saved = await factWriter.save(session, fact, changed)
    run.claimed.add(fact.id)
    tally.facts[saved === fact ? 'duplicate' : 'updated'] += 1
    await follow(run, item, saved, new Set(known.map(({ key }) => key)))
  }

  async function place(run: Run, item: ParsedFact): Promise<void> {
    const { query, tally, claimed } = run
    const content = await contentOf(run, item)
    const members = checkedFact(content)
    const key = duplicateKey(members)
    const names = namesOf(key, members, idOf(item, members))
    if (run.waiting.holds(names)) await run.waiting.write(run.session)
    const match = await matchOf(run, item, members, key)
    if (!match) return insert(run, item, members, names)
    if (query.on_duplicate === 'create') return insertCopy(run, item, members, names)
    if (claimed.has(match.fact.id)) tally.line(item.where, 'repeated', 'The file holds the fact more than once.')
    if (claimed.has(match.fact.id) || query.on_duplicate === 'skip' || !isNewer(match.fact, members)) {
      claimed.add(match.fact.id)
      tally.facts.duplicate += 1
    } else await update(run, item, match, content)
  }

  return async (run, item) => {
    try {
      await place(run, item)
    } catch (error) {
      // What checks a fact, and a name that is another's: nothing of it is written by then.
      if (!(error instanceof Refusal) || !['invalid_request', 'conflict'].includes(error.code)) throw error
      const [fault] = (error.extra.errors ?? []) as Fault[]
      run.tally.facts.skipped += 1
      run.tally.line(item.where, fault?.code ?? error.code, error.detail)
    }
  }
}

/**
 * The fact that an item is of. Its names come first, also in the trash; two facts of different names may ask the same,
 * so only one without a name of its own is known by its front.
 */
async function matchOf(
  { session, claimed }: Run,
  item: ParsedFact,
  members: FactMembers,
  key: string,
): Promise<Match | null> {
  const { db, workspace } = session
  const external = members.external_id === null ? null : await factByExternalId(db, workspace.id, members.external_id)
  if (external) return { fact: external, by: 'external_id' }
  const id = idOf(item, members)
  const same = id === undefined ? null : await getFact(db, workspace.id, id)
  if (same) return { fact: same, by: 'id' }
  const twin = await factByDuplicateKey(db, workspace.id, key)
  if (!twin) return null
  const isNamed = item.id !== undefined || members.external_id !== null
  const isOther = isNamed && (claimed.has(twin.id) || (members.external_id !== null && twin.external_id !== null))
  return isOther ? null : { fact: twin, by: 'front' }
}

/** The id that a fact of ours has in the file: what we export to Anki is called after it. */
function idOf({ id }: ParsedFact, { external_id }: FactMembers): string | undefined {
  return id ?? external_id?.replace(/^anki:/, '')
}

/** The stamps decide, where both have one. What is in the trash stays as it is. */
function isNewer(fact: FactRow, { external_modified_at: stamp }: FactMembers): boolean {
  if (fact.trashed_at !== null) return false
  return stamp === null || fact.external_modified_at === null || stamp > fact.external_modified_at
}
