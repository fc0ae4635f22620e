/** The tasks whose parts are folded away in lists, while the page is open. */
import { signal } from '@preact/signals'

export const folds = signal<ReadonlySet<string>>(new Set())

export function toggleFold(taskId: string): void {
  const next = new Set(folds.peek())
  if (!next.delete(taskId)) next.add(taskId)
  folds.value = next
}
