/** The rows of a list of notes: only those in the window are in the document. */
import type { RefObject } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { NoteSummary } from '../api/types'
import { dateOf, today } from '../data/clock'
import { addressOf } from '../shell/route'
import { dateInWords } from '../tasks/dates'
import { findWords, type Range, tagsOf, toUnits } from './find-notes'
import { Marked } from './Marked'
import type { Found } from './server-search'

/** The height of a row in rem, as in notes.css. */
const ROW_REM = 6.5
/** Marks in one text of a row: a single letter is in it many times, and each costs an element. */
const MAX_MARKS = 3
/** Rows above and below the window that are there as well. */
const SPARE_ROWS = 2

export interface RowsHandle {
  /** Moves the focus to a row by its index, or to the nearest one. */
  focus(index: number): void
}

type Snippets = Found['snippets']

interface Props {
  readonly notes: readonly NoteSummary[]
  /** What the server found in the notes, by their ids. Where it found nothing, `words` are marked. */
  readonly snippets: ReadonlyMap<string, Snippets> | null
  readonly words: readonly string[]
  readonly selected: number
  readonly select: (index: number) => void
  readonly handle: RefObject<RowsHandle | null>
}

export function NoteRows({ notes, snippets, words, selected, select, handle }: Props) {
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
          <a
            href={addressOf('notes', [note.id])}
            data-id={note.id}
            class={index === selected ? 'selected' : ''}
            onFocus={() => index !== selected && select(index)}
          >
            <RowText note={note} snippets={snippets?.get(note.id)} words={words} />
          </a>
        </li>
      ))}
    </ul>
  )
}

interface RowTextProps {
  readonly note: NoteSummary
  readonly snippets: Snippets | undefined
  readonly words: readonly string[]
}

function RowText({ note, snippets, words }: RowTextProps) {
  const mark = (text: string) => findWords(text, words).slice(0, MAX_MARKS)
  const part = (field: Snippets[number]['field'], text: string): { text: string; ranges: Range[] } => {
    const found = snippets?.find((snippet) => snippet.field === field)
    return found ? { text: found.text, ranges: toUnits(found.text, found.ranges) } : { text, ranges: mark(text) }
  }
  const tags = tagsOf(note)
  return (
    <>
      <span class="note-title" dir="auto">
        <Marked {...part('title', note.title)} />
      </span>
      <span class="note-excerpt" dir="auto">
        <Marked {...part('body', note.excerpt)} />
      </span>
      <span class="row-facts">
        {note.pinned && <span>Pinned</span>}
        <span>{dateInWords(dateOf(new Date(note.updated_at)), today.value)}</span>
        {note.folder !== null && (
          <span dir="auto">
            <Marked text={note.folder} ranges={mark(note.folder)} />
          </span>
        )}
        {tags.map((tag) => (
          <span key={tag} dir="auto">
            #<Marked text={tag} ranges={mark(tag)} />
          </span>
        ))}
      </span>
    </>
  )
}

/** Follows which rows are in the window: from `first` up to `last`. `height` is that of a row in CSS pixels. */
function useVisibleRows(list: RefObject<HTMLElement | null>, count: number) {
  const [height, setHeight] = useState(rowHeight)
  const [first, setFirst] = useState(0)
  const visible = Math.ceil(innerHeight / height) + 2 * SPARE_ROWS
  useEffect(() => {
    const look = () => {
      const now = rowHeight()
      setHeight(now)
      const above = -(list.current?.getBoundingClientRect().top ?? 0)
      const top = Math.max(0, Math.floor(above / now) - SPARE_ROWS)
      // Not for each row: what is spare lasts for some of them.
      setFirst(top - (top % (SPARE_ROWS / 2)))
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [])
  const start = Math.min(first, Math.max(0, count - 1))
  return { first: start, last: Math.min(count, start + visible + SPARE_ROWS / 2), height }
}

const rowHeight = () => ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
