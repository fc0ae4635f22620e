/** Keeps what there is to study once the server has said what is due, and counts what is kept if it cannot be asked. */
import { useComputed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Refused, Unreachable } from '../api/client'
import { useWorkspace } from '../data/use-workspace'
import { keepDay, readDay } from './kept-day'

/** How many of the kept cards are left, and whether they are those of today. */
export interface KeptLeft {
  readonly left: number
  readonly isOfToday: boolean
}

type Asked = 'loading' | 'there' | 'failed'

/** How many cards are left today as far as it is known without network; null: it is not, or the server said it itself. */
export function useKeptLeft(state: Asked): number | null {
  const kept = useKept(state)
  // That nothing is left of an earlier day says nothing of this one.
  return kept && (kept.isOfToday || kept.left > 0) ? kept.left : null
}

/** It is kept, or read, the next time. */
function ignoreUnreachable(error: unknown): void {
  if (!(error instanceof Refused || error instanceof Unreachable)) throw error
}

/**
 * The kept cards still to be studied; null: the server said what is due, or none are kept.
 * @param state of the question what is due
 */
export function useKept(state: Asked): KeptLeft | null {
  const workspace = useWorkspace()
  const [kept, setKept] = useState<KeptLeft | null>(null)
  // The first reading of the copy may take longer than the answer of the server.
  const hasDecks = useComputed(() => workspace.copy.shown.deck.value.size > 0).value
  useEffect(() => {
    let isGone = false
    setKept(null)
    if (state === 'there') keepDay(workspace).catch(ignoreUnreachable)
    if (state === 'failed')
      readDay(workspace, { deckId: null, now: Date.now() }).then((day) => {
        if (day && !isGone) setKept({ left: day.items.length + day.later.length, isOfToday: day.isOfToday })
      }, ignoreUnreachable)
    return () => {
      isGone = true
    }
  }, [workspace, state, hasDecks])
  return kept
}
