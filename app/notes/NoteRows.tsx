/** The rows of a list of notes: only those in the window are in the document. */
import type { RefObject } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { NoteSummary } from '../api/types'
import { dateOf, today } from '../data/clock'
import { addressOf } from '../shell/route'
import { dateInWords } from '../tasks/dates'
import { say } from '../words/say'
import { tagsOf } from './find-notes'
import { markRows, removeMarks } from './mark-rows'
import type { Piece } from './plain-piece'

/** The height of a row in rem, as in notes.css. */
const ROW_REM = 6.5
/** Rows above and below the window that are there as well. */
const SPARE_ROWS = 1

export interface RowsHandle {
  /** Moves the focus to a row by its index, or to the nearest one. */
  focus(index: number): void
}

interface Props {
  readonly notes: readonly NoteSummary[]
  /** What the server found in the notes, by their ids. Where it found nothing, `words` are marked. */
  readonly pieces: ReadonlyMap<string, readonly Piece[]> | null
  readonly words: readonly string[]
  /** The notes from this index on have some of the words only. */
  readonly whole: number
  readonly selected: number
  readonly select: (index: number) => void
  readonly handle: RefObject<RowsHandle | null>
}

export function NoteRows({ notes, pieces, words, whole, selected, select, handle }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const wanted = useRef<string | null>(null)
  const { first, last, height } = useVisibleRows(list, notes.length)
  const focusRow = (index: number) => {
    const place = Math.max(0, Math.min(index, notes.length - 1))
    const note = notes[place]
    if (!note) return
    wanted.current = note.id
    select(place)
    focusWanted()
  }
  const focusWanted = () => {
    const id = wanted.current
    const link = id === null ? null : list.current?.querySelector<HTMLElement>(`a[data-id="${id}"]`)
    if (!link) return
    wanted.current = null
    link.focus({ preventScroll: true })
    link.scrollIntoView({ block: 'nearest' })
  }
  useLayoutEffect(() => {
    const focused = document.activeElement
    const id = notes[selected]?.id
    // The focus stays on the note, not on its place.
    if (id !== undefined && focused instanceof HTMLElement && list.current?.contains(focused))
      if (focused.dataset.id !== id) wanted.current = id
    focusWanted()
  })
  useLayoutEffect(() => {
    if (list.current) markRows(list.current, words, pieces)
  })
  useEffect(() => removeMarks, [])
  useImperativeHandle(handle, () => ({ focus: focusRow }))
  const shown = notes.slice(first, last).map((note, place) => ({ note, index: first + place }))
  const at = notes[selected]
  // The selected one stays, since it may have the focus.
  if (at && selected < first) shown.unshift({ note: at, index: selected })
  else if (at && selected >= last) shown.push({ note: at, index: selected })
  return (
    <ul
      class="note-rows"
      ref={list}
      style={{ height: `${notes.length * height}px` }}
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (step === undefined) return
        event.preventDefault()
        focusRow(selected + step)
      }}
    >
      {shown.map(({ note, index }) => (
        <li
          // The elements of a row serve the next note at its place: to make new ones takes longer than a key stroke may.
          key={index}
          class="note-row"
          aria-setsize={notes.length}
          aria-posinset={index + 1}
          style={{ top: `${index * height}px` }}
        >
          {index === whole && index > 0 && <span class="rows-break">{say`With some of the words`}</span>}
          <a
            href={addressOf('notes', [note.id])}
            data-id={note.id}
            class={index === selected ? 'selected' : ''}
            onFocus={() => index !== selected && select(index)}
          >
            <RowText note={note} pieces={pieces?.get(note.id)} />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The same element as long as the note is, so that a key stroke costs nothing where it changes nothing. */
function RowText({ note, pieces }: { readonly note: NoteSummary; readonly pieces: readonly Piece[] | undefined }) {
  const day = today.value
  return useMemo(() => {
    const part = (field: Piece['field'], text: string) => pieces?.find((piece) => piece.field === field)?.text ?? text
    const places = placesOf(note)
    return (
      <>
        <span class="note-title" dir="auto" data-part="title">
          {part('title', note.title)}
        </span>
        <span class="note-excerpt" dir="auto" data-part="body">
          {part('body', note.excerpt)}
        </span>
        <span class="row-facts">
          {note.pinned && `${say`Pinned`} · `}
          {dateInWords(dateOf(new Date(note.updated_at)), day)}
          {places !== '' && <span data-part="places">{places}</span>}
        </span>
      </>
    )
  }, [note, pieces, day])
}

/** The folder and the tags of a note in one text, each in its own direction: an element for each is laid out slowly. */
const placesOf = (note: NoteSummary) =>
  [...(note.folder === null ? [] : [note.folder]), ...tagsOf(note).map((tag) => `#${tag}`)]
    .map((place) => ` · \u2068${place}\u2069`)
    .join('')

/** Follows which rows are in the window: from `first` up to `last`. `height` is that of a row in CSS pixels. */
function useVisibleRows(list: RefObject<HTMLElement | null>, count: number) {
  const [{ first, last, height }, setRows] = useState(() => {
    const height = rowHeight()
    return { first: 0, last: Math.ceil(innerHeight / height), height }
  })
  useEffect(() => {
    const look = () => {
      const height = rowHeight()
      const above = -(list.current?.getBoundingClientRect().top ?? 0)
      const first = Math.max(0, Math.floor(above / height) - SPARE_ROWS)
      const last = Math.ceil((above + innerHeight) / height) + SPARE_ROWS
      setRows((rows) =>
        rows.first === first && rows.last === last && rows.height === height ? rows : { first, last, height },
      )
    }
    // The list is moved by what is above it as well, which changes the height of the page.
    const observer = new ResizeObserver(look)
    observer.observe(document.documentElement)
    // Captured: beside a note the list scrolls by itself.
    addEventListener('scroll', look, { passive: true, capture: true })
    addEventListener('resize', look)
    return () => {
      observer.disconnect()
      removeEventListener('scroll', look, { capture: true })
      removeEventListener('resize', look)
    }
  }, [])
  const start = Math.min(first, Math.max(0, count - 1))
  return { first: start, last: Math.min(count, Math.max(last, start + 1)), height }
}

const rowHeight = () => ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
