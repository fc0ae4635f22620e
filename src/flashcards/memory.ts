import { setImmediate } from 'node:timers/promises'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { toScheduleColumns, toSnapshot } from './card'
import { type CardRow, listCardsWithMemory } from './card-store'
import type { CardWriter } from './card-writer'
import { listDecksDownwards, listKeysOfDecks } from './deck-store'
import { listFactKeysInDeck } from './fact-store'
import { toLogEntries } from './review'
import { type LoggedRow, listLogOfCards } from './review-store'
import { replay, reschedule } from './scheduling/scheduler'
import { DEFAULT_WEIGHTS, type DeckSettings } from './scheduling/settings'
import { readInherited, readStudy, type Study } from './study'

/** Rows that are read at a time. After each batch, other requests have their turn. */
const ROWS_PER_TURN = 200

/** Reads the next rows after an id, by id. */
type NextRows<Row> = (after: string, limit: number) => Promise<Row[]>

/** Calls `work` with all rows, a batch at a time. */
async function forEachRowBatch<Row extends { readonly id: string }>(
  next: NextRows<Row>,
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await next(after, ROWS_PER_TURN)
    if (rows.length > 0) await work(rows)
    after = rows.at(-1)?.id ?? after
    if (rows.length < ROWS_PER_TURN) return
    // No other writer can use this transaction; readers have a separate connection and must not wait for seconds.
    await setImmediate()
  }
}

interface Deps extends Pick<Context, 'now'> {
  readonly cardWriter: CardWriter
}

export interface ReplayOptions {
  /** Whether to recompute due days as well; else only stability and difficulty change. */
  readonly reschedule?: boolean
  /** Called instead of replaying, with the keys of the decks whose cards must be replayed. */
  readonly defer?: (decks: readonly number[]) => void
}

/**
 * The most facts and answers that `continueRenewal` replays at once, unless one fact has more. A card has about ten
 * answers, a fact two cards.
 */
const RENEWAL_BATCH = { facts: 25, answers: 500 }

/** The cards still to renew: those of these decks, by key, in the first of them only after a fact. Stored as JSON. */
export interface MemoryRenewal {
  readonly decks: readonly number[]
  readonly after: string
}

export type CardMemory = ReturnType<typeof createCardMemory>

/**
 * Creates what keeps memory in step with the weights: memory is the result of replaying the log under the present ones.
 * `session.db` must be one transaction; readers are not blocked.
 */
