/** What is focused, selected and edited in a list of tasks, and what its keys do. */
import { signal } from '@preact/signals'
import type { Task } from '../api/types'
import { keepCurrent, rangeOf, stepFrom, toggle } from './list-state'
import type { Place, Row } from './tree'

const NONE: ReadonlySet<string> = new Set()

/** What is asked in a dialog over the list. */
export type Asked = { readonly what: 'date' | 'place'; readonly tasks: readonly Task[] }

/** A part of a list with a header of its own. */
export interface ListedGroup {
  readonly key: string
  readonly rows: readonly Row[]
  /** Where a task goes that is dropped into it; without it, the order of the group is not that of positions. */
  readonly place?: Place
  /** The day that all its tasks are due on, as YYYY-MM-DD: one that is dropped into it is moved to that day. */
  readonly day?: string
}

export type ListControl = ReturnType<typeof createListControl>

/** Makes the state of one list. `root` is its element once it is shown. */
export function createListControl() {
  const current = signal<string | null>(null)
  const selected = signal(NONE)
  const editing = signal<string | null>(null)
  const selecting = signal(false)
  const asked = signal<Asked | null>(null)
  let groups: readonly ListedGroup[] = []
  let rows: readonly Row[] = []
  let keys: readonly string[] = []
  let root: HTMLElement | null = null
  let anchor: string | null = null
  let hadFocus = false
  let wasFocused = false
  let followedId: string | null = null

  const isFollowed = ({ task, later }: Row) => task.id === followedId && later === undefined
  const find = (key: string) => root?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? null

  function focus(key: string | null): void {
    if (key === null) return
    current.value = key
    const element = find(key)
    if (element) element.focus()
    // A row far away is shown because it is the current one.
    else requestAnimationFrame(() => find(key)?.focus())
  }

  function select(next: ReadonlySet<string>): void {
    selected.value = next
  }

  return {
    current,
    selected,
    editing,
    /** Whether a tap on a row selects it: for hands without a keyboard. */
    selecting,
    asked,
    focus,
    groups: () => groups,
    rows: () => rows,
    rowOf: (key: string) => rows.find((row) => row.key === key) ?? null,

    /** Takes over what the list has now. */
    show(next: readonly ListedGroup[]): void {
      const before = keys
      groups = next
      rows = next.flatMap((group) => group.rows)
      keys = rows.map(({ key }) => key)
      const followed = followedId === null ? undefined : rows.find(isFollowed)?.key
      followedId = null
      // Until something had the focus, the first row is the one that Tab comes to.
      const kept = followed ?? (wasFocused ? keepCurrent(before, keys, current.peek()) : null) ?? keys[0] ?? null
      if (kept !== current.peek()) current.value = kept
      const there = new Set(keys)
      if ([...selected.peek()].some((key) => !there.has(key)))
        select(new Set([...selected.peek()].filter((key) => there.has(key))))
    },

    /** Keeps the focus on a task at its next place. */
    follow(taskId: string): void {
      followedId = taskId
    },

    attach(element: HTMLElement | null): void {
      root = element
    },

    onFocus(target: EventTarget | null): void {
      hadFocus = true
      wasFocused = true
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
      if (row?.dataset.row) current.value = row.dataset.row
    },

    onBlur(next: EventTarget | null): void {
      if (next instanceof Element && !root?.contains(next)) hadFocus = false
    },

    /** Gives the focus to the current row where the row that had it is gone. */
    keepFocus(): void {
      if (hadFocus && (document.activeElement === null || document.activeElement === document.body))
        focus(current.peek())
    },

    /** The row that has the focus; null: the focus is elsewhere. */
    focusedRow(): Row | null {
      if (!root?.contains(document.activeElement)) return null
      return rows.find(({ key }) => key === current.peek()) ?? null
    },

    /** The rows that an action is for: the selected ones, else the focused one. Later dates of repeats are none. */
    targets(): readonly Row[] {
      const chosen = rows.filter(({ key }) => selected.peek().has(key))
      const focused = this.focusedRow()
      return (chosen.length > 0 ? chosen : focused ? [focused] : []).filter(({ later }) => later === undefined)
    },

    /** Goes to the next row or the one before; `extend` selects on the way. */
    step(by: number, extend = false): void {
      const from = root?.contains(document.activeElement) ? current.peek() : null
      const to = from === null && current.peek() !== null ? current.peek() : stepFrom(keys, from, by)
      if (to === null) return
      if (extend && from !== null) {
        anchor ??= from
        select(new Set(rangeOf(keys, anchor, to)))
      } else anchor = null
      focus(to)
    },

    toggle(key: string): void {
      select(toggle(selected.peek(), key))
      anchor = key
    },

    /** Selects from where the selection began to a row. */
    extendTo(key: string): void {
      anchor ??= current.peek() ?? key
      select(new Set(rangeOf(keys, anchor, key)))
      current.value = key
    },

    clear(): void {
      select(NONE)
      selecting.value = false
      anchor = null
    },
  }
}
