/** Keeps what there is to study once the server has said what is due, and counts what is kept if it cannot be asked. */
import { useEffect, useState } from 'preact/hooks'
import { Refused, Unreachable } from '../api/client'
import { useWorkspace } from '../data/use-workspace'
import { keepDay, readDay } from './kept-day'

/**
 * How many kept cards are left today; null: the server said it itself, or nothing is kept.
 * @param state of the question what is due
 */
export function useKeptLeft(state: 'loading' | 'there' | 'failed'): number | null {
  const workspace = useWorkspace()
  const [left, setLeft] = useState<number | null>(null)
  useEffect(() => {
    let isGone = false
    setLeft(null)
    if (state === 'there')
      keepDay(workspace).catch((error: unknown) => {
        // It is kept the next time.
        if (!(error instanceof Refused || error instanceof Unreachable)) throw error
      })
    if (state === 'failed')
      readDay(workspace, { deckId: null, now: Date.now() }).then((day) => {
        if (day && !isGone) setLeft(day.items.length + day.later.length)
      })
    return () => {
      isGone = true
    }
  }, [workspace, state])
  return left
}
