/** The cards of today that the browser keeps, to study without network. */
import type { Card, Queue, StudySettings } from '../api/types'
import type { CardFiles } from './card-files'
import { allStored, type Database, type Store } from './database'
import { isLearning, type KeptQueue } from './resources'

/** The cards that a day needs: as many as the server sends at once. */
export const DAY_CARDS = 200
/** A queue older than this is fetched again when it may be needed. */
const OLD_MS = 30 * 60_000

export function createStudyCopy(kept: Store, now: () => number) {
  const isOfToday = ({ dayEndsAt }: KeptQueue) => now() < Date.parse(dayEndsAt)
  const isFresh = (queue: KeptQueue) => isOfToday(queue) && Math.abs(now() - queue.keptAt) < OLD_MS
  const queueOf = async (deckId: string | null) => (await kept.use((db) => db.get('queues', deckId ?? ''))) ?? null

  let files: CardFiles | null = null

  return {
    /** Loads what keeps the pictures and sounds of the cards, when it is needed first; null: it cannot be loaded now. */
    async loadFiles(): Promise<CardFiles | null> {
      const loaded = await import('./card-files').catch(() => null)
      files ??= loaded?.createCardFiles(kept) ?? null
      return files
    },

    /** The settings of studying, unless they are old; null: they are to be fetched. */
    async freshSettings(): Promise<StudySettings | null> {
      const queue = await queueOf(null)
      return queue && isFresh(queue) ? queue.settings : null
    },

    /** Keeps a queue of the server in place of the one before. `limit` is the number of cards that was asked for. */
    async keep(deckId: string | null, queue: Queue, { limit, settings }: { limit: number; settings: StudySettings }) {
      const before = await queueOf(deckId)
      const ids = queue.items.map(({ card }) => card.id)
      const isWhole = queue.items.length < limit
      // What comes after a part is what came after it before.
      const more = !isWhole && before && isOfToday(before) ? before.ids : []
      const next: KeptQueue = {
        deck: deckId ?? '',
        ids: [...new Set([...ids, ...more])],
        isWhole: isWhole || (before !== null && isOfToday(before) && before.isWhole),
        settings,
        dayEndsAt: queue.day_ends_at,
        // A part tells nothing of the age of the rest.
        keptAt: isWhole || limit >= DAY_CARDS ? now() : (before?.keptAt ?? 0),
      }
      const cards = queue.items.map(({ card }) => card)
      await kept.use((db) => storeQueue(db, next, cards))
    },

    /** Takes over cards that the server answered: their texts stay, if it sent none. */
    async take(cards: readonly Card[]): Promise<void> {
      if (cards.length > 0) await kept.use((db) => storeCards(db, cards))
    },

    /**
     * What is kept of a deck with its subdecks, or of all; its cards may be more than those of the deck. `isOfToday`: the study
     * day goes on on which the server said what is due.
     */
    async read(deckId: string | null): Promise<{ settings: StudySettings; cards: Card[]; isOfToday: boolean } | null> {
      const [own, all] = [await queueOf(deckId), await queueOf(null)]
      const queue = own?.isWhole && isOfToday(own) ? own : (all ?? own)
      if (!queue) return null
      const cards = (await kept.use((db) => db.getAll('cards'))) ?? []
      const known = new Map(cards.map((card) => [card.id, card]))
      const queued = queue.ids.flatMap((id) => known.get(id) ?? [])
      // Those in learning come back, also if no queue had them lately.
      const others = cards.filter((card) => isLearning(card) && !queue.ids.includes(card.id))
      return { settings: queue.settings, cards: [...queued, ...others], isOfToday: isOfToday(queue) }
    },
  }
}

async function storeQueue(db: Database, queue: KeptQueue, cards: readonly Card[]): Promise<void> {
  const tx = db.transaction(['queues', 'cards'], 'readwrite')
  const [queues, table] = [tx.objectStore('queues'), tx.objectStore('cards')]
  await allStored(tx.done, [queues.put(queue), ...cards.map(putNewer), removeUnneeded()])

  async function putNewer(card: Card): Promise<void> {
    const before = await table.get(card.id)
    // An answer may have come back while the queue was under way.
    await table.put(before && before.revision > card.revision ? { ...card, ...before } : card)
  }

  /** Removes cards that no queue has. Those in learning stay until they are due: all queues begin with them then. */
  async function removeUnneeded(): Promise<void> {
    const needed = new Set((await queues.getAll()).flatMap(({ ids }) => ids))
    for (const card of await table.getAll()) {
      const isLater = isLearning(card) && (queue.deck !== '' || Date.parse(card.due_at ?? '') > queue.keptAt)
      if (!needed.has(card.id) && !isLater) await table.delete(card.id)
    }
  }
}

async function storeCards(db: Database, cards: readonly Card[]): Promise<void> {
  const tx = db.transaction('cards', 'readwrite')
  await allStored(tx.done, cards.map(putKnown))

  async function putKnown(card: Card): Promise<void> {
    const before = await tx.store.get(card.id)
    if (before) await tx.store.put({ ...before, ...card })
  }
}
