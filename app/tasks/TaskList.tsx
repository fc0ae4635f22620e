/** A list of tasks in groups: one place for the focus, several selected at once, and all that can be done by keys. */
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import { useActions } from '../shell/actions'
import { say } from '../words/say'
import { startDrag } from './drag'
import { handleRowKey, listActions } from './list-actions'
import { createListControl, type ListControl, type ListedGroup } from './list-control'
import { SelectionBar } from './SelectionBar'
import { TaskDialogs } from './TaskDialogs'
import { TaskRow } from './TaskRow'

/** More rows than these are shown only near the window. */
const MAX_WHOLE = 300
/** Rows that are shown or left out together. */
const BLOCK_ROWS = 50
/** What a row is taken to be high before it was shown, in pixels. */
const ROW_PX = 48

export interface TaskGroup extends ListedGroup {
  /** Names it for screen readers. */
  readonly label: string
  readonly header?: ComponentChildren
  /** Shown in place of rows where there are none; without it, an empty day is shown only to drop tasks on it. */
  readonly empty?: ComponentChildren
  readonly below?: ComponentChildren
}

interface Props {
  readonly groups: readonly TaskGroup[]
  /** The project that the list is of: it is not repeated in the rows. */
  readonly within?: string | null
}

export function TaskList({ groups, within = null }: Props) {
  const workspace = useWorkspace()
  const control = useMemo(createListControl, [])
  const root = useRef<HTMLDivElement>(null)
  useActions(useMemo(() => listActions(workspace, control), [workspace, control]))
  control.show(groups)
  useLayoutEffect(() => {
    control.attach(root.current)
    control.keepFocus()
  }, [groups])
  const isLong = control.rows().length > MAX_WHOLE
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows have the focus; their keys are handled in one place
    <div
      ref={root}
      class="task-list"
      onKeyDown={(event) => {
        if (event.defaultPrevented || event.isComposing || isTyped(event.target)) return
        if (handleRowKey(workspace, control, event)) event.preventDefault()
      }}
      onFocusIn={({ target }) => control.onFocus(target)}
      onFocusOut={({ relatedTarget }) => control.onBlur(relatedTarget)}
      onPointerDown={(event) => startDrag(event, workspace, control)}
      onTouchMove={(event) => {
        // What is dragged goes along with the finger instead of the page; a page that scrolls already goes on.
        if (event.cancelable && event.currentTarget.hasAttribute('data-dragging')) event.preventDefault()
      }}
    >
      {groups.map((group) => (
        <Group key={group.key} group={group} control={control} within={within} isLong={isLong} />
      ))}
      {control.rows().length > 1 && (
        <button type="button" class="link select-several" onClick={() => (control.selecting.value = true)}>
          {say`Select several`}
        </button>
      )}
      <SelectionBar control={control} />
      <TaskDialogs control={control} />
    </div>
  )
}

const isTyped = (target: EventTarget | null) => target instanceof HTMLInputElement && target.type !== 'checkbox'

interface GroupProps {
  readonly group: TaskGroup
  readonly control: ListControl
  readonly within: string | null
  readonly isLong: boolean
}

function Group({ group, control, within, isLong }: GroupProps) {
  const { rows, day } = group
  const isHidden = rows.length === 0 && !group.empty
  if (isHidden && day === undefined) return group.below ?? null
  return (
    <>
      <section aria-label={group.label} data-group={group.key} class={isHidden ? 'drop-only' : undefined}>
        {group.header}
        {rows.length === 0 ? (
          group.empty
        ) : (
          <div
            role="treegrid"
            class="tasks"
            aria-label={group.label}
            aria-multiselectable="true"
            aria-rowcount={rows.length}
          >
            {blocksOf(group, isLong).map((from) => (
              <Block key={from} group={group} from={from} control={control} within={within} isLong={isLong} />
            ))}
          </div>
        )}
      </section>
      {group.below}
    </>
  )
}

/** The first row of each block. */
function blocksOf({ rows }: TaskGroup, isLong: boolean): readonly number[] {
  if (!isLong) return [0]
  return Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, block) => block * BLOCK_ROWS)
}

/** Some rows of a long list: all of them near the window, else a gap that is as high. */
function Block({ group, from, control, within, isLong }: GroupProps & { readonly from: number }) {
  const element = useRef<HTMLDivElement>(null)
  const isNear = useSignal(from === 0)
  const height = useRef<number | null>(null)
  const rows = isLong ? group.rows.slice(from, from + BLOCK_ROWS) : group.rows
  const isMovable = group.place !== undefined || control.groups().some(({ day }) => day !== undefined)
  const latest = useRef(rows)
  latest.current = rows
  const hasCurrent = useComputed(() => latest.current.some(({ key }) => key === control.current.value))
  useEffect(() => {
    if (!isLong || !element.current) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry && !entry.isIntersecting) height.current = entry.boundingClientRect.height
        isNear.value = entry?.isIntersecting ?? false
      },
      { rootMargin: '600px 0px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isLong])
  const isShown = !isLong || isNear.value || hasCurrent.value
  return (
    // biome-ignore lint/a11y/useSemanticElements: no table, since its rows may wrap
    <div
      ref={element}
      role="rowgroup"
      style={isShown ? undefined : { height: `${height.current ?? rows.length * ROW_PX}px` }}
    >
      {isShown &&
        rows.map((row, index) => (
          <TaskRow
            key={row.key}
            row={row}
            control={control}
            index={from + index + 1}
            movable={isMovable && row.later === undefined}
            known={group.day === undefined ? { project: within } : { project: within, day: group.day }}
          />
        ))}
    </div>
  )
}
