/** Fetches the cards to study, and what else is needed to show them. */
import { Unreachable } from '../api/client'
import type { Fact, Queue } from '../api/types'
import type { Workspace } from '../data/workspace'

/** Cards that are fetched at once. */
const PAGE_CARDS = 50
/** How soon before it is due a learning card may be shown when no others are left, until the settings say it. */
const USUAL_AHEAD_MS = 20 * 60_000
/** A clock of the device that is wrong by more than this is set right: the server refuses answers of the future. */
const MAX_SKEW_MS = 60_000

const NONE: readonly string[] = []

/** A part of the queue; fewer cards than `limit` are all that there are now. */
export interface QueuePage extends Queue {
  readonly limit: number
}

export function createQueueSource({ api, outbox }: Pick<Workspace, 'api' | 'outbox'>, deckId: string | null) {
  /** Further right answers of facts that are typed, by their ids. */
  const accepted = new Map<string, readonly string[]>()
  let aheadMs: number | null = null
  let skewMs = 0

  async function fetchPage(): Promise<Queue> {
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

  /** Leaves out what was answered and not sent yet, here before this session or in another tab. */
  async function withoutUnsent({ items }: Queue, own: ReadonlySet<string>): Promise<Queue['items']> {
    const unsentIds = new Set((await outbox.listAnswers()).map(({ card_id }) => card_id))
    return items.filter(({ card }) => own.has(card.id) || !unsentIds.has(card.id))
  }

  return {
    /** What the clock of the server is ahead of that of the device, in milliseconds. */
    skewMs: () => skewMs,
    /** How soon before it is due a learning card may be shown, in milliseconds. */
    aheadMs: () => aheadMs ?? USUAL_AHEAD_MS,
    /** Further right answers of a fact that is typed. */
    acceptedOf: (factId: string) => accepted.get(factId) ?? NONE,

    /**
     * Fetches the queue. Throws Refused, Unreachable.
     * @param own the cards that were answered in this session, whose answers are sent
     */
    async fetch(own: ReadonlySet<string>): Promise<QueuePage> {
      const settings =
        aheadMs === null ? api.call<{ learn_ahead_minutes: number }>({ path: 'api/flashcards/settings' }) : null
      const [page, read] = await Promise.all([fetchPage(), settings])
      if (read) aheadMs = read.learn_ahead_minutes * 60_000
      // Without them, what the answer shows is right.
      readAccepted(page).catch(() => undefined)
      const items = await withoutUnsent(page, own)
      return { ...page, items, limit: PAGE_CARDS - (page.items.length - items.length) }
    },
  }
}
