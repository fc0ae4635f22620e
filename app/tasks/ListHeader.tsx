import type { ComponentChildren } from 'preact'
import { openQuickAdd } from '../quick-add/QuickAdd'
import { say } from '../words/say'
import { shortLength } from './reminder-words'
import type { Row } from './tree'

interface Props {
  readonly title: string
  /** What quick add begins with, such as `@errands `; null: nothing can be added here. */
  readonly adds?: string | null
  readonly children?: ComponentChildren
}

/** The title of a list with its actions, and the way to add a task to it. */
export function ListHeader({ title, adds = '', children }: Props) {
  return (
    <>
      <header class="screen-header">
        <h1 tabIndex={-1} dir="auto">
          {title}
        </h1>
        {children && <div class="row">{children}</div>}
      </header>
      {adds !== null && (
        <button type="button" class="add-line" onClick={() => openQuickAdd(adds)}>
          {say`Add a task`} <kbd>q</kbd>
        </button>
      )}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly id?: string
  /** Of a day: what it is called otherwise, and what is to be done on it. */
  readonly more?: string
  readonly rows?: readonly Row[]
  readonly children?: ComponentChildren
}

/** The title of a part of a list, with what is quietly said beside it. */
export function SectionTitle({ title, id, more = '', rows = [], children }: SectionProps) {
  return (
    <div class="section-header">
      <h2 id={id} dir="auto">
        {title}
      </h2>
      <span class="quiet fine">
        {[more === title ? '' : more, loadInWords(rows)].filter((part) => part !== '').join(' · ')}
      </span>
      {children}
    </div>
  )
}

/** How many tasks a day has, and how long those take that have a duration: “3 tasks · 1h 30m”. */
function loadInWords(rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const minutes = rows.reduce((sum, { task }) => sum + (task.duration_minutes ?? 0), 0)
  return say`${rows.length} {task|tasks}` + (minutes > 0 ? ` · ${shortLength(minutes)}` : '')
}
