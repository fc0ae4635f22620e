import { computed } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inWords, Refused } from '../api/client'
import type { Note, NoteSummary } from '../api/types'
import { type Body, partNote } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { findSession } from './edit-session'
import { begun } from './note-actions'

/** A note as a page shows it. `new`: it exists once something is typed; `failed` has the sentence why. */
export type OpenNote =
  | { readonly is: 'loading' | 'missing' | 'new' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'trashed'; readonly note: NoteSummary; readonly body: Body }
  | { readonly is: 'here'; readonly note: NoteSummary; readonly body: Body }

/** Reads a note from the copy, or from the server if the copy has not all of it. */
export function useNote(id: string): OpenNote {
  const workspace = useWorkspace()
  // Not useComputed, which would keep the value of the note before until the copy changes.
  const summary = useMemo(() => computed(() => workspace.copy.shown.note.value.get(id)), [workspace, id]).value
  const [read, setRead] = useState<{ readonly id: string; readonly open: OpenNote }>()
  useEffect(() => {
    // Nobody has it yet: an answer that says so would come after it is typed.
    if (begun.has(id)) return
    let isCurrent = true
    readNote(workspace, id, summary).then((open) => {
      if (isCurrent) setRead({ id, open })
    })
    return () => {
      isCurrent = false
    }
  }, [workspace, id, summary])
  if (begun.has(id) && !summary) return { is: 'new' }
  if (read?.id !== id) {
    const session = findSession(id)
    const typed = session && { id, revision: 0, body: session.body.peek() }
    return typed && summary ? { is: 'here', note: summary, body: typed } : { is: 'loading' }
  }
  // What of the note is shown is never older than the list; its text follows a moment later.
  return read.open.is === 'here' && summary ? { ...read.open, note: summary } : read.open
}

export async function readNote(workspace: Workspace, id: string, summary: NoteSummary | undefined): Promise<OpenNote> {
  const { api, copy } = workspace
  const revision = copy.revisionOf('note', id)
  const confirmed = await copy.confirmedBody(id)
  if (summary && (confirmed?.revision ?? 0) >= revision) {
    const body = await copy.body(id)
    return { is: 'here', note: summary, body: body ?? { id, revision, body: '' } }
  }
  try {
    const note = await api.call<Note>({ path: `api/notes/${encodeURIComponent(id)}` })
    const parts = partNote(note)
    if (note.deleted_at !== null) return { is: 'trashed', note: parts.summary, body: parts.body }
    await copy.confirm([{ type: 'note', id, resource: parts.summary, body: parts.body }])
    return { is: 'here', note: parts.summary, body: (await copy.body(id)) ?? parts.body }
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.code === 'invalid_request')) return { is: 'missing' }
    return { is: 'failed', message: inWords(error) }
  }
}
