import type { Session } from '../../db/database'
import { ApiError, type Fault, invalid } from '../../http/api-error'
import { LAST_INSTANT_MS } from '../../http/cursor'
import { writeInstant } from '../../http/values'
import { listCardsOfFact } from '../cards/card-store'
import type { StudyContext } from '../context'
import { readDeckSettings, type Study } from '../decks/study'
import { patchStoredFact } from '../facts'
import {
  duplicateKey,
  type FactInput,
  type FactMembers,
  type FactPatch,
  patchFact,
  readFact,
  readNoteIds,
  readWholeId,
  toFactColumns,
  toFactMembers,
  writePartId,
} from '../facts/fact'
import type { UpdateFact } from '../facts/fact-schema'
import {
  type FactRow,
  findFactBySource,
  findFactBySources,
  getFact,
  listFactsByDuplicateKey,
} from '../facts/fact-store'
import { findNoteTypeByHash } from '../facts/note-type-store'
import type { ParsedFact } from '../formats/parsed'
import { listFieldMediaNames, listMediaNames, renameFieldMedia, renameMedia } from '../media/media-file'
import type { DeckSettings } from '../scheduling/settings'
import type { DeckPaths } from './decks'
import type { ItemReport } from './item-report'
import type { MergeLog } from './log-merge'
import type { FindRenamedMedia } from './media'
import { listIdentities, type NewFacts, readEditTime, readStudiedCard } from './new-facts'
import type { ScheduleContext } from './schedule'
import type { ImportParams } from './schema'

const NONE: ReadonlyMap<string, string> = new Map()

interface Deps extends StudyContext {
  readonly mergeLog: MergeLog
}

export interface FactStep {
  /** A session whose database is a transaction. */
  readonly session: Session
  readonly params: ImportParams
  readonly study: Study
  readonly decks: DeckPaths
  readonly findRenamed: FindRenamedMedia
  readonly newFacts: NewFacts
  /** Whether an earlier step of this import created or matched a fact. */
  readonly hasMet: (id: string) => boolean
  /** The ids of the facts that this step created or matched. */
  readonly claimed: Set<string>
  /** A cache of the settings that a deck has or inherits, by its key. */
  readonly settings: Map<number, DeckSettings>
  /** A cache of the keys of note types by their hashes. */
  readonly noteTypes: Map<string, number>
}

interface ReportedFact {
  readonly item: ParsedFact
  readonly report: ItemReport
}

/** An existing fact, and by what it was recognized. */
interface FactMatch {
  readonly fact: FactRow
  /** `other`: it only has the same front, so it may be of another file, or written by hand. */
  readonly by: 'id' | 'source' | 'front' | 'other'
}

/** Imports one fact. An invalid one fails in its report; nothing is thrown. Throws quota_exceeded. */
export type ImportFact = (
  step: FactStep,
  item: ParsedFact,
  report: ItemReport,
  /** The id of the fact if an earlier step imported it, and left answers of its log. */
  begun: string | null,
) => Promise<void>

