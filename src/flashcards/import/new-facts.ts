import type { Session } from '../../db/database'
import { toScheduleColumns } from '../cards/card'
import { MAX_POSITION } from '../cards/card-schema'
import type { CardRow } from '../cards/card-store'
import type { StudyContext } from '../context'
import type { NewFact } from '../fact-bulk'
import { type FactMembers, listOrdinals, toFactColumns } from '../facts/fact'
import type { ParsedFact } from '../formats/parsed'
import type { LogRow } from '../reviews/review-writer'
import { NEW_SNAPSHOT } from '../scheduling/snapshot'
import type { ItemReport } from './item-report'
import { importSchedule, positionAfter, type ScheduleContext } from './schedule'

interface StudiedCard {
  readonly columns: Partial<CardRow>
  readonly log: readonly LogRow[]
  /** The number of rows from the file in `log`, which may also have a seed. */
  readonly rows: number
}

/**
 * Returns the schedule of a new card in the file, or null if the file has none.
 * @param behind the highest position of a card before the import
 */
export function readStudiedCard(
  item: ParsedFact,
  ordinal: number,
  context: ScheduleContext,
  behind: number,
): StudiedCard | null {
  const known = item.cards.find((card) => card.ordinal === ordinal)
  if (!known) return null
  const given = item.log.filter((review) => review.ordinal === ordinal)
  const { snapshot, log, seed } = importSchedule(known, given, context)
  const position = known.position === null ? {} : { position: positionAfter(behind, known.position) }
  const columns = { ...toScheduleColumns(snapshot), ...position, flag: known.flag & 7 }
  return { columns, log: seed ? [...log, seed] : log, rows: log.length }
}

interface ImportedFact {
  readonly id: string
  readonly deck: number
  readonly members: FactMembers
  readonly identities: readonly string[]
  readonly item: ParsedFact
  /** Null: its cards begin as new, whatever the file says. */
  readonly context: ScheduleContext | null
  readonly report: ItemReport
}

export type OpenNewFacts = ReturnType<typeof createNewFacts>
export type NewFacts = ReturnType<OpenNewFacts>

/** Hundreds of facts in one statement block other writers for a fraction of the time. */
export function createNewFacts({ now, ids, factsWriter, reviewWriter }: StudyContext) {
  /**
   * @param behind the position of the last card before the import; positions in the file are added to it
   * @param lastNow the position of the last card now
   */
  return (behind: number, lastNow: number) => {
    let last = lastNow
    let waiting: (NewFact & { readonly log: readonly { readonly card: string; readonly row: LogRow }[] })[] = []
    const held = new Set<string>()

    function add({ id, deck, members, identities, item, context, report }: ImportedFact): void {
      const at = now()
      const stamps = { id, revision: 1, created_at: at, updated_at: at, deleted_at: null }
      const known = listOrdinals(members).map((ordinal) => ({
        ...{ card: ids(), ordinal, study: context && readStudiedCard(item, ordinal, context, behind) },
      }))
      const next = Math.min(last + 1, MAX_POSITION)
      const cards = known.map(({ card, ordinal, study }) => ({
        ...{
          ...stamps,
          id: card,
          ordinal,
          ...toScheduleColumns(NEW_SNAPSHOT),
          flag: 0,
          position: next,
          ...study?.columns,
        },
      }))
      last = Math.max(last, ...cards.map(({ position }) => position))
      const log = known.flatMap(({ card, study }) => (study?.log ?? []).map((row) => ({ card, row })))
      const updated_at = readEditTime(members, at)
      const created_at = Math.min(item.created_at ?? updated_at, updated_at)
      const fact = { ...stamps, created_at, updated_at, trashed_with: null, deck, ...toFactColumns(members) }
      waiting.push({ fact, cards, log })
      for (const identity of identities) held.add(identity)
      const reviews = known.reduce((sum, { study }) => sum + countRows(study), 0)
      report.setResult('created', id)
      report.addCount('card', cards.length)
      report.addCount('review', reviews)
      if (context && reviews < item.log.length)
        report.warn('review_dropped', `${item.log.length - reviews} answers are of no card, or of no time.`)
    }

    async function write(session: Session): Promise<void> {
      if (waiting.length === 0) return
      const facts = waiting
      waiting = []
      held.clear()
      const keys = await factsWriter.insert(session, facts)
      const log = facts.flatMap((fact) => fact.log)
      const rows = log.map(({ card, row }) => ({ card: keys.get(card) ?? Number.NaN, row }))
      await reviewWriter.insertImported(session, rows)
    }

    return {
      add,
      write,
      /** Whether a fact that is not written yet has one of these identities. */
      hasIdentity: (identities: readonly string[]) => identities.some((identity) => held.has(identity)),
      /** Marks a position as used, so that the following cards come after it. */
      reservePosition(position: number): void {
        last = Math.max(last, position)
      },
    }
  }
}

/** Returns when a fact was edited, in milliseconds since 1970: where it comes from if it says so and it is past, else now. */
export function readEditTime({ external_modified_at }: FactMembers, now: number): number {
  return Math.min(external_modified_at ?? now, now)
}

/** Returns the keys by which a fact can be recognized: by its front, its source and its id. */
export function listIdentities(key: string, { source }: FactMembers, id: string | undefined): string[] {
  return [
    `front ${key}`,
    ...(source === null || source.id === null ? [] : [`source ${JSON.stringify([source.system, source.id])}`]),
    ...(id === undefined ? [] : [`id ${id}`]),
  ]
}

function countRows(study: StudiedCard | null): number {
  return study?.rows ?? 0
}
