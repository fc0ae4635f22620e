/** What is typed and not yet added: each tab has its own, and takes over that of a tab that was closed. */
import { type ReadonlySignal, signal } from '@preact/signals'
import { listRemembered, recall, remember } from './remembered'
import { announceWrites, tab, watchTabs } from './tabs'

interface Draft {
  readonly text: ReadonlySignal<string>
  change(text: string): void
}

const drafts = new Map<string, Draft>()

/**
 * Returns the draft of this tab. What a closed tab has left is taken over when that is closed or this one is loaded, unless
 * something is typed here by then.
 * @param name what the browser remembers it by, before the name of the tab
 */
export function draftOf(name: string): Draft {
  const known = drafts.get(name)
  if (known) return known
  const text = signal('')

  function change(next: string): void {
    // Other tabs wait from now on until this one is closed.
    if (text.peek() === '') announceWrites()
    text.value = next
    remember(name + tab, next)
  }

  function takeOver(other: string): void {
    if (text.peek() !== '') return
    change(recall(name + other))
    remember(name + other, '')
  }

  const draft = { text, change }
  drafts.set(name, draft)
  watchTabs(listRemembered(name), takeOver, new AbortController().signal)
  return draft
}

/** The draft of a value that is no text, until it is `empty` again. @param name see draftOf */
export function valueDraftOf<Value>(name: string, empty: Value) {
  const { text, change } = draftOf(name)
  const none = JSON.stringify(empty)
  return {
    read: (): Value => (text.value === '' ? empty : JSON.parse(text.value)),
    change(value: Value): void {
      const next = JSON.stringify(value)
      change(next === none ? '' : next)
    },
  }
}
