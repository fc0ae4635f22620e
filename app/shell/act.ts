import { inWords } from '../api/client'
import type { Inverse, Workspace } from '../data/workspace'
import type { Write } from '../data/writes'
import { say } from '../words/say'
import { notify } from './notice'

/** Does something, says so in a sentence, and offers to undo it if there is a way back. */
export function actWithUndo(workspace: Workspace, words: string, writes: readonly Write[], inverse: Inverse): void {
  workspace.act(words, writes, inverse)
  notify(
    words,
    typeof inverse === 'function' || inverse.length > 0
      ? { label: say`Undo`, run: () => undoLast(workspace) }
      : undefined,
  )
}

/** Takes back the last action, and says which it was. */
export async function undoLast(workspace: Workspace): Promise<void> {
  try {
    const done = await workspace.undo()
    notify(done ? say`Undone: ${done.words}` : say`There is nothing to undo.`)
  } catch (error) {
    notify(say`This could not be undone: ${inWords(error)}`, { label: say`Try again`, run: () => undoLast(workspace) })
  }
}
