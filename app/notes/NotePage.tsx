/** One note: to read, and to edit. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { NoteSummary } from '../api/types'
import { now } from '../data/clock'
import type { Body } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { EditorHandle } from '../editor/Editor'
import { type Action, useActions } from '../shell/actions'
import { Act } from '../shell/controls'
import { go, route } from '../shell/route'
import { say } from '../words/say'
import { lastList } from './last-list'
import { NoteEditor } from './NoteEditor'
import { NotePanel } from './NotePanel'
import { NoteReader } from './NoteReader'
import { archiveNote, beginNote, deleteNote, pinNote, restoreNote, showEditor, showReader } from './note-actions'
import { createNoteFiles } from './note-files'
import { findReadPlace } from './show-quote'
import { useNote } from './use-note'

export function NotePage({ id }: { id: string }) {
  const workspace = useWorkspace()
  const open = useNote(id)
  useEffect(() => () => void workspace.outbox.flush(), [id])
  switch (open.is) {
    case 'loading':
      return <Message title={say`Note`}>{say`Loading …`}</Message>
    case 'missing':
      return <Message title={say`No such note`}>{say`It was erased, or the address is wrong.`}</Message>
    case 'failed':
      return <Message title={say`Note`}>{say`This note is not on this device yet. ${open.message}`}</Message>
    case 'new':
      return <OpenedNote id={id} note={null} body={null} isTrashed={false} />
    default:
      return <OpenedNote id={id} note={open.note} body={open.body} isTrashed={open.is === 'trashed'} />
  }
}

function Message({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div class="column">
      <Back />
      <h1 tabIndex={-1}>{title}</h1>
      <p role="status">{children}</p>
    </div>
  )
}

function Back() {
  return (
    <p class="note-back">
      <a href={lastList()}>{say`Notes`}</a>
    </p>
  )
}

interface Props {
  readonly id: string
  readonly note: NoteSummary | null
  readonly body: Body | null
  readonly isTrashed: boolean
}

function OpenedNote({ id, note, body, isTrashed }: Props) {
  const workspace = useWorkspace()
  const isEditing = !isTrashed && (note === null || route.value.query.get('edit') === '1')
  const files = useMemo(() => createNoteFiles(workspace), [workspace])
  useEffect(() => () => files.close(), [files])
  useNoteActions(isTrashed ? null : note, isEditing)
  const main = useRef<HTMLDivElement>(null)
  // What was read is still there when this is drawn.
  const startAt = useMemo(
    () => (isEditing && main.current && body ? findReadPlace(main.current, body.body) : 0),
    [isEditing],
  )
  const wasEditing = useRef(isEditing)
  const editor = useRef<EditorHandle>(null)
  /** Files that were dropped on the note while it was read. */
  const dropped = useRef<readonly File[]>([])
  const onDrop = (event: DragEvent) => {
    const files = [...(event.dataTransfer?.files ?? [])]
    if (isTrashed || event.defaultPrevented || files.length === 0) return
    event.preventDefault()
    if (editor.current) editor.current.insertFiles(files)
    else if (body) {
      dropped.current = files
      showEditor(id)
    }
  }
  useEffect(() => {
    if (dropped.current.length > 0) editor.current?.insertFiles(dropped.current, true)
    dropped.current = []
    // The field that had the focus is gone.
    if (wasEditing.current && !isEditing) main.current?.querySelector<HTMLElement>('h1')?.focus()
    wasEditing.current = isEditing
    if (note && note.title !== '') document.title = `${note.title} – Satchel`
  }, [isEditing, note?.title])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files come by the keyboard when they are pasted
    <div class="note-layout" onDrop={onDrop}>
      <div class="note-main" ref={main}>
        <Back />
        {isTrashed && note && <TrashNotice note={note} />}
        {isEditing ? (
          <NoteEditor {...{ id, note, body, files, editor, startAt }} />
        ) : (
          note && body && <NoteReader note={note} body={body} files={files} isTrashed={isTrashed} />
        )}
      </div>
      {note && !isTrashed && <NotePanel note={note} body={body?.body ?? ''} isEditing={isEditing} />}
    </div>
  )
}

function TrashNotice({ note }: { note: NoteSummary }) {
  const workspace = useWorkspace()
  return (
    <p class="notice">
      {say`This note is in the trash.`} <Act run={() => restoreNote(workspace, note)}>{say`Restore it`}</Act>
    </p>
  )
}

/** What can be done with the open note, by keys and from the palette. */
function useNoteActions(note: NoteSummary | null, isEditing: boolean): void {
  const workspace = useWorkspace()
  const latest = useRef(note)
  latest.current = note
  const isNone = note === null
  const actions = useMemo<readonly Action[]>(() => {
    const withNote = (run: (open: NoteSummary) => void) => () => latest.current && run(latest.current)
    if (isNone) return []
    return [
      ...(isEditing
        ? [{ title: say`Stop editing`, keys: 'Escape', run: withNote(({ id }) => showReader(id)) }]
        : [
            { title: say`Edit the note`, keys: 'e', run: withNote(({ id }) => showEditor(id)) },
            { title: say`Back to the list of notes`, keys: 'Escape', run: () => go(lastList()) },
          ]),
      { title: say`New note`, keys: 'n', run: () => beginNote() },
      { title: say`Pin or unpin the note`, run: withNote((open) => pinNote(workspace, open)) },
      {
        title: say`Archive the note, or take it out`,
        run: withNote((open) => archiveNote(workspace, open, now.peek())),
      },
      {
        title: say`Delete the note`,
        run: withNote((open) => {
          deleteNote(workspace, open)
          go(lastList())
        }),
      },
    ]
  }, [workspace, isNone, isEditing])
  useActions(actions)
}
