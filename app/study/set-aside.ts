/** Suspends and buries the shown card. */
import { inWords } from '../api/client'
import type { Card } from '../api/types'
import type { Workspace } from '../data/workspace'
import { notify } from '../shell/notice'
import { addDays } from '../tasks/dates'
import { putBack, type StudyItem, showNext, withoutCards } from './session'
import type { ShownSession } from './shown-session'
import type { Supply } from './supply'

interface Aside {
  readonly change: (studyDay: string) => object
  readonly inverse: object
  /** What was done. */
  readonly done: string
  /** What could not be done, and what could not be undone. */
  readonly failed: string
  readonly stays: string
}

const ASIDES = {
  suspend: {
    change: () => ({ suspended: true }),
    inverse: { suspended: false },
    done: 'Suspended: the card is not shown until you unsuspend it.',
    failed: 'The card could not be suspended.',
    stays: 'The card stays suspended.',
  },
  bury: {
    change: (studyDay: string) => ({ buried_until: addDays(studyDay, 1) }),
    inverse: { buried_until: null },
    done: 'Buried: the card comes back tomorrow.',
    failed: 'The card could not be buried.',
    stays: 'The card stays buried until tomorrow.',
  },
} satisfies Record<string, Aside>

/** Takes the shown card out of the session and out of the server's queue, and offers to undo it. */
export async function setAside(
  { api, study }: Pick<Workspace, 'api' | 'study'>,
  { shown, supply }: { readonly shown: ShownSession; readonly supply: Supply },
  how: keyof typeof ASIDES,
): Promise<void> {
  const { change, inverse, done, failed, stays } = ASIDES[how]
  const { current } = shown.session.peek()
  if (!current) return
  const { id } = current.card
  const bringBack = (item: StudyItem) => shown.show(putBack(shown.session.peek(), item))
  takeOut()
  try {
    await patch(change(supply.studyDay()))
    notify(done, { label: 'Undo', run: undo })
  } catch (error) {
    bringBack(current)
    notify(`${failed} ${inWords(error)}`)
  }

  async function patch(body: object): Promise<void> {
    await study.take([await api.call<Card>({ method: 'PATCH', path: `api/flashcards/cards/${id}`, body })])
  }

  function takeOut(): void {
    const rest = withoutCards(shown.session.peek(), (card) => card.id === id)
    shown.show(showNext(rest, supply.clock()))
    supply.plan()
  }

  function undo(): void {
    if (current) bringBack(current)
    patch(inverse).catch((error: unknown) => {
      takeOut()
      notify(`${stays} ${inWords(error)}`, { label: 'Try again', run: undo })
    })
  }
}
