/** What runs in a tab of device.ts: the app's own modules, and what its frame and its pages do with them. */
import { effect } from '@preact/signals'
import { Refused, Unreachable } from '../../app/api/client'
import type { NoteSummary } from '../../app/api/types'
import { deleteForgottenCopies } from '../../app/data/forgotten-copies'
import type { Body } from '../../app/data/resources'
import { keys, openChosenWorkspace, workspace } from '../../app/data/workspace'
import { openEditSession } from '../../app/notes/edit-session'
import { begun } from '../../app/notes/note-actions'
import { readNote } from '../../app/notes/use-note'

export { conversationsOf, MAX_CONVERSATION_BYTES, MAX_CONVERSATIONS } from '../../app/data/conversations'
export { draftOf } from '../../app/data/drafts'
export { countUnsent } from '../../app/data/forgotten-copies'
export { newId } from '../../app/data/ids'
export { typedText } from '../../app/data/writes'
export { deleteNote, noteWrite, pinNote, tagNote } from '../../app/notes/note-actions'
export { addCard, addTask } from '../../app/quick-add/add'
export {
  completeTasks,
  deleteTasks,
  labelTask,
  prioritizeTasks,
  rescheduleTasks,
  updateOf,
} from '../../app/tasks/task-actions'
export { addDailyLine, findDailyNote } from '../../app/today/daily-lines'
export { begun, keys, workspace }

/** Whether a failure is one of the server or the network. */
export const isOfServer = (error: unknown) => error instanceof Refused || error instanceof Unreachable

/** As shell/Shell.tsx starts the app. */
export async function start(): Promise<void> {
  keys.addEventListener('change', () => {
    if ((keys.chosen?.key ?? null) !== workspace.peek()?.key) openChosenWorkspace()
  })
  window.addEventListener('storage', () => keys.refresh())
  await openChosenWorkspace()
  await deleteForgottenCopies()
}

/** Opens a note to edit it, and follows it until `close`, as notes/NoteEditor.tsx does. */
export async function editNote(id: string) {
  const open = workspace.peek()
  if (!open) throw new Error('No workspace is open')
  const read = (id: string, note?: NoteSummary) => readNote(open, id, note)
  const first = await read(id, open.copy.shown.note.peek().get(id))
  if (first.is !== 'here' && !begun.has(id)) throw new Error(`The note is ${first.is}`)
  const { note, body }: { note: NoteSummary | null; body: Body | null } =
    first.is === 'here' ? first : { note: null, body: null }
  const session = openEditSession(open, { id, title: note?.title ?? '', body })
  let seen: NoteSummary | undefined
  const stop = effect(() => {
    const now = open.copy.shown.note.value.get(session.id.value)
    if (!now || now === seen) return
    seen = now
    // As effects of components do, after what is shown.
    void Promise.resolve()
      .then(() => session.takeOver(now))
      .then(() => read(now.id, now))
      .then((later) => (seen === now && later.is === 'here' ? session.takeOver(now) : undefined))
  })
  addEventListener('pagehide', session.save)
  return {
    ...session,
    /** What the editor shows. */
    get text() {
      return session.body.peek()
    },
    /** Types at the end of the first line, or of the whole text. */
    typeInto(place: 'first line' | 'end', typed: string): void {
      const text = session.body.peek()
      session.type({ body: place === 'end' ? text + typed : text.replace(/$/m, typed) })
    },
    close(): void {
      stop()
      removeEventListener('pagehide', session.save)
      session.close()
    },
  }
}
