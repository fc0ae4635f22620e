import { type Context, dryRun, type Session } from '../../db/database'
import { keysOf } from '../../db/table'
import { yieldTurn } from '../../lib/steps'
import type { CardWriter } from '../cards/card'
import { toScheduleColumns, toSnapshot } from '../cards/card'
import { type CardRow, listCardsWithMemory } from '../cards/card-store'
import { listDecksDownwards, listKeysOfDecks } from '../decks/deck-store'
import { readInherited, readStudy, type Study } from '../decks/study'
import { listFactKeysInDeck } from '../facts/fact-store'
import { replay, reschedule } from '../scheduling/scheduler'
import { DEFAULT_WEIGHTS, type DeckSettings } from '../scheduling/settings'
import { setDue } from '../scheduling/snapshot'
import { putMoves } from './reschedule-store'
import { toLogEntries } from './review'
import { type LoggedRow, listLogOfCards } from './review-store'

/** Facts whose cards are read at a time. After each batch, other requests have their turn. */
const FACTS_PER_TURN = 200

/**
 * Gets the keys of the decks whose cards must be replayed after a change.
 * @param retimed those whose due days would differ: with them, and with another retention or maximum interval
 */
export type DeferReplay = (decks: readonly number[], retimed: readonly number[]) => void

/** Cards in review, which are not suspended or in the trash, in decks whose due days are recomputed. */
interface MoveCounts {
  readonly cards: number
  readonly moved_earlier: number
  readonly moved_later: number
  /** Due today or overdue. */
  readonly due_today_before: number
  readonly due_today_after: number
}

interface BatchChange {
  /** Set to recompute due days as well, under this id of what can be undone; else only memory changes. */
  readonly reschedule?: string | null
  /** Whether memory stays, because the weights did not change. */
  readonly keepMemory?: boolean
  /** Whether only cards whose memory changed get their next revision. */
  readonly onlyChanged?: boolean
}

/** The most that `continueRenewal` replays at once, unless one fact has more. A card has about ten answers. */
const RENEWAL_BATCH = { limit: 25, answers: 500 }

/** The cards still to renew: those of these decks, by key, in the first of them only after a fact. Stored as JSON. */
export interface MemoryRenewal {
  readonly decks: readonly number[]
  readonly after: string
}

export type CardMemory = ReturnType<typeof createCardMemory>

/** Memory is the result of replaying the log under the present weights. `session.db` must be one transaction. */
export function createCardMemory({ now, cardWriter }: Pick<Context, 'now'> & { cardWriter: CardWriter }) {
  /** Stores replayed cards, or with their memory kept only those that are due on another day. */
  async function save(
    session: Session,
    replayed: readonly CardRow[],
    settings: DeckSettings,
    study: Study,
    { reschedule = null, keepMemory = false }: BatchChange,
  ): Promise<void> {
    if (!reschedule) return cardWriter.saveAll(session, replayed, 'memory')
    const due = replayed.map((card) => rescheduleCard(card, settings, study))
    const isMoved = ({ due_day }: CardRow, i: number) => due_day !== replayed[i]?.due_day
    const moves = replayed.flatMap(({ key: card, due_day, scheduled_days, reps }, i) => {
      const moved_to = due[i]?.due_day ?? null
      if (due_day === null || moved_to === null || moved_to === due_day) return []
      return [{ card, due_day, scheduled_days, moved_to, reps }]
    })
    await putMoves(session, reschedule, moves)
    await cardWriter.saveAll(session, keepMemory ? due.filter(isMoved) : due, 'all')
  }

  /**
   * Replays a batch of facts of one deck, after an id. Returns null if there are none. All cards get their next revision,
   * since their chance of recall differs even if memory does not.
   */
  async function replayBatch(
    session: Session,
    deck: number,
    part: { readonly after: string; readonly limit: number; readonly answers?: number },
    options: BatchChange,
  ): Promise<{ readonly after: string; readonly facts: number } | null> {
    const listed = await listFactKeysInDeck(session, deck, part)
    const all = await listRememberedCards(session, listed)
    const facts = listed.slice(0, Math.max(1, countFactsUpTo(part.answers ?? Number.POSITIVE_INFINITY, listed, all)))
    const last = facts.at(-1)
    const study = await readStudy(session, now())
    const settings = (await readInherited(session, study, [deck])).get(deck)?.effective
    if (!last || !settings) return null
    const kept = new Set(keysOf(facts))
    const cards = all.filter(({ fact }) => kept.has(fact))
    const replayed = options.keepMemory ? cards : await replayCards(session, cards, settings.weights)
    const isOther = ({ stability, difficulty }: CardRow, i: number) =>
      stability !== cards[i]?.stability || difficulty !== cards[i]?.difficulty
    await save(session, options.onlyChanged ? replayed.filter(isOther) : replayed, settings, study, options)
    return { after: last.id, facts: facts.length }
  }

  return {
    replayBatch,

    /**
     * Calls `change`, and tells what to replay after it.
     * @param deck the key of the deck that `change` affects, with its subdecks; null: all decks
     */
    async applyChange<T>(session: Session, deck: number | null, change: () => Promise<T>, defer: DeferReplay) {
      const keys = await listDeckKeys(session, deck)
      const before = await readTiming(session, keys)
      const done = await change()
      const after = await readTiming(session, keys)
      const differing = (name: 'weights' | 'intervals') =>
        keys.filter((key) => before.get(key)?.[name] !== after.get(key)?.[name])
      defer(differing('weights'), differing('intervals'))
      return done
    },

    /** Replays a batch after an import. Returns what is still to do, or null. */
    async continueRenewal(session: Session, { decks, after }: MemoryRenewal): Promise<MemoryRenewal | null> {
      const [deck, ...others] = decks
      if (deck === undefined) return null
      const batch = await replayBatch(session, deck, { after, ...RENEWAL_BATCH }, { onlyChanged: true })
      return batch ? { decks, after: batch.after } : { decks: others, after: '' }
    },

    /** Counts how due days would move. `session.db` must be no transaction: other requests have their turn. */
    async previewReschedule(
      session: Session,
      change: (tx: Session, defer: DeferReplay) => Promise<unknown>,
    ): Promise<MoveCounts> {
      const { study, inherited, reweighted } = await dryRun(session.db, async (db) => {
        const tx = { ...session, db }
        let found: readonly (readonly number[])[] = []
        await change(tx, (...both) => (found = both))
        const [reweighted = [], retimed = []] = found
        const study = await readStudy(tx, now())
        return { study, inherited: await readInherited(tx, study, retimed), reweighted: new Set(reweighted) }
      })
      const count = { cards: 0, moved_earlier: 0, moved_later: 0, due_today_before: 0, due_today_after: 0 }
      for (const [deck, { effective }] of inherited)
        for (let after: string | null = ''; after !== null; ) {
          const facts = await listFactKeysInDeck(session, deck, { after, limit: FACTS_PER_TURN })
          const cards = await listRememberedCards(session, facts)
          const replayed = reweighted.has(deck) ? await replayCards(session, cards, effective.weights) : cards
          for (const card of replayed) countMove(count, card, rescheduleCard(card, effective, study), study.today)
          after = facts[FACTS_PER_TURN - 1]?.id ?? null
          await yieldTurn()
        }
      return count
    },
  }

  /** Reads what memory goes by in these decks, and what due days go by, as texts that are equal if the settings are. */
  async function readTiming(session: Session, decks: readonly number[]) {
    const inherited = await readInherited(session, await readStudy(session, now()), decks)
    const timing = ({ weights, desired_retention, maximum_interval_days }: DeckSettings) => {
      const known = JSON.stringify(weights ?? DEFAULT_WEIGHTS)
      return { weights: known, intervals: `${desired_retention} ${maximum_interval_days} ${known}` }
    }
    return new Map([...inherited].map(([key, { effective }]) => [key, timing(effective)]))
  }
}

