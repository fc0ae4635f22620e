/** Fetches the cards to study, and what else is needed to show them. */
import { clockSkewMs, Unreachable } from '../api/client'
import type { Queue, StudySettings } from '../api/types'
import type { Workspace } from '../data/workspace'
import { readDay, readUnsent } from './kept-day'
import type { Basis } from './schedule'
import type { LearningItem } from './session'

/** Cards that are fetched at once. */
const PAGE_CARDS = 50
/** How soon before it is due a learning card may be shown when no others are left, until the settings say it. */
const USUAL_AHEAD_MS = 20 * 60_000

/** Unknown is right: answers are set right when they are sent. */
const skewMs = () => clockSkewMs() ?? 0

/** A part of the queue; fewer cards than `limit` are all that there are now. */
export interface QueuePage extends Pick<Queue, 'items' | 'counts' | 'study_day' | 'next_learning_at'> {
  readonly limit: number
  /** Cards in learning that come back, without those of this session. */
  readonly later: readonly LearningItem[]
  /** What was kept before, and whether that was today, since the server could not be asked; null: it is the server's answer. */
  readonly kept: { readonly isOfToday: boolean } | null
}

type Deps = Pick<Workspace, 'api' | 'copy' | 'outbox' | 'study'>

export function createQueueSource(workspace: Deps, deckId: string | null) {
  const { api, copy, outbox, study } = workspace
  let settings: StudySettings | null = null

  const fetchPage = () =>
    api.call<Queue>({
      path: 'api/flashcards/queue',
      query: { deck_id: deckId ?? undefined, preview: true, render: 'html', limit: PAGE_CARDS },
    })

  async function fetchSettings(): Promise<StudySettings> {
    return (await study.freshSettings()) ?? api.call<StudySettings>({ path: 'api/flashcards/settings' })
  }

  /** Leaves out what was answered, suspended or buried and not sent yet, here before this session or in another tab. */
  async function withoutUnsent({ items, study_day }: Queue, own: ReadonlySet<string>): Promise<Queue['items']> {
    const answeredIds = new Set((await outbox.listUnsent('review')).map(({ card_id }) => card_id))
    const asHere = await readUnsent(outbox)
    return items
      .map((item) => ({ ...item, card: asHere(item.card) }))
      .filter(({ card }) => !card.suspended && (card.buried_until ?? '') <= study_day)
      .filter(({ card }) => own.has(card.id) || !answeredIds.has(card.id))
  }

  async function fetchOnline(own: ReadonlySet<string>): Promise<QueuePage> {
    const [page, read] = await Promise.all([fetchPage(), settings ?? fetchSettings()])
    settings = read
    const items = await withoutUnsent(page, own)
    study.keep(deckId, page, { limit: PAGE_CARDS, settings: read })
    return { ...page, items, limit: PAGE_CARDS - (page.items.length - items.length), later: [], kept: null }
  }

  /** Reads the kept cards still to be studied. Throws Unreachable if none are kept. */
  async function readKept(): Promise<QueuePage> {
    const day = await readDay(workspace, { deckId, now: Date.now() + skewMs() })
    if (!day) throw new Unreachable()
    settings = day.settings
    const { isOfToday } = day
    const [next] = day.later
    return {
      ...day,
      counts: { new: 0, learning: 0, review: day.items.length },
      limit: Number.POSITIVE_INFINITY,
      kept: { isOfToday },
      next_learning_at: next ? new Date(next.dueAt).toISOString() : null,
    }
  }

  return {
    /** What the clock of the server is ahead of that of the device, in milliseconds. */
    skewMs,
    /** How soon before it is due a learning card may be shown, in milliseconds. */
    aheadMs: () => (settings ? settings.learn_ahead_minutes * 60_000 : USUAL_AHEAD_MS),
    /** What schedules depend on; null before the first cards are there. */
    basis: (): Basis | null => settings && { settings, decks: copy.shown.deck.peek() },

    /**
     * Fetches the queue; without network it is what is kept of it. Throws Refused, Unreachable.
     * @param own the cards that were answered in this session, whose answers are sent
     */
    async fetch(own: ReadonlySet<string>): Promise<QueuePage> {
      try {
        return await fetchOnline(own)
      } catch (error) {
        if (error instanceof Unreachable) return readKept()
        throw error
      }
    },
  }
}
