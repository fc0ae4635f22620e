import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, type Fault } from '../../http/api-error'
import { writeInstant } from '../../http/values'
import { listCardsOfFact } from '../card-store'
import type { CardWriter } from '../card-writer'
import { duplicateKey, type FactMembers, factColumns, factMembers, patchFact, readFact, readNoteIds } from '../fact'
import type { FactContent } from '../fact-schema'
import { withSource } from '../fact-source'
import { type FactRow, findFactByDuplicateKey, findFactBySource, getFact } from '../fact-store'
import type { FactWriter } from '../fact-writer'
import type { ParsedFact } from '../formats/parsed'
import { mediaNames, renamedMedia } from '../media/media-file'
import { readInherited, type Study } from '../study'
import type { DeckPaths } from './decks'
import type { ItemReport } from './item-report'
import type { FindRenamedMedia } from './media'
import { factIdentities, type ImportLog, type NewFacts, withSchedule } from './new-facts'
import type { ScheduleContext } from './schedule'
import type { ImportParams } from './schema'

const NONE: ReadonlyMap<string, string> = new Map()
/** The end of the year 9999. */
const LAST_INSTANT = 253_402_300_799_999

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly factWriter: FactWriter
  readonly cardWriter: CardWriter
  readonly importLog: ImportLog
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** One step of an import. */
export interface FactStep {
  /** Its database is a transaction. */
  readonly session: Session
  readonly params: ImportParams
  readonly study: Study
  readonly decks: DeckPaths
  readonly renamed: FindRenamedMedia
  /** Facts that are not written yet. */
  readonly waiting: NewFacts
  /** Whether an earlier step of this import made a fact, or met it. */
  readonly hasMet: (id: string) => boolean
  /** Ids of the facts that this step made or met. */
  readonly claimed: Set<string>
  /** Weights by the key of a deck. */
  readonly weights: Map<number, readonly number[] | null>
}

/** A fact of the file, and its report. */
interface Given {
  readonly item: ParsedFact
  readonly telling: ItemReport
}

/** A fact that is here, and how it is known again. */
interface Match {
  readonly fact: FactRow
  readonly by: 'id' | 'source' | 'front'
}

/** What cannot be a fact fails. */
export type ImportFact = (step: FactStep, item: ParsedFact, telling: ItemReport) => Promise<void>

