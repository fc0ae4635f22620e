/** A note to edit: its title and its text. */
import { useComputed } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { NoteSummary } from '../api/types'
import type { Body } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import { Editor, type EditorHandle } from '../editor/Editor'
import { Markdown } from '../markdown/markdown'
import { notify } from '../shell/notice'
import { addressOf, go, readRoute } from '../shell/route'
import { say } from '../words/say'
import { type EditSession, openEditSession } from './edit-session'
import { lastList } from './last-list'
import { lineBreaksOf, readingActions } from './NoteReader'
import { showReader } from './note-actions'
import { type NoteFiles, storeFiles } from './note-files'
import { completeLinks, indexLinks } from './note-links'

/** UTF-16 units of a title. */
const MAX_TITLE = 500

interface Props {
  readonly id: string
  /** Null: a note that does not exist yet. */
  readonly note: NoteSummary | null
  readonly body: Body | null
  readonly files: NoteFiles
  readonly editor: RefObject<EditorHandle | null>
  /** Where the caret is at first. */
  readonly startAt: number
}

export function NoteEditor({ id, note, body, ...fields }: Props) {
  const workspace = useWorkspace()
  const [session, setSession] = useState(() => openEditSession(workspace, { id, title: note?.title ?? '', body }))
  useEffect(() => {
    // The address is that of another note, unless it is where the text of this one went.
    if (session.id.peek() !== id) setSession(openEditSession(workspace, { id, title: note?.title ?? '', body }))
  }, [id])
  useEffect(() => {
    const leave = () => document.visibilityState === 'hidden' && session.leave()
    document.addEventListener('visibilitychange', leave)
    addEventListener('pagehide', session.save)
    return () => {
      document.removeEventListener('visibilitychange', leave)
      removeEventListener('pagehide', session.save)
      session.close()
    }
  }, [session])
  useEffect(() => {
    if (note) void session.takeOver(note)
  }, [session, note, body])
  const current = session.id.value
  useEffect(() => {
    if (current !== id) go(addressOf('notes', [current], { edit: '1' }), { replace: true })
  }, [current])
  return <Fields key={session.key} {...fields} session={session} isNew={note === null} folder={note?.folder ?? null} />
}

interface FieldsProps extends Pick<Props, 'editor' | 'files' | 'startAt'> {
  readonly session: EditSession
  readonly isNew: boolean
  readonly folder: string | null
}

function Fields({ session, isNew, folder, files, editor, startAt }: FieldsProps) {
  const workspace = useWorkspace()
  const index = useComputed(() => indexLinks(workspace.copy.shown.note.value))
  const actions = useMemo(() => {
    const reading = {
      ...{ workspace, files, lineBreaks: lineBreaksOf(workspace) },
      get index() {
        return index.peek()
      },
    }
    return readingActions(reading, session.id.peek(), folder)
  }, [session, files, folder])
  const title = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (isNew) title.current?.focus()
    else editor.current?.focus()
  }, [])
  const stop = () => {
    const id = session.id.peek()
    // One may have gone elsewhere while it was stored: the address says so before the event does.
    if (readRoute(location.hash).parts[0] !== id) return
    if (workspace.copy.shown.note.peek().has(id)) showReader(id)
    else go(lastList())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
    event.preventDefault()
    void session.save().then(stop)
  }
  return (
    <fieldset class="note-edit" aria-label={say`The note`} onKeyDown={onKeyDown}>
      <h1 class="unseen" tabIndex={-1}>
        {isNew ? say`New note` : say`Edit ${session.title.value}`}
      </h1>
      <div class="note-header">
        <input
          class="note-title-field"
          ref={title}
          aria-label={say`Title`}
          placeholder={say`Title`}
          maxLength={MAX_TITLE}
          autocomplete="off"
          dir="auto"
          value={session.title.value}
          onInput={(event) => session.type({ title: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return
            event.preventDefault()
            editor.current?.focus()
          }}
        />
        <button type="button" onClick={() => void session.save().then(stop)} aria-keyshortcuts="Escape">
          {say`Done`}
        </button>
      </div>
      <Editor
        text={session.body.value}
        label={say`Text of the note`}
        handle={editor}
        startAt={startAt}
        draw={(markdown) => <Markdown body={markdown} actions={actions} />}
        onChange={(body) => session.type({ body })}
        completions={(typed) => completeLinks(workspace.copy.shown.note.peek().values(), typed)}
        onPasteFiles={async (files) => {
          try {
            return await storeFiles(workspace, files, folder)
          } catch (error) {
            notify(say`The file was not stored. ${inWords(error)}`)
            throw error
          }
        }}
      />
    </fieldset>
  )
}
