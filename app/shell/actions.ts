/** What the person can do now, by the palette and by keys. */
import { computed, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { latinKey } from './keyboard'

export interface Action {
  /** What it does, as a command: “Go to notes”. */
  readonly title: string
  /** Keys that do it: one such as `q`, or two in a row such as `g n`. */
  readonly keys?: string
  readonly run: () => void
}

/** Two keys in a row belong together within this time. */
const SEQUENCE_MS = 1200

const registered = signal<readonly (readonly Action[])[]>([])

/** All actions, those of the open screen first. */
export const actions = computed(() => registered.value.toReversed().flat())

/**
 * Adds actions to the palette and to the keys. Returns what takes them out again.
 * @param isGeneral they come after those of the screens, which have the keys first
 */
export function addActions(added: readonly Action[], isGeneral = false): () => void {
  registered.value = isGeneral ? [added, ...registered.peek()] : [...registered.peek(), added]
  return () => {
    registered.value = registered.peek().filter((list) => list !== added)
  }
}

/** Adds actions while a component is shown; `added` must change only when they do. */
export function useActions(added: readonly Action[], isGeneral = false): void {
  useLayoutEffect(() => addActions(added, isGeneral), [added])
}

/** Makes what handles keys for the whole page. Keys that are typed into a field, or with Ctrl, Alt or Meta, are left alone. */
export function createKeyHandler(list: () => readonly Action[], now: () => number) {
  let first = ''
  let firstAt = 0
  return (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return
    if (isTypedInto(event.target) || document.querySelector('dialog[open]')) return
    const key = latinKey(event)
    const sequence = now() - firstAt < SEQUENCE_MS && first !== '' ? `${first} ${key}` : key
    const action = list().find(({ keys }) => keys === sequence) ?? list().find(({ keys }) => keys === key)
    first = ''
    if (action) {
      event.preventDefault()
      action.run()
    } else if (list().some(({ keys }) => keys?.startsWith(`${key} `))) {
      first = key
      firstAt = now()
    }
  }
}

/** Whether the element takes letters: a field that is typed into, also one inside of a shadow root. */
function isTypedInto(target: EventTarget | null): boolean {
  const element = target instanceof Element ? (target.shadowRoot?.activeElement ?? target) : null
  if (element instanceof HTMLInputElement)
    return !/^(?:checkbox|radio|button|submit|range|file|color)$/.test(element.type)
  return (
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLElement && element.isContentEditable)
  )
}
