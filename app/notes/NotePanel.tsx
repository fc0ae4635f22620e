/** What belongs to a note: its outline, what links to it, its history, its tags and folder. */
import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useMemo, useState } from 'preact/hooks'
import { titleKey } from '../../src/lib/text'
import type { NoteSummary } from '../api/types'
import { now } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { outlineOf } from '../markdown/markdown'
import { Act } from '../shell/controls'
import { go } from '../shell/route'
import { say } from '../words/say'
import { Backlinks } from './Backlinks'
import { History } from './History'
import { lastList } from './last-list'
import { repeatsTitle } from './NoteReader'
import { archiveNote, deleteNote, pinNote, tagNote, updateNote } from './note-actions'

interface Props {
  readonly note: NoteSummary
  readonly body: string
  readonly isEditing: boolean
}

export function NotePanel({ note, body, isEditing }: Props) {
  const isWide = matchMedia('(min-width: 75rem)').matches
  // What links here only the server knows. Without a key there are too few requests to ask for each note.
  const asks = useWorkspace().key !== null && note.revision > 0
  return (
    <aside class="note-side" aria-label={say`About this note`}>
      {!isEditing && <Outline body={body} title={note.title} isOpen={isWide} />}
      <Section title={say`Tags and folder`} isOpen={isWide}>
        <Details note={note} />
      </Section>
      <Section title={say`Linked from`} isOpen={isWide && asks && !isEditing}>
        <Backlinks key={note.id} note={note} />
      </Section>
      <Section title={say`History`}>
        <History key={note.id} note={note} />
      </Section>
    </aside>
  )
}

interface SectionProps {
  readonly title: string
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** A part of the panel: what is in it is made, and asked of the server, when it is opened. */
function Section({ title, isOpen = false, children }: SectionProps) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details class="note-section" open={isOpen} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{title}</summary>
      {wasOpened && children}
    </details>
  )
}

function Outline({ body, title, isOpen }: { body: string; title: string; isOpen: boolean }) {
  const headings = useMemo(() => {
    const all = repeatsTitle(body, title) ? outlineOf(body).slice(1) : outlineOf(body)
    return all.filter(({ text }) => text !== '')
  }, [body, title])
  if (headings.length < 2) return null
  const jump = (id: string) => {
    const heading = document.getElementById(id)
    if (!heading) return
    if (heading.tabIndex < 0) heading.tabIndex = -1
    heading.focus({ preventScroll: true })
    heading.scrollIntoView({ block: 'start' })
  }
  return (
    <Section title={say`Outline`} isOpen={isOpen}>
      <ol class="note-outline">
        {headings.map(({ id, level, text }) => (
          <li key={id} class={`level-${level}`}>
            <button type="button" class="link" dir="auto" onClick={() => jump(id)}>
              {text}
            </button>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Details({ note }: { note: NoteSummary }) {
  const workspace = useWorkspace()
  return (
    <div class="note-details">
      <Tags note={note} />
      <Folder key={note.folder ?? ''} note={note} />
      <div class="row">
        <Act run={() => pinNote(workspace, note)}>{note.pinned ? say`Unpin` : say`Pin`}</Act>
        <Act run={() => archiveNote(workspace, note, now.peek())}>
          {note.archived_at === null ? say`Archive{# verb}` : say`Take out of the archive`}
        </Act>
        <Act
          run={() => {
            deleteNote(workspace, note)
            go(lastList())
          }}
        >
          {say`Delete`}
        </Act>
      </div>
    </div>
  )
}

function Tags({ note }: { note: NoteSummary }) {
  const workspace = useWorkspace()
  const [text, setText] = useState('')
  const add = (event: Event) => {
    event.preventDefault()
    const tag = text.trim().replace(/^#/, '')
    setText('')
    if (tag === '' || note.tags.some((each) => titleKey(each) === titleKey(tag))) return
    tagNote(workspace, note, say`Tagged “${note.title}” with #${tag}.`, { add: [tag] })
  }
  const remove = (tag: string) => tagNote(workspace, note, say`Took #${tag} from “${note.title}”.`, { remove: [tag] })
  return (
    <>
      {note.tags.length > 0 && (
        <ul class="chips" aria-label={say`Tags`}>
          {note.tags.map((tag) => (
            <li key={tag}>
              <button type="button" onClick={() => remove(tag)} aria-label={say`Remove the tag ${tag}`}>
                <bdi>{tag}</bdi> ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <form class="joined" onSubmit={add}>
        <input
          aria-label={say`Add a tag`}
          placeholder={say`Add a tag`}
          maxLength={100}
          autocomplete="off"
          dir="auto"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">{say`Add`}</button>
      </form>
    </>
  )
}

function Folder({ note }: { note: NoteSummary }) {
  const workspace = useWorkspace()
  const [id, field] = [useId(), useId()]
  const [text, setText] = useState(note.folder ?? '')
  const folders = useComputed(() =>
    [...new Set([...workspace.copy.shown.note.value.values()].map(({ folder }) => folder))]
      .filter((folder) => folder !== null)
      .sort(),
  ).value
  const move = (event: Event) => {
    event.preventDefault()
    const folder = text.trim().replace(/^\/+|\/+$/g, '') || null
    if (folder === note.folder) return
    const words =
      folder === null ? say`Took “${note.title}” out of its folder.` : say`Moved “${note.title}” to ${folder}.`
    updateNote(workspace, note, words, { folder })
  }
  return (
    <form class="joined" onSubmit={move}>
      <label class="fine" for={field}>
        {say`Folder`}
      </label>
      <input
        id={field}
        placeholder={say`Such as Work/Plans`}
        list={id}
        autocomplete="off"
        dir="auto"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={id}>
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      {(text.trim() || null) !== note.folder && <button type="submit">{say`Move`}</button>}
    </form>
  )
}
