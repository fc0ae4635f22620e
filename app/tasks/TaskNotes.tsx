import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Refused } from '../api/client'
import type { Task } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import type { Markdown, MarkdownActions } from '../markdown/markdown'
import type { indexLinks } from '../notes/note-links'
import { Act } from '../shell/controls'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { SectionTitle } from './ListHeader'
import { updateTasks } from './task-actions'
import { useDraft } from './use-draft'

interface Shown {
  readonly Markdown: typeof Markdown
  readonly indexLinks: typeof indexLinks
}

/** The notes of a task: shown as Markdown, and changed as they are written. */
export function TaskNotes({ task }: { task: Task }) {
  const draft = useDraft(task, 'notes')
  const [isEdited, setEdited] = useState(false)
  const [shown, setShown] = useState<Shown | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const isEmpty = task.notes === ''
  useEffect(() => {
    if (isEmpty) return
    // Where the code cannot be loaded, the field shows the notes as they are written.
    Promise.all([import('../markdown/markdown'), import('../notes/note-links')]).then(
      ([{ Markdown }, { indexLinks }]) => setShown({ Markdown, indexLinks }),
      () => setEdited(true),
    )
  }, [isEmpty])
  useLayoutEffect(() => {
    if (isEdited) field.current?.focus()
  }, [isEdited])
  const isField = isEdited || isEmpty || !shown
  return (
    <section aria-labelledby="task-notes">
      <SectionTitle id="task-notes" title={say`Notes`}>
        {!isField && (
          <Act label={say`Change the notes`} run={() => setEdited(true)}>
            {say`Change`}
          </Act>
        )}
      </SectionTitle>
      {isField ? (
        <textarea
          ref={field}
          class="task-notes"
          aria-labelledby="task-notes"
          placeholder={say`What belongs to it`}
          dir="auto"
          rows={3}
          value={draft.text}
          onFocus={() => setEdited(true)}
          onInput={(event) => draft.change(event.currentTarget.value)}
          onBlur={() => {
            draft.end()
            setEdited(false)
          }}
        />
      ) : (
        <ShownNotes task={task} {...shown} />
      )}
    </section>
  )
}

function ShownNotes({ task, Markdown, indexLinks }: Shown & { task: Task }) {
  const workspace = useWorkspace()
  const index = indexLinks(workspace.copy.shown.note.value)
  const [settings] = workspace.copy.shown.workspace_settings.value.values()
  const latest = useRef(task)
  latest.current = task
  const actions = useMemo<MarkdownActions>(
    () => ({
      lineBreaks: settings?.line_breaks ?? true,
      resolve(target) {
        const found = index.find(target, null)
        return found === null ? null : addressOf('notes', [found])
      },
      loadFile: () => Promise.reject(new Refused(404, 'not_found', say`Only notes have files, tasks have none.`, null)),
      tagAddress: (tag) => addressOf('notes', [], { tag }),
      toggle(offset, checked) {
        const { notes, title } = latest.current
        if (!/^\[.\]$/.test(notes.slice(offset, offset + 3))) return
        const text = `${notes.slice(0, offset)}[${checked ? 'x' : ' '}]${notes.slice(offset + 3)}`
        updateTasks(workspace, [latest.current], say`Changed the notes of “${title}”.`, () => ({ notes: text }))
      },
    }),
    [workspace, index, settings?.line_breaks],
  )
  return <Markdown body={task.notes} actions={actions} />
}