export function createFactImport(deps: Deps): ImportFact {
  const { now, ids, factWriter, cardWriter, reviewWriter, mergeLog, missingNotes } = deps

  /** Returns the content with renamed media, and without missing notes and invalid instants. */
  async function readContent(step: FactStep, { item: { fact, ...item }, report }: ReportedFact): Promise<FactInput> {
    const { front, back, extra, hint } = fact
    const names = [front, back, fact.text, extra, hint].flatMap((markdown) =>
      markdown ? listMediaNames(markdown) : [],
    )
    if (item.note) names.push(...Object.values(item.note.fields ?? {}).flatMap(listFieldMediaNames))
    const others = names.length > 0 ? await step.findRenamed(names) : NONE
    const text = (markdown: string | null | undefined) => markdown && renameMedia(markdown, others)
    const sides =
      fact.type === 'cloze'
        ? { text: text(fact.text) ?? null }
        : { front: text(front) ?? null, back: text(back) ?? null }
    const note = item.note && {
      ...item.note,
      note_type: await findNoteType(step, item.note.note_type),
      fields: renameFieldMedia(item.note.fields, others),
    }
    const notes = readNoteIds(fact.note_ids)
    const missing = await missingNotes(step.session, notes)
    if (missing.length > 0) report.warn('unknown_note', `${missing.length} notes that it belongs to are not here.`)
    const stamp = item.external_modified_at
    const isReal = stamp !== null && stamp >= 0 && stamp <= LAST_INSTANT_MS
    return {
      ...fact,
      ...sides,
      ...note,
      ...(others.size > 0 && extra ? { extra: renameMedia(extra, others) } : {}),
      ...(others.size > 0 && hint ? { hint: renameMedia(hint, others) } : {}),
      note_ids: notes.filter((id) => !missing.includes(id)),
      external_modified_at: isReal ? writeInstant(stamp) : null,
    }
  }

  async function readSettings({ session, study, settings }: FactStep, deck: number): Promise<DeckSettings> {
    const known = settings.get(deck)
    if (known !== undefined) return known
    const found = await readDeckSettings(session, study, deck)
    settings.set(deck, found)
    return found
  }

  async function createScheduleContext(
    step: FactStep,
    item: ParsedFact,
    deck: number,
  ): Promise<ScheduleContext | null> {
    const { clock, now } = step.study
    if (step.params.scheduling === 'drop' || item.cards.length === 0) return null
    const {
      weights,
      learning_steps_minutes: learning,
      relearning_steps_minutes: relearning,
    } = await readSettings(step, deck)
    return { clock, weights, steps: { learning: learning.length, relearning: relearning.length }, now }
  }

  async function insert(step: FactStep, given: ReportedFact, members: FactMembers, identities: readonly string[]) {
    const { item, report } = given
    const { key: deck } = await step.decks.findOrCreate(item.deck, report)
    const id = ids()
    step.claimed.add(id)
    step.newFacts.add({
      ...{ id, deck, members, identities },
      ...given,
      context: await createScheduleContext(step, item, deck),
    })
  }

  async function scheduleNewCards(
    step: FactStep,
    { item, report }: ReportedFact,
    fact: FactRow,
    known: ReadonlySet<number>,
  ) {
    const { session, params } = step
    const all = await listCardsOfFact(session, fact.key)
    const added = all.filter(({ key }) => !known.has(key))
    report.addCount('card', added.length)
    const context = added.length === 0 ? null : await createScheduleContext(step, item, fact.deck)
    for (const card of added) {
      step.newFacts.reservePosition(card.position)
      const study = context && readStudiedCard(item, card.ordinal, context, params.behind)
      if (!study) continue
      const { position } = await cardWriter.save(session, card, study.columns)
      step.newFacts.reservePosition(position)
      const rows = study.log.map((row) => ({ card: card.key, row }))
      await reviewWriter.insertImported(session, rows)
      report.addCount('review', study.rows)
    }
  }

  async function update(step: FactStep, given: ReportedFact, { fact, by }: FactMatch, content: FactInput) {
    const { session } = step
    const { note_ids, source, external_modified_at, ...plain } = content
    const { url, ...name } = source ?? {}
    const isNamed = name.id != null && by !== 'id'
    const patch = {
      ...plain,
      // Files that only agree on the texts take nothing from each other.
      ...(by === 'front' ? { tags: [...new Set([...JSON.parse(fact.tags), ...(plain.tags ?? [])])] } : {}),
      ...(note_ids?.length ? { note_ids } : {}),
      source: { ...(isNamed ? name : {}), ...(url === undefined ? {} : { url }) },
      ...(isNamed ? { external_modified_at: external_modified_at ?? null } : {}),
    }
    const members = await patchImported(session, fact, patch)
    await step.newFacts.write(session)
    const known = await listCardsOfFact(session, fact.key)
    const saved = await factWriter.save(session, fact, toFactColumns(members), readEditTime(members, now()))
    step.claimed.add(fact.id)
    given.report.setResult(saved === fact ? 'unchanged' : 'updated', fact.id)
    await scheduleNewCards(step, given, saved, new Set(known.map(({ key }) => key)))
  }

  async function placeFact(step: FactStep, given: ReportedFact): Promise<void> {
    const { params, claimed } = step
    const { report } = given
    const content = await readContent(step, given)
    const members = readFact(content)
    const key = duplicateKey(members)
    const identities = listIdentities(key, members, getExportedId(members))
    if (step.newFacts.hasIdentity(identities)) await step.newFacts.write(step.session)
    const match = await findMatch(step, members, key)
    const related = match || params.on_duplicate === 'create' ? null : await findRelated(step, given.item, members)
    if (related) return keep(step, given, related, 'split_before')
    if (match?.by === 'other') report.warn('same_front', SAME_FRONT)
    if (!match || match.by === 'other') return insert(step, given, members, identities)
    // The existing fact keeps the source, so the new one gets none.
    if (params.on_duplicate === 'create')
      return insert(
        step,
        given,
        { ...members, source: toUnnamedSource(members), external_modified_at: null },
        identities,
      )
    const isRepeated = hasMet(step, match.fact.id)
    if (!isRepeated && match.fact.type === 'custom' && !given.item.note)
      return keep(step, given, match.fact, 'note_kept')
    if (isRepeated) report.warn('repeated', 'The file holds the fact more than once.')
    const isSkipped = params.on_duplicate === 'skip'
    if (!isRepeated && !isSkipped && isNewer(match, members)) {
      if (isEditedLater(match.fact, members)) keep(step, given, match.fact, 'edited_here')
      else await update(step, given, match, content)
    } else {
      claimed.add(match.fact.id)
      report.setResult(isSkipped ? 'skipped' : 'unchanged', match.fact.id)
    }
    if (!isRepeated && !isSkipped) await mergeAnswers(step, given, match.fact)
  }

  /** Puts the answers in the file that the cards of an existing fact lack into their logs. */
  async function mergeAnswers(step: FactStep, { item, report }: ReportedFact, fact: FactRow): Promise<void> {
    const { session, study, params } = step
    if (params.scheduling === 'drop' || item.log.length === 0 || fact.deleted_at !== null) return
    const settings = await readSettings(step, fact.deck)
    const { merged, isLeft } = await mergeLog(session, { study, settings, item, fact })
    report.addCount('review', merged)
    if (isLeft) report.leave(true)
  }

  async function mergeMore(step: FactStep, given: ReportedFact, id: string): Promise<void> {
    const fact = await getFact(step.session, id)
    if (fact) await mergeAnswers(step, given, fact)
  }

  return async (step, item, report, begun) => {
    const given = { item, report }
    try {
      await (begun === null ? placeFact(step, given) : mergeMore(step, given, begun))
    } catch (error) {
      // The fact is invalid, or its source belongs to another. Nothing of it has been written yet.
      if (!(error instanceof ApiError) || !['invalid_request', 'conflict'].includes(error.code)) throw error
      const [fault] = (error.extra.errors ?? []) as Fault[]
      report.fail(fault?.code ?? error.code, error.detail)
    }
  }
}

