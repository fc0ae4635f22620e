/** The list of notes, with its search and its filters. */
import { useComputed } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { countWhole, foundInWords, useServerSearch } from '../data/server-search'
import { useWorkspace } from '../data/use-workspace'
import { type Action, useActions } from '../shell/actions'
import { addressOf, go, route } from '../shell/route'
import { say, sayWith } from '../words/say'
import {
  createNoteSearch,
  type FoundNotes,
  listNotes,
  type NoteFilter,
  type NoteSearch,
  tagsOf,
  wordsOf,
} from './find-notes'
import { addressOfList, lastList, rememberList } from './last-list'
import { NoteFilters } from './NoteFilters'
import { NoteRows, type RowsHandle } from './NoteRows'
import { beginNote } from './note-actions'
import { buildTree } from './path-tree'
import { toPieces } from './plain-piece'

/** The search is kept in the address once it rests so long, in milliseconds. */
const KEEP_QUERY_MS = 500
/** Results of the server. */
const MAX_FOUND = 100
/** So many notes, which fill most windows, are shown before the others are looked for. */
const ROWS_AT_ONCE = 12
/** Milliseconds without a key after which the others are looked for. */
const REST_MS = 150
/** Milliseconds after which what is searched is prepared, so that the first key is as fast as the others. */
const PREPARE_MS = 250
/** What is searched without the server. */
const WITHOUT = say`Only titles, tags, folders and beginnings of notes are searched.`
/** Where each list was left, by its address. */
const places = new Map<string, { readonly selected: string | null; readonly scrolled: number }>()

/** @param beside the id of the note open beside the list; null: the list has the screen for itself */
export function NoteList({ beside }: { beside: string | null }) {
  const { copy, sync } = useWorkspace()
  const asked = beside === null ? route.value.query : new URLSearchParams(lastList().split('?')[1])
  const filter: NoteFilter = {
    tag: asked.get('tag'),
    folder: asked.get('folder'),
    archived: asked.get('archived') === '1',
  }
  const key = JSON.stringify(filter)
  const [query, setQuery] = useState(asked.get('q') ?? '')
  const listed = useMemo(() => listNotes(copy.shown.note.value.values(), filter), [copy.shown.note.value, key])
  const words = useMemo(() => wordsOf(query), [query])
  const search = useMemo(() => createNoteSearch(listed), [listed])
  const local = useFound(search, words)
  const server = useServerSearch('api/notes/search', query, {
    limit: MAX_FOUND,
    archived: filter.archived,
    tag: filter.tag ?? undefined,
    folder: filter.folder ?? undefined,
  })
  const { notes, pieces, whole } = useMemo(() => {
    if (!server.found) return { notes: local.notes, pieces: null, whole: local.notes.length }
    const known = copy.shown.note.value
    // What the copy does not have yet comes with the next sync.
    const found = server.found.filter(({ id }) => known.has(id))
    return {
      notes: found.flatMap(({ id }) => known.get(id) ?? []),
      whole: countWhole(found),
      pieces: new Map(server.found.map(({ id, snippets }) => [id, toPieces(snippets)])),
    }
  }, [server.found, local])
  // Not made again for each key stroke.
  const filters = useMemo(() => <Filters filter={filter} />, [key])
  usePrepared(search)
  useKeptQuery(query, filter, beside === null)
  useEffect(() => {
    if (beside === null) document.title = say`Notes – Satchel`
  }, [beside])
  const Title = beside === null ? 'h1' : 'h2'
  const isAll = local.isAll || server.found !== null
  const unread = listed.length === 0 ? sync.unread.value : null
  return (
    <div class="notes-layout">
      <header class="screen-header">
        <Title tabIndex={-1}>{filter.archived ? say`Archived notes` : say`Notes`}</Title>
        <button type="button" onClick={() => beginNote(filter)} aria-keyshortcuts="n">
          {say`New note`}
        </button>
      </header>
      {filters}
      <div class="notes-main">
        <Chosen filter={filter} />
        <SearchedList key={key} {...{ beside, notes, pieces, words, whole, query, setQuery }} />
        <p class="notes-state" role="status">
          {unread ??
            (isAll ? foundInWords({ query, count: notes.length, server, noun: 'note', without: WITHOUT }) : '')}
        </p>
        {listed.length === 0 && unread === null && query === '' && <Empty filter={filter} />}
      </div>
    </div>
  )
}

/** Finds what fills the window first, and the rest once the typing rests. */
function useFound(search: NoteSearch, words: readonly string[]): FoundNotes {
  const [rested, setRested] = useState(words)
  const isRested = rested === words
  useEffect(() => {
    const timer = setTimeout(() => setRested(words), REST_MS)
    return () => clearTimeout(timer)
  }, [words])
  return useMemo(() => search.find(words, isRested ? undefined : ROWS_AT_ONCE), [search, words, isRested])
}

/** Makes the texts of the notes that are searched, before the first key. */
function usePrepared(search: NoteSearch): void {
  useEffect(() => {
    const timer = setTimeout(search.prepare, PREPARE_MS)
    return () => clearTimeout(timer)
  }, [search])
}

/** Keeps the query in the address, so that one comes back to it. */
function useKeptQuery(query: string, filter: NoteFilter, hasAddress: boolean): void {
  const open = route.value
  const address = addressOfList(filter, query)
  useEffect(() => {
    rememberList(address)
    if (!hasAddress) return
    // When the time comes, the next list may be open, and not drawn yet.
    const timer = setTimeout(() => route.peek() === open && go(address, { replace: true }), KEEP_QUERY_MS)
    return () => clearTimeout(timer)
  }, [address, open])
}

