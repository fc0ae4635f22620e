/** Suspends, buries and flags the shown card. */
import type { CardChange } from '../api/types'
import type { Workspace } from '../data/workspace'
import { actWithUndo } from '../shell/act'
import { addDays } from '../tasks/dates'
import { say } from '../words/say'
import { putBack, replaceCard, showNext, withoutCards } from './session'
import type { ShownSession } from './shown-session'
import type { Supply } from './supply'

const ASIDES = {
  suspend: {
    change: () => ({ suspended: true }),
    inverse: { suspended: false },
    done: say`Suspended: the card is not shown until you unsuspend it.`,
  },
  bury: {
    change: (studyDay: string) => ({ buried_until: addDays(studyDay, 1) }),
    inverse: { buried_until: null },
    done: say`Buried: the card comes back tomorrow.`,
  },
}

const write = (id: string, change: Omit<CardChange, 'id'>) => ({ type: 'card' as const, op: { id, ...change } })

/** Takes the shown card out of the session and of what is due, and offers to undo it. */
export function setAside(
  workspace: Workspace,
  { shown, supply }: { readonly shown: ShownSession; readonly supply: Supply },
  how: keyof typeof ASIDES,
): void {
  const { change, inverse, done } = ASIDES[how]
  const { current } = shown.session.peek()
  if (!current) return
  const { id } = current.card
  actWithUndo(workspace, done, [write(id, change(supply.studyDay()))], () => {
    shown.show(putBack(shown.session.peek(), current))
    return workspace.outbox.add([write(id, inverse)])
  })
  const rest = withoutCards(shown.session.peek(), (card) => card.id === id)
  shown.show(showNext(rest, supply.clock()))
  supply.plan()
}

/** Flags the shown card, or takes the flag away that it has. */
export function setFlag({ outbox }: Workspace, { session, show }: ShownSession, flag: number): void {
  const card = session.peek().current?.card
  if (!card) return
  const next = { flag: flag === card.flag ? 0 : flag }
  show(replaceCard(session.peek(), { ...card, ...next }))
  outbox.add([write(card.id, next)])
}
