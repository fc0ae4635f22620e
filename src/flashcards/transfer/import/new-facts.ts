import type { Session } from '../../../db/database'
import { MAX_POSITION, scheduleOf } from '../../cards/card'
import { type FactMembers, ordinalsOf } from '../../facts/fact'
import { columnsOf } from '../../facts/form'
import type { FactsWriter, NewFact } from '../../facts/many'
import { FRESH } from '../../scheduling/snapshot'
import type { ParsedFact } from '../parsed'
import { type ImportLog, type Studied, studied } from './cards'
import type { Tally } from './report'
import type { Around, LogRow } from './schedule'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly factsWriter: FactsWriter
  readonly importLog: ImportLog
}

/** A new fact, before it is a row. */
export interface Draft {
  readonly id: string
  /** The key of its deck. */
  readonly deck: number
  readonly members: FactMembers
  /** See namesOf. */
  readonly names: readonly string[]
  readonly item: ParsedFact
  /** Null: its cards begin as new, whatever the file knows. */
  readonly around: Around | null
}

/** New facts of one import, which wait to be written together. */
export interface NewFacts {
  add(draft: Draft): void
  /** Whether one that waits has one of these names. */
  holds(names: readonly string[]): boolean
  write(session: Session): Promise<void>
  /** Cards made otherwise stand in front of those that come. */
  standBehind(position: number): void
}

export type OpenNewFacts = (lastPosition: number, tally: Tally) => NewFacts

/** Collects new facts: hundreds in one statement keep the writers behind an import waiting for a fraction of the time. */
export function createNewFacts({ now, ids, factsWriter, importLog }: Deps): OpenNewFacts {
  return (before, tally) => {
    let last = before
    let waiting: (NewFact & { readonly log: readonly { readonly card: string; readonly row: LogRow }[] })[] = []
    const held = new Set<string>()

    function add({ id, deck, members, names, item, around }: Draft): void {
      const at = now()
      const stamps = { id, revision: 1, created_at: at, updated_at: at, trashed_at: null }
      const known = ordinalsOf(members).map((ordinal) => ({
        ...{ card: ids(), ordinal, study: around && studied(item, ordinal, around, before) },
      }))
      const next = Math.min(last + 1, MAX_POSITION)
      const cards = known.map(({ card, ordinal, study }) => ({
        ...{ ...stamps, id: card, ordinal, ...scheduleOf(FRESH), flag: 0, position: next, ...study?.columns },
      }))
      last = Math.max(last, ...cards.map(({ position }) => position))
      const log = known.flatMap(({ card, study }) => (study?.log ?? []).map((row) => ({ card, row })))
      const fact = { ...stamps, trashed_with: null, deck, ...columnsOf(members) }
      waiting.push({ fact, cards, log })
      for (const name of names) held.add(name)
      tally.facts.new += 1
      tally.cards += cards.length
      const reviews = known.reduce((sum, { study }) => sum + rowsOf(study), 0)
      tally.reviews += reviews
      if (around && reviews < item.log.length)
        tally.line(item.where, 'review_dropped', `${item.log.length - reviews} answers are of no card, or of no time.`)
    }

    async function write(session: Session): Promise<void> {
      if (waiting.length === 0) return
      const facts = waiting
      waiting = []
      held.clear()
      const keys = await factsWriter.insert(session, facts)
      const log = facts.flatMap((fact) => fact.log)
      const rows = log.map(({ card, row }) => ({ card: keys.get(card) ?? Number.NaN, row }))
      await importLog(session, rows, now())
    }

    return {
      add,
      write,
      holds: (names) => names.some((name) => held.has(name)),
      standBehind(position) {
        last = Math.max(last, position)
      },
    }
  }
}

/** By what a fact can be known again: its front, its external id, its id. */
export function namesOf(key: string, { external_id }: FactMembers, id: string | undefined): string[] {
  return [
    `front ${key}`,
    ...(external_id === null ? [] : [`external ${external_id}`]),
    ...(id === undefined ? [] : [`id ${id}`]),
  ]
}

function rowsOf(study: Studied | null): number {
  return study?.rows ?? 0
}