interface SearchedListProps {
  readonly beside: string | null
  readonly notes: Parameters<typeof NoteRows>[0]['notes']
  readonly pieces: Parameters<typeof NoteRows>[0]['pieces']
  readonly words: readonly string[]
  /** So many of the notes, which come first, have as many of the words as the best. */
  readonly whole: number
  readonly query: string
  readonly setQuery: (query: string) => void
}

function SearchedList({ beside, notes, pieces, words, whole, query, setQuery }: SearchedListProps) {
  const place = useMemo(() => places.get(location.hash) ?? { selected: null, scrolled: 0 }, [])
  const [chosen, setChosen] = useState(place.selected)
  const field = useRef<HTMLInputElement>(null)
  const rows = useRef<RowsHandle>(null)
  const found = chosen === null ? 0 : notes.findIndex(({ id }) => id === chosen)
  const selected = Math.max(0, found)
  const latest = useRef({ selected, chosen })
  latest.current = { selected, chosen }
  useEffect(() => {
    if (beside === null) scrollTo(0, place.scrolled)
    else {
      setChosen(beside)
      document.querySelector('.note-row .selected')?.scrollIntoView({ block: 'nearest' })
    }
  }, [beside])
  useEffect(() => {
    if (beside !== null) return
    const note = () => places.set(location.hash, { selected: latest.current.chosen, scrolled: scrollY })
    addEventListener('scrollend', note)
    note()
    return () => removeEventListener('scrollend', note)
  }, [chosen, beside])
  const actions = useMemo<readonly Action[]>(() => {
    const step = (by: number) => {
      const isInList = document.activeElement?.closest('.note-rows')
      rows.current?.focus(isInList ? latest.current.selected + by : latest.current.selected)
    }
    return [
      { title: say`New note`, keys: 'n', run: () => beginNote(chosenFilter()) },
      { title: say`Search notes`, keys: '/', run: () => field.current?.focus() },
      { title: say`Next note`, keys: 'j', run: () => step(1) },
      { title: say`Previous note`, keys: 'k', run: () => step(-1) },
      { title: say`Go to the archive of notes`, run: () => go(addressOf('notes', [], { archived: '1' })) },
      { title: say`Go to the trash`, run: () => go(addressOf('settings', ['trash'])) },
    ]
  }, [])
  useActions(actions)
  const onKeyDown = (event: KeyboardEvent) => {
    const note = notes[selected]
    if (event.key === 'ArrowDown') rows.current?.focus(selected)
    else if (event.key === 'Enter' && !event.isComposing && note) go(addressOf('notes', [note.id]))
    else if (event.key === 'Escape' && query !== '') setQuery('')
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        type="search"
        ref={field}
        aria-label={say`Search notes`}
        placeholder={say`Search notes`}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        value={query}
        onInput={(event) => {
          setChosen(null)
          setQuery(event.currentTarget.value)
        }}
        onKeyDown={onKeyDown}
      />
      <NoteRows
        notes={notes}
        pieces={pieces}
        words={words}
        whole={whole}
        selected={selected}
        select={(index) => setChosen(notes[index]?.id ?? null)}
        handle={rows}
      />
    </>
  )
}

function chosenFilter() {
  const { query } = route.peek()
  return { tag: query.get('tag'), folder: query.get('folder') }
}

/** What the list is filtered by, with a way back to all. */
function Chosen({ filter: { tag, folder, archived } }: { filter: NoteFilter }) {
  if (tag === null && folder === null && !archived) return null
  return (
    <p class="notes-chosen">
      {folder !== null && <span>{sayWith`In ${<bdi>{folder}</bdi>}`}</span>}
      {tag !== null && <span>{sayWith`Tagged ${<bdi>#{tag}</bdi>}`}</span>}
      <a href={addressOf('notes')}>{say`All notes`}</a>
    </p>
  )
}

function Empty({ filter }: { filter: NoteFilter }) {
  if (filter.archived)
    return <p class="quiet">{say`The archive is empty. What you archive leaves the list, but is found.`}</p>
  const isFiltered = filter.tag !== null || filter.folder !== null
  return (
    <div class="notes-empty">
      <p class="quiet">
        {isFiltered
          ? say`There are no notes here.`
          : say`There are no notes yet. Write the first, or import those of another program.`}
      </p>
      <button type="button" class="primary" onClick={() => beginNote(filter)}>
        {say`Write a note`}
      </button>
    </div>
  )
}

function Filters({ filter: { tag, folder } }: { filter: NoteFilter }) {
  const { copy } = useWorkspace()
  const trees = useComputed(() => {
    const notes = [...copy.shown.note.value.values()].filter(({ archived_at }) => archived_at === null)
    return {
      folders: buildTree(notes.map(({ folder }) => (folder === null ? [] : [folder]))),
      tags: buildTree(notes.map(tagsOf)),
    }
  }).value
  return (
    <details class="notes-side" open={matchMedia('(min-width: 75rem)').matches || tag !== null || folder !== null}>
      <summary>{say`Folders and tags`}</summary>
      <NoteFilters {...trees} folder={folder} tag={tag} />
    </details>
  )
}
