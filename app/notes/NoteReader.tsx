/** A note to read, with check boxes that can be clicked. */
import { useComputed } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { dayInWords } from '../../public/in-words.js'
import { titleKey } from '../../src/lib/text'
import type { NoteSummary } from '../api/types'
import { now } from '../data/clock'
import type { Body } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { Markdown, type MarkdownActions, outlineOf } from '../markdown/markdown'
import { addressOf, route } from '../shell/route'
import { reader, say } from '../words/say'
import { tagsOf } from './find-notes'
import { createLinkedNote, noteWrite, SEND_AFTER_MS, showEditor } from './note-actions'
import type { NoteFiles } from './note-files'
import { indexLinks, type LinkIndex } from './note-links'
import { readQuote, showQuote } from './show-quote'
import { readNote } from './use-note'

interface Props {
  readonly note: NoteSummary
  readonly body: Body
  readonly files: NoteFiles
  readonly isTrashed: boolean
}

export function NoteReader({ note, body, files, isTrashed }: Props) {
  const actions = useMarkdownActions(note, body, files, isTrashed)
  const repeats = useMemo(() => repeatsTitle(body.body, note.title), [body.body, note.title])
  const article = useRef<HTMLElement>(null)
  const quoted = route.value.query.get('quote')
  useEffect(() => {
    const quote = readQuote(body.body, quoted)
    return (quote !== null && article.current && showQuote(article.current, quote)) || undefined
  }, [body.body, quoted])
  return (
    <article ref={article} class={repeats ? 'repeats-title' : ''}>
      <header class="note-header">
        <h1 tabIndex={-1} dir="auto">
          {note.title}
        </h1>
        {!isTrashed && (
          <button type="button" onClick={() => showEditor(note.id)} aria-keyshortcuts="e">
            {say`Edit`}
          </button>
        )}
      </header>
      <NoteFacts note={note} />
      {body.body.trim() === '' ? (
        <p class="quiet">{say`This note has no text yet.`}</p>
      ) : (
        <Markdown body={body.body} actions={actions} />
      )}
    </article>
  )
}

/** Whether the text begins with its title as a heading, which then is shown once: as the title. */
export function repeatsTitle(body: string, title: string): boolean {
  if (!/^\s*#\s/.test(body)) return false
  const [first] = outlineOf(body)
  return first?.level === 1 && titleKey(first.text) === titleKey(title)
}

function NoteFacts({ note }: { note: NoteSummary }) {
  return (
    <p class="note-facts">
      {note.pinned && <span>{say`Pinned`}</span>}
      {note.archived_at !== null && <span>{say`Archived`}</span>}
      <span>{say`Changed ${dayInWords(new Date(note.updated_at), new Date(now.value), reader)}`}</span>
      {note.folder !== null && (
        <a href={addressOf('notes', [], { folder: note.folder })} dir="auto">
          {note.folder}
        </a>
      )}
      {tagsOf(note).map((tag) => (
        <a key={tag} href={addressOf('notes', [], { tag })} dir="auto">
          #{tag}
        </a>
      ))}
    </p>
  )
}

/** What the text can do. It stays the same object unless a link would lead elsewhere. */
function useMarkdownActions(note: NoteSummary, body: Body, files: NoteFiles, isTrashed: boolean): MarkdownActions {
  const workspace = useWorkspace()
  const index: LinkIndex = useComputed(() => indexLinks(workspace.copy.shown.note.value)).value
  const latest = useRef({ note, body })
  latest.current = { note, body }
  const { id, folder } = note
  const lineBreaks = useComputed(() => lineBreaksOf(workspace)).value
  return useMemo<MarkdownActions>(
    () => ({
      ...readingActions({ workspace, index, files, lineBreaks }, id, folder),
      ...(!isTrashed && {
        toggle: (offset: number, checked: boolean) => toggleBox(workspace, latest.current.body, offset, checked),
        create: (title: string) => void createLinkedNote(workspace, title, latest.current.note),
      }),
    }),
    [workspace, index, id, folder, files, isTrashed, lineBreaks],
  )
}

/** Whether line ends within a paragraph are shown, as the workspace's settings say. */
export function lineBreaksOf({ copy }: Workspace): boolean {
  const [settings] = copy.shown.workspace_settings.value.values()
  return settings?.line_breaks ?? true
}

export interface Reading {
  readonly workspace: Workspace
  /** May be read late: it takes a while with many notes. */
  readonly index: LinkIndex
  readonly files: NoteFiles
  readonly lineBreaks: boolean
}

/** What the text of a note can do where it is only read, also within another note. */
export function readingActions(reading: Reading, id: string, folder: string | null): MarkdownActions {
  const { workspace, files, lineBreaks } = reading
  return {
    lineBreaks,
    resolve(target) {
      const found = target === '' ? id : reading.index.find(target, folder)
      return found === null ? null : addressOf('notes', [found])
    },
    loadFile: (target) => files.load(target, folder),
    tagAddress: (tag) => addressOf('notes', [], { tag }),
    async loadNote(target) {
      const found = reading.index.find(target, folder) ?? ''
      const open = await readNote(workspace, found, workspace.copy.shown.note.peek().get(found))
      if (open.is !== 'here') throw new Error('cannot be read')
      return { body: open.body.body, actions: readingActions(reading, found, open.note.folder) }
    },
  }
}

/** Writes a check box. `offset` is that of its `[`, in UTF-16 code units. */
function toggleBox({ outbox }: Workspace, { id, revision, body }: Body, offset: number, checked: boolean): void {
  if (!/^\[.\]$/.test(body.slice(offset, offset + 3))) return
  const text = `${body.slice(0, offset)}[${checked ? 'x' : ' '}]${body.slice(offset + 3)}`
  const if_revision = outbox.latestOwn('note', id, revision, body)
  void outbox.add([noteWrite({ op: 'update', id, if_revision, data: { body: text } }, { body })], SEND_AFTER_MS)
}
