import { signal } from '@preact/signals'
import { actions } from './actions'
import { Dialog } from './Dialog'

const isOpen = signal(false)
export const openHelp = () => {
  isOpen.value = true
}

/** Keys that belong to no action of the page. */
const FIXED = { 'Ctrl K': 'Find a note, or do anything' }
/** Those of the editor of notes. */
const IN_TEXT = {
  'Ctrl B': 'Strong',
  'Ctrl I': 'Emphasis',
  'Ctrl Shift K': 'Link',
  'Ctrl Shift V': 'Paste as plain text',
  Tab: 'Indent in a list; Shift Tab: outdent',
  'Esc Tab': 'Leave the text',
}

/** The keys that do something here, with what they do. */
export function KeysHelp() {
  if (!isOpen.value) return null
  const doing = actions.value.flatMap(({ title, keys }) => (keys === undefined ? [] : [[keys, title] as const]))
  return (
    <Dialog label="Keys" onClose={() => (isOpen.value = false)}>
      <h2 tabIndex={-1} ref={takeFocus}>
        Keys
      </h2>
      <KeyList keys={[...Object.entries(FIXED), ...doing]} />
      <h3>In the text of a note</h3>
      <KeyList keys={Object.entries(IN_TEXT)} />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  )
}

/** Otherwise the button at the end would have the focus, and the dialog would open scrolled down to it. */
function takeFocus(heading: HTMLElement | null): void {
  if (heading) heading.autofocus = true
}

function KeyList({ keys }: { keys: readonly (readonly [keys: string, title: string])[] }) {
  return (
    <dl class="keys-help">
      {keys.map(([keys, title]) => (
        <div key={title}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{title}</dd>
        </div>
      ))}
    </dl>
  )
}
