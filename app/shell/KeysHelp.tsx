import { signal } from '@preact/signals'
import { say } from '../words/say'
import { actions } from './actions'
import { Dialog } from './Dialog'

const isOpen = signal(false)
export const openHelp = () => {
  isOpen.value = true
}

/** Keys that belong to no action of the page; but for Ctrl K, they are those of the editor of notes. */
const FIXED = {
  'Ctrl K': say`Find a note, or do anything`,
  'Ctrl B': say`Strong text`,
  'Ctrl I': say`Emphasized text`,
  'Ctrl Shift K': say`Link in a text`,
  'Ctrl Shift V': say`Paste as plain text`,
  Tab: say`Indent in a list (Shift Tab: outdent)`,
}

/** The keys that do something here, with what they do. */
export function KeysHelp() {
  if (!isOpen.value) return null
  const doing = actions.value.flatMap(({ title, keys }) => (keys === undefined ? [] : [[keys, title] as const]))
  return (
    <Dialog label={say`Keys{# of the keyboard}`} onClose={() => (isOpen.value = false)}>
      <h2 tabIndex={-1} ref={takeFocus}>
        {say`Keys{# of the keyboard}`}
      </h2>
      <dl class="keys-help">
        {[...Object.entries(FIXED), ...doing].map(([keys, title]) => (
          <div key={title}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{say`Close`}</button>
      </form>
    </Dialog>
  )
}

/** Otherwise the button at the end would have the focus, and the dialog would open scrolled down to it. */
function takeFocus(heading: HTMLElement | null): void {
  if (heading) heading.autofocus = true
}