export function createCardMemory({ now, cardWriter }: Deps) {
  /** Calls `work`, a batch at a time, with the cards of these decks that have memory, replayed and as stored. */
  async function forEachBatch(
    session: Session,
    decks: readonly number[],
    work: (replayed: CardRow[], cards: readonly CardRow[], settings: DeckSettings, study: Study) => Promise<void>,
  ): Promise<void> {
    const { db, workspace } = session
    const study = await readStudy(session, now())
    for (const [deck, { effective }] of await readInherited(session, study, decks))
      await forEachRowBatch(
        (after, limit) => listFactKeysInDeck(db, workspace.id, deck, { after, limit }),
        async (facts) => {
          const cards = await listRememberedCards(session, facts)
          await work(await replayCards(session, cards, effective.weights), cards, effective, study)
        },
      )
  }

  function save(
    session: Session,
    replayed: readonly CardRow[],
    settings: DeckSettings,
    study: Study,
    withDue: boolean,
  ) {
    if (!withDue) return cardWriter.saveAll(session, replayed, 'memory')
    const due = replayed.map((card) => rescheduleCard(card, settings, study))
    return cardWriter.saveAll(session, due, 'all')
  }

  /**
   * Replays the cards of these decks, also in the trash, under the effective weights of the decks. All of them get
   * their next revision, because their chance of recall differs even if memory does not.
   */
  function replayMemory(
    session: Session,
    decks: readonly number[],
    { reschedule = false }: ReplayOptions = {},
  ): Promise<void> {
    return forEachBatch(session, decks, (replayed, _, settings, study) =>
      save(session, replayed, settings, study, reschedule),
    )
  }

  /**
   * Replays a batch of the cards. Only cards whose memory changed get their next revision. Returns what is still to do,
   * or null.
   */
  async function continueRenewal(session: Session, { decks, after }: MemoryRenewal): Promise<MemoryRenewal | null> {
    const { db, workspace } = session
    const [deck, ...others] = decks
    if (deck === undefined) return null
    const listed = await listFactKeysInDeck(db, workspace.id, deck, { after, limit: RENEWAL_BATCH.facts })
    const all = await listRememberedCards(session, listed)
    const facts = listed.slice(0, Math.max(1, countFactsUpTo(RENEWAL_BATCH.answers, listed, all)))
    const last = facts.at(-1)
    const cards = all.filter(({ fact }) => facts.some(({ key }) => key === fact))
    const inherited = await readInherited(session, await readStudy(session, now()), [deck])
    const replayed = await replayCards(session, cards, inherited.get(deck)?.effective.weights ?? null)
    const isOther = ({ stability, difficulty }: CardRow, i: number) =>
      stability !== cards[i]?.stability || difficulty !== cards[i]?.difficulty
    await cardWriter.saveAll(session, replayed.filter(isOther), 'memory')
    if (last && (facts.length < listed.length || listed.length === RENEWAL_BATCH.facts))
      return { decks, after: last.id }
    return others.length === 0 ? null : { decks: others, after: '' }
  }

  /** Calls `change`. Returns its result and the keys of the decks whose weights it changed. */
  async function applyChange<T>(session: Session, deck: number | null, change: () => Promise<T>) {
    const keys = await listDeckKeys(session, deck)
    const before = await readWeights(session, keys)
    const done = await change()
    const after = await readWeights(session, keys)
    return { done, decks: keys.filter((key) => before.get(key) !== after.get(key)) }
  }

  return {
    replayMemory,

    /** Replays a batch of facts of one deck, after an id, as replayMemory does. Returns null if there are none. */
    async replayBatch(
      session: Session,
      deck: number,
      part: { readonly after: string; readonly limit: number },
      { reschedule = false }: ReplayOptions,
    ): Promise<{ readonly after: string; readonly facts: number } | null> {
      const facts = await listFactKeysInDeck(session.db, session.workspace.id, deck, part)
      const last = facts.at(-1)
      const study = await readStudy(session, now())
      const settings = (await readInherited(session, study, [deck])).get(deck)?.effective
      if (!last || !settings) return null
      const replayed = await replayCards(session, await listRememberedCards(session, facts), settings.weights)
      await save(session, replayed, settings, study, reschedule)
      return { after: last.id, facts: facts.length }
    },

    /**
     * Calls `change`, then replays all cards whose weights it changed.
     * @param deck the key of the deck that `change` affects, with its subdecks; null: all decks
     */
    async changeAndReplay<T>(session: Session, deck: number | null, change: () => Promise<T>, options?: ReplayOptions) {
      const { done, decks } = await applyChange(session, deck, change)
      if (options?.defer) options.defer(decks)
      else if (decks.length > 0) await replayMemory(session, decks, options)
      return done
    },

    /**
     * Calls `change`, in an import whose cards are merged later. Returns what `continueRenewal` has to do once they are
     * merged.
     */
    async changeAndPlanRenewal(
      session: Session,
      deck: number | null,
      change: () => Promise<unknown>,
    ): Promise<MemoryRenewal> {
      return { decks: (await applyChange(session, deck, change)).decks, after: '' }
    },

    continueRenewal,
  }

  async function readWeights(session: Session, decks: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const inherited = await readInherited(session, await readStudy(session, now()), decks)
    const weights = ({ weights }: DeckSettings) => JSON.stringify(weights ?? DEFAULT_WEIGHTS)
    return new Map([...inherited].map(([key, { effective }]) => [key, weights(effective)]))
  }
}

function listRememberedCards(
  { db, workspace }: Session,
  facts: readonly { readonly key: number }[],
): Promise<CardRow[]> {
  return listCardsWithMemory(
    db,
    workspace.id,
    facts.map(({ key }) => key),
  )
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

/** Returns the cards with memory replayed from their logs. A card whose log gives none keeps its memory. */
export async function replayCards(
  { db, workspace }: Session,
  cards: readonly CardRow[],
  weights: readonly number[] | null,
): Promise<CardRow[]> {
  const keys = cards.map(({ key }) => key)
  const logs = Map.groupBy(await listLogOfCards(db, workspace.id, keys), ({ card }: LoggedRow) => card)
  return cards.map((card) => ({ ...card, ...replay(toLogEntries(logs.get(card.key) ?? []), weights) }))
}

function rescheduleCard(card: CardRow, settings: DeckSettings, { clock }: Study): CardRow {
  const due = reschedule({ ...toSnapshot(card, clock), id: card.id }, settings, clock)
  return { ...card, ...toScheduleColumns(due) }
}

async function listDeckKeys({ db, workspace }: Session, deck: number | null): Promise<number[]> {
  if (deck === null) return listKeysOfDecks(db, workspace.id)
  return (await listDecksDownwards(db, workspace.id, deck)).map(({ key }) => key)
}