async function findNoteType({ session, noteTypes }: FactStep, hash: string): Promise<number> {
  const known = noteTypes.get(hash)
  if (known !== undefined) return known
  const row = await findNoteTypeByHash(session, hash)
  if (!row) throw invalid('/note_type_id', 'no_notetype', 'The note type could not be imported.')
  noteTypes.set(hash, row.key)
  return row.key
}

/** Applies what a file says of a fact. A note replaces all that the fact had of one. */
function patchImported(session: Session, fact: FactRow, patch: FactPatch): Promise<FactMembers> | FactMembers {
  if (patch.note_type == null) return patchStoredFact(session, fact, patch as UpdateFact)
  return patchFact(toFactMembers(fact), patch)
}

const SAME_FRONT =
  'Another fact has this front with other texts. It may be of another file, so it stays, and this one is new: on_duplicate=update replaces it.'

const KEPT = {
  edited_here: 'It was edited on both sides since they were last the same. The edit here is the later one, and stays.',
  split_before: 'The note is here in another way, by a text file: as a whole, or card by card.',
  note_kept: 'The texts of the file cannot change a fact that is rendered from the fields of a note.',
}

/** Leaves an existing fact as it is, with a line. */
function keep({ claimed }: FactStep, { report }: ReportedFact, { id }: FactRow, code: keyof typeof KEPT): void {
  claimed.add(id)
  report.warn(code, KEPT[code])
  report.setResult('unchanged', id)
}