export function createFactImport({ now, ids, factWriter, cardWriter, importLog, missingNotes }: Deps): ImportFact {
  /** The content as it can be stored here. */
  async function contentOf(
    { session, renamed }: FactStep,
    { item: { fact, ...item }, telling }: Given,
  ): Promise<FactContent> {
    const { front, back, extra, hint } = fact
    const names = [front, back, fact.text, extra, hint].flatMap((markdown) => (markdown ? mediaNames(markdown) : []))
    const others = names.length > 0 ? await renamed(names) : NONE
    const text = (markdown: string | null | undefined) => markdown && renamedMedia(markdown, others)
    const sides =
      fact.type === 'cloze'
        ? { text: text(fact.text) ?? null }
        : { front: text(front) ?? null, back: text(back) ?? null }
    const notes = readNoteIds(fact.note_ids)
    const missing = await missingNotes(session, notes)
    if (missing.length > 0) telling.warn('unknown_note', `${missing.length} notes that it belongs to are not here.`)
    const stamp = item.external_modified_at
    const isReal = stamp !== null && stamp >= 0 && stamp <= LAST_INSTANT
    return {
      ...fact,
      ...sides,
      ...(others.size > 0 && extra ? { extra: renamedMedia(extra, others) } : {}),
      ...(others.size > 0 && hint ? { hint: renamedMedia(hint, others) } : {}),
      note_ids: notes.filter((id) => !missing.includes(id)),
      external_modified_at: isReal ? writeInstant(stamp) : null,
    }
  }

  async function weightsOf({ session, study, weights }: FactStep, deck: number): Promise<readonly number[] | null> {
    const known = weights.get(deck)
    if (known !== undefined) return known
    const found = (await readInherited(session, study, [deck])).get(deck)?.effective.weights ?? null
    weights.set(deck, found)
    return found
  }

  async function aroundOf(step: FactStep, item: ParsedFact, deck: number): Promise<ScheduleContext | null> {
    const { clock, now } = step.study
    if (step.params.scheduling === 'drop' || item.cards.length === 0) return null
    return { clock, weights: await weightsOf(step, deck), now }
  }

  async function insert(step: FactStep, given: Given, members: FactMembers, names: readonly string[]): Promise<void> {
    const { item, telling } = given
    const { key: deck } = await step.decks.at(item.deck, telling)
    const id = ids()
    step.claimed.add(id)
    step.waiting.add({ ...{ id, deck, members, names }, ...given, around: await aroundOf(step, item, deck) })
  }

  /** Gives cards that a fact did not have before what the file knows of them. */
  async function follow(step: FactStep, { item, telling }: Given, fact: FactRow, known: ReadonlySet<number>) {
    const { session, params } = step
    const all = await listCardsOfFact(session.db, session.workspace.id, fact.key)
    const made = all.filter(({ key }) => !known.has(key))
    telling.add('card', made.length)
    const around = made.length === 0 ? null : await aroundOf(step, item, fact.deck)
    for (const card of made) {
      step.waiting.standBehind(card.position)
      const study = around && withSchedule(item, card.ordinal, around, params.behind)
      if (!study) continue
      const { position } = await cardWriter.save(session, card, study.columns)
      step.waiting.standBehind(position)
      const rows = study.log.map((row) => ({ card: card.key, row }))
      await importLog(session, rows, now())
      telling.add('review', study.rows)
    }
  }

  async function update(step: FactStep, given: Given, { fact, by }: Match, content: FactContent): Promise<void> {
    const { session } = step
    const { note_ids, source, external_modified_at, ...plain } = content
    const { url, ...name } = source ?? {}
    const isNamed = name.id != null && by !== 'id'
    const patch = {
      ...plain,
      ...(note_ids?.length ? { note_ids } : {}),
      source: { ...(isNamed ? name : {}), ...(url === undefined ? {} : { url }) },
      ...(isNamed ? { external_modified_at: external_modified_at ?? null } : {}),
    }
    const changed = factColumns(patchFact(factMembers(fact), patch))
    await step.waiting.write(session)
    const known = await listCardsOfFact(session.db, session.workspace.id, fact.key)
    const saved = await factWriter.save(session, fact, changed)
    step.claimed.add(fact.id)
    given.telling.became(saved === fact ? 'unchanged' : 'updated', fact.id)
    await follow(step, given, saved, new Set(known.map(({ key }) => key)))
  }

  async function place(step: FactStep, given: Given): Promise<void> {
    const { params, claimed } = step
    const { telling } = given
    const content = await contentOf(step, given)
    const members = readFact(content)
    const key = duplicateKey(members)
    const names = factIdentities(key, members, idOf(members))
    if (step.waiting.holds(names)) await step.waiting.write(step.session)
    const match = await matchOf(step, members, key)
    if (!match) return insert(step, given, members, names)
    // The one that is here stays the one that the names of the file mean.
    if (params.on_duplicate === 'create')
      return insert(step, given, { ...members, source: withoutName(members), external_modified_at: null }, names)
    const isRepeated = hasMet(step, match.fact.id)
    if (isRepeated) telling.warn('repeated', 'The file holds the fact more than once.')
    if (!isRepeated && params.on_duplicate !== 'skip' && isNewer(match.fact, members))
      return update(step, given, match, content)
    claimed.add(match.fact.id)
    telling.became(params.on_duplicate === 'skip' ? 'skipped' : 'unchanged', match.fact.id)
  }

  return async (step, item, telling) => {
    try {
      await place(step, { item: currentItem(item), telling })
    } catch (error) {
      // What checks a fact, and a name that is another's: nothing of it is written by then.
      if (!(error instanceof ApiError) || !['invalid_request', 'conflict'].includes(error.code)) throw error
      const [fault] = (error.extra.errors ?? []) as Fault[]
      telling.fail(fault?.code ?? error.code, error.detail)
    }
  }
}

/** What an older server had read when this one took its run over. */
function currentItem(item: ParsedFact): ParsedFact {
  if (!('external_id' in item)) return item
  return { ...item, fact: withSource({ ...item.fact, external_id: item.external_id }) as FactContent }
}

function hasMet({ claimed, hasMet }: FactStep, id: string): boolean {
  return claimed.has(id) || hasMet(id)
}

/**
 * The fact that an item is of. Its names come first, also in the trash; two facts of different names may ask the same,
 * so only one without a name of its own is known by its front.
 */
async function matchOf(step: FactStep, members: FactMembers, key: string): Promise<Match | null> {
  const { db, workspace } = step.session
  const { system = null, id: name = null } = members.source ?? {}
  const known = system === null || name === null ? null : await findFactBySource(db, workspace.id, system, name)
  if (known) return { fact: known, by: 'source' }
  const id = idOf(members)
  const same = id === undefined ? null : await getFact(db, workspace.id, id)
  if (same) return { fact: same, by: 'id' }
  const twin = await findFactByDuplicateKey(db, workspace.id, key)
  if (!twin) return null
  const isOther = name !== null && (hasMet(step, twin.id) || twin.source_id !== null)
  return isOther ? null : { fact: twin, by: 'front' }
}

/** The id of a fact of ours: what we export to Anki is called after it. */
function idOf({ source }: FactMembers): string | undefined {
  return source?.id ?? undefined
}

function withoutName({ source }: FactMembers): FactMembers['source'] {
  return source?.url == null ? null : { system: null, id: null, url: source.url }
}

/** The stamps decide, where both have one. What is in the trash stays as it is. */
function isNewer(fact: FactRow, { external_modified_at: stamp }: FactMembers): boolean {
  if (fact.deleted_at !== null) return false
  return stamp === null || fact.external_modified_at === null || stamp > fact.external_modified_at
}
