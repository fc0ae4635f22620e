/** The notes in the trash, which the copy has not: read when the page is opened. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { NoteSummary } from '../api/types'
import { dateOf, today } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { type Action, useActions } from '../shell/actions'
import { addressOf, go } from '../shell/route'
import { dateInWords } from '../tasks/dates'
import { beginNote, restoreNote } from './note-actions'

const PAGE = 100

interface Page {
  readonly items: readonly NoteSummary[]
  readonly next_cursor: string | null
}

export function TrashedNotes() {
  const workspace = useWorkspace()
  const { api, copy, outbox } = workspace
  const [page, setPage] = useState<Page | null>(null)
  const [fault, setFault] = useState('')
  const [restored, setRestored] = useState<ReadonlySet<string>>(new Set())
  const read = async (before: Page | null) => {
    setFault('')
    try {
      await outbox.flush()
      const query = { trashed: true, archived: 'any', limit: PAGE, cursor: before?.next_cursor ?? undefined }
      const next = await api.call<Page>({ path: 'api/notes', query })
      setPage({ items: [...(before?.items ?? []), ...next.items], next_cursor: next.next_cursor })
    } catch (error) {
      setFault(inWords(error))
    }
  }
  useEffect(() => {
    document.title = 'Trash – Satchel'
    void read(null)
  }, [])
  const actions = useMemo<readonly Action[]>(
    () => [
      { title: 'New note', keys: 'n', run: () => beginNote() },
      { title: 'Back to the list of notes', keys: 'Escape', run: () => go(addressOf('notes')) },
    ],
    [],
  )
  useActions(actions)
  const living = copy.shown.note.value
  const notes = page?.items.filter(({ id }) => !living.has(id) && !restored.has(id)) ?? []
  return (
    <div class="column">
      <header class="screen-header">
        <h1 tabIndex={-1}>Trash</h1>
        <a href={addressOf('notes')}>Notes</a>
      </header>
      <p class="quiet">Notes are erased 30 days after they were deleted.</p>
      {fault !== '' && (
        <p role="alert">
          {fault}{' '}
          <button type="button" class="link" onClick={() => read(page)}>
            Try again
          </button>
        </p>
      )}
      {!page && fault === '' && <p role="status">Loading …</p>}
      {page && notes.length === 0 && <p role="status">The trash is empty.</p>}
      <ul class="trashed-notes">
        {notes.map((note) => (
          <li key={note.id}>
            <a href={addressOf('notes', [note.id])} dir="auto">
              {note.title}
            </a>
            <span class="fine">
              {note.deleted_at !== null && dateInWords(dateOf(new Date(note.deleted_at)), today.value)}
            </span>
            <button
              type="button"
              class="link"
              aria-label={`Restore ${note.title}`}
              onClick={() => {
                restoreNote(workspace, note)
                setRestored(new Set([...restored, note.id]))
              }}
            >
              Restore
            </button>
          </li>
        ))}
      </ul>
      {page && page.next_cursor !== null && (
        <button type="button" onClick={() => read(page)}>
          More
        </button>
      )}
    </div>
  )
}
