/** What is typed and not yet added: each tab has its own, and takes over that of a tab that was closed. */
import { signal } from '@preact/signals'
import { listRemembered, recall, remember } from './remembered'
import { announceWrites, tab, watchTabs } from './tabs'

/**
 * Makes the draft of this tab. What a closed tab has left is taken over when that is closed or this one is loaded, unless
 * something is typed here by then.
 * @param name what the browser remembers it by, before the name of the tab
 */
export function createDraft(name: string) {
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

  watchTabs(listRemembered(name), takeOver, new AbortController().signal)
  return { text, change }
}
