import { useMemo } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import { type Action, useActions } from '../shell/actions'
import { addressOf, go, route } from '../shell/route'
import { say } from '../words/say'

/** Lets the palette make cards from the open note. */
export function useCardsFromNote(): void {
  const { copy } = useWorkspace()
  const { screen, parts } = route.value
  const open = screen === 'notes' && parts[0] !== undefined ? copy.shown.note.value.get(parts[0]) : undefined
  const id = open?.id
  const actions = useMemo<readonly Action[]>(
    () =>
      id === undefined
        ? []
        : [{ title: say`Make cards from this note`, run: () => go(addressOf('study', ['from-note', id])) }],
    [id],
  )
  useActions(actions)
}