function listRememberedCards(session: Session, facts: readonly { readonly key: number }[]): Promise<CardRow[]> {
  return listCardsWithMemory(session, keysOf(facts))
}

/** Returns how many of these facts, from the first on, have at most `most` answers together. */
function countFactsUpTo(most: number, facts: readonly { readonly key: number }[], cards: readonly CardRow[]): number {
  const ofFact = Map.groupBy(cards, ({ fact }) => fact)
  let sum = 0
  const end = facts.findIndex(({ key }) => {
    for (const { reps } of ofFact.get(key) ?? []) sum += reps
    return sum > most
  })
  return end < 0 ? facts.length : end
}

/** A card whose log gives none keeps its memory. */
async function replayCards(
  session: Session,
  cards: readonly CardRow[],
  weights: readonly number[] | null,
): Promise<CardRow[]> {
  const keys = keysOf(cards)
  const logs = Map.groupBy(await listLogOfCards(session, keys), ({ card }: LoggedRow) => card)
  return cards.map((card) => ({ ...card, ...replay(toLogEntries(logs.get(card.key) ?? []), weights) }))
}

/** Suspended cards and those in the trash stay. None becomes due before today, so as not to be overdue at once. */
function rescheduleCard(card: CardRow, settings: DeckSettings, { clock, today }: Study): CardRow {
  if (card.suspended === 1 || card.deleted_at !== null || card.due_day === null) return card
  const due = reschedule({ ...toSnapshot(card, clock), id: card.id }, settings, clock)
  const isPast = card.due_day > today && due.due_day !== null && due.due_day < today
  return { ...card, ...toScheduleColumns(isPast ? setDue(due, today, today, clock) : due) }
}

async function listDeckKeys(session: Session, deck: number | null): Promise<number[]> {
  if (deck === null) return listKeysOfDecks(session)
  return (await listDecksDownwards(session, deck)).map(({ key }) => key)
}

function countMove(count: Record<keyof MoveCounts, number>, old: CardRow, { due_day }: CardRow, today: number) {
  if (old.due_day === null || due_day === null || old.suspended === 1 || old.deleted_at !== null) return
  count.cards++
  if (due_day < old.due_day) count.moved_earlier++
  if (due_day > old.due_day) count.moved_later++
  if (old.due_day <= today) count.due_today_before++
  if (due_day <= today) count.due_today_after++
}
