/** The queue of a deck as the server has it, with what it takes to show its cards. */
import { type Api, Unreachable } from '../api/client'
import type { Fact, Queue } from '../api/types'
import type { Clock } from './session'

/** Cards that are fetched at once. */
export const PAGE_CARDS = 50
/** How soon before it is due a learning card may be shown when no others are left, until the settings say it. */
const USUAL_AHEAD_MS = 20 * 60_000
/** A clock of the device that is wrong by more than this is set right: the server refuses answers of the future. */
const MAX_SKEW_MS = 60_000

const NONE: readonly string[] = []

/** Makes what reads the queue of a deck with its subdecks; null: of all decks. */
export function createQueue(api: Api, deckId: string | null) {
  /** Further right answers of facts that are typed, by their ids. */
  const accepted = new Map<string, readonly string[]>()
  let aheadMs: number | null = null
  let skewMs = 0

  async function readPage(): Promise<Queue> {
    const response = await api.open({
      path: 'api/flashcards/queue',
      query: { deck_id: deckId ?? undefined, preview: true, render: 'html', limit: PAGE_CARDS },
    })
    const skew = Date.parse(response.headers.get('Date') ?? '') - Date.now()
    skewMs = Math.abs(skew) > MAX_SKEW_MS ? skew : 0
    return response.json().catch(() => {
      throw new Unreachable()
    })
  }

  /** Reads what else is right of the cards whose answers are typed: one request for all that are not known. */
  async function readAccepted({ items }: Queue): Promise<void> {
    const typed = items.filter(
      ({ card }) => card.prompt_html?.includes('class="typeans"') && !accepted.has(card.fact_id),
    )
    if (typed.length === 0) return
    const ids = [...new Set(typed.map(({ card }) => card.fact_id))].join(',')
    const query = { ids, limit: PAGE_CARDS }
    const facts = await api.call<{ items: readonly Fact[] }>({ path: 'api/flashcards/facts', query })
    for (const fact of facts.items) accepted.set(fact.id, fact.accepted)
  }

  return {
    /** The clock of the server, and how far ahead of it cards in learning are shown. */
    clock: (): Clock => ({ now: Date.now() + skewMs, aheadMs: aheadMs ?? USUAL_AHEAD_MS }),

    /** Further right answers of a fact whose answer is typed, as far as they are read. */
    acceptedOf: (factId: string) => accepted.get(factId) ?? NONE,

    /** Reads the next cards. Throws Refused, Unreachable. */
    async read(): Promise<Queue> {
      const settings =
        aheadMs === null ? api.call<{ learn_ahead_minutes: number }>({ path: 'api/flashcards/settings' }) : null
      const [page, read] = await Promise.all([readPage(), settings])
      if (read) aheadMs = read.learn_ahead_minutes * 60_000
      // Without them, what the answer shows is right.
      readAccepted(page).catch(() => undefined)
      return page
    },
  }
}
