/** Adds lines to the note of a day, and takes them back. */
import { Refused } from '../api/client'
import type { NoteSummary } from '../api/types'
import type { Copy } from '../data/copy'
import { newId } from '../data/ids'
import type { Workspace } from '../data/workspace'
import { noteWrite } from '../notes/note-actions'
import { actWithUndo } from '../shell/act'
import { say } from '../words/say'

/** The note of a day, as it is shown; undefined: there is none in the copy. */
export function findDailyNote(copy: Copy, date: string): NoteSummary | undefined {
  return [...copy.shown.note.value.values()].find(({ daily_date }) => daily_date === date)
}

/** Adds a paragraph to the note of a day, which is made if there is none. */
export function addDailyLine(workspace: Workspace, date: string, content: string): void {
  const id = newId()
  actWithUndo(
    workspace,
    say`Added to the note of the day.`,
    [{ type: 'day', op: { op: 'append', id, date, content } }],
    async () => {
      if (!(await workspace.outbox.withdraw(id))) await removeLine(workspace, date, content)
    },
  )
}

/** Removes what was added last to the note of a day. Throws Refused if it is not the last of it, or is just being sent. */
async function removeLine({ copy, outbox }: Workspace, date: string, content: string): Promise<void> {
  const note = findDailyNote(copy, date)
  const whole = note && (await copy.body(note.id))
  const text = whole?.body.trimEnd() ?? ''
  const rest = text.slice(0, -content.length)
  if (!whole || !text.endsWith(content) || /[^\r\n]$/.test(rest))
    throw new Refused(409, 'conflict', say`The note of the day does not end with it.`, null)
  const { id, revision, body } = whole
  await outbox.add([noteWrite({ op: 'update', id, if_revision: revision, data: { body: rest.trimEnd() } }, { body })])
}