/** Returns a fact that shows the same note otherwise: of the parts that CSV makes the first; of a part, the whole. */
async function findRelated(
  { session }: FactStep,
  item: ParsedFact,
  { source, type }: FactMembers,
): Promise<FactRow | null> {
  if (source?.system !== 'anki' || source.id === null) return null
  const whole = item.note ? null : readWholeId(source.id)
  if (whole !== null) {
    const note = await findFactBySource(session, 'anki', whole)
    return note?.type === 'custom' ? note : null
  }
  if (type !== 'custom' || item.cards.length < 2) return null
  const parts = item.cards.map(({ ordinal }) => writePartId(source.id ?? '', ordinal))
  return findFactBySources(session, 'anki', parts)
}

function hasMet({ claimed, hasMet }: FactStep, id: string): boolean {
  return claimed.has(id) || hasMet(id)
}

/**
 * Returns the existing fact that an item is. The source and the id decide first, also in the trash. Facts with
 * different sources may have the same front, so the front only decides if one of the two has no source. Unless the
 * request says what to do with it, a fact with the same front and other texts is another fact.
 */
async function findMatch(step: FactStep, members: FactMembers, key: string): Promise<FactMatch | null> {
  const { session } = step
  const { system = null, id: name = null } = members.source ?? {}
  const known = system === null || name === null ? null : await findFactBySource(session, system, name)
  if (known) return { fact: known, by: 'source' }
  const id = getExportedId(members)
  const same = id === undefined ? null : await getFact(session, id)
  if (same) return { fact: same, by: 'id' }
  const twins = (await listFactsByDuplicateKey(session, key, MAX_TWINS)).filter(
    (twin) => name === null || !(hasMet(step, twin.id) || twin.source_id !== null),
  )
  const texts = textsOf(toFactColumns(members))
  const equal = twins.find((twin) => textsOf(twin) === texts)
  const [fact = null] = equal ? [equal] : twins
  return fact && { fact, by: equal || step.params.on_duplicate !== undefined ? 'front' : 'other' }
}

const MAX_TWINS = 100

const textsOf = ({ back, text, extra, hint, accepted, fields }: Partial<FactRow>) =>
  JSON.stringify([back, text, extra, hint, accepted, fields])

/** Returns the possible id of a fact here: our exports to Anki use it as the guid. */
function getExportedId({ source }: FactMembers): string | undefined {
  return source?.id ?? undefined
}

function toUnnamedSource({ source }: FactMembers): FactMembers['source'] {
  return source?.url == null ? null : { system: null, id: null, url: source.url }
}

/** Whether the item was edited since its import or export, by instants if both have one. Trashed facts stay. */
function isNewer({ fact, by }: FactMatch, { external_modified_at: stamp }: FactMembers): boolean {
  if (fact.deleted_at !== null) return false
  const known = fact.external_modified_at ?? (by === 'id' ? fact.updated_at : null)
  return stamp === null || known === null || stamp > known
}

/** Whether an imported fact was edited here after the item was. Unless it was edited, its `updated_at` is that of the import. */
function isEditedLater(fact: FactRow, { external_modified_at: stamp }: FactMembers): boolean {
  return stamp !== null && fact.external_modified_at !== null && fact.updated_at > stamp
}
