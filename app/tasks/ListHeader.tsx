import type { ComponentChildren } from 'preact'
import { openQuickAdd } from '../quick-add/QuickAdd'

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
          Add a task <kbd>q</kbd>
        </button>
      )}
    </>
  )
}

/** The title of a part of a list, with more that is quietly said beside it. */
export function SectionTitle({
  title,
  more = '',
  children,
}: {
  title: string
  more?: string
  children?: ComponentChildren
}) {
  return (
    <div class="section-header">
      <h2 dir="auto">{title}</h2>
      {more !== '' && more !== title && <span class="quiet fine">{more}</span>}
      {children}
    </div>
  )
}
