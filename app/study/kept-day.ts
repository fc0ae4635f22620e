/** Keeps what there is to study today, and reads it without network. */
import { Unreachable } from '../api/client'
import type { Card, Queue, StudySettings } from '../api/types'
import { DAY_CARDS } from '../data/study-copy'
import type { Workspace } from '../data/workspace'
import type { Basis, DayHere } from './schedule'

/** The scheduler of the server: it is loaded when it is needed first. */
export const loadSchedule = () => import('./schedule')

/** Fetches what a day of study needs, if what is kept is old, and the files of its cards. Throws Refused, Unreachable. */
export async function keepDay({ api, copy, study }: Pick<Workspace, 'api' | 'copy' | 'study'>): Promise<void> {
  if (copy.shown.deck.peek().size === 0) return
  if (!(await study.freshSettings())) {
    const query = { render: 'html', limit: DAY_CARDS }
    const [queue, settings] = await Promise.all([
      api.call<Queue>({ path: 'api/flashcards/queue', query }),
      api.call<StudySettings>({ path: 'api/flashcards/settings' }),
    ])
    await study.keep(null, queue, { limit: DAY_CARDS, settings })
  }
  const files = await study.loadFiles()
  await files?.keep(api, (await study.read(null))?.cards ?? [])
}

/** Reads what was suspended, buried or flagged here and not sent yet. Returns a card as it is by that. */
export async function readUnsent(outbox: Workspace['outbox']): Promise<(card: Card) => Card> {
  const changes = Map.groupBy(await outbox.listUnsent('card'), ({ id }) => id)
  return (card) => Object.assign({ ...card }, ...(changes.get(card.id) ?? []))
}

interface KeptDay extends DayHere, Pick<Basis, 'settings'> {
  /** Whether it is of today; else the cards of today are not known. */
  readonly isOfToday: boolean
}

/**
 * The kept cards still to be studied, without those answered here; null: none are kept.
 * @param deckId this deck with its subdecks; null: all
 * @param now milliseconds since 1970
 */
export async function readDay(
  { copy, outbox, study }: Pick<Workspace, 'copy' | 'outbox' | 'study'>,
  { deckId, now }: { readonly deckId: string | null; readonly now: number },
): Promise<KeptDay | null> {
  const [kept, answers] = await Promise.all([study.read(deckId), outbox.listUnsent('review')])
  if (!kept) return null
  const { dayOf } = await loadSchedule().catch(() => {
    throw new Unreachable()
  })
  const { settings, isOfToday } = kept
  const cards = kept.cards.map(await readUnsent(outbox))
  const basis = { settings, decks: copy.shown.deck.peek() }
  return { ...dayOf(cards, answers, basis, { deckId, now }), settings, isOfToday }
}
