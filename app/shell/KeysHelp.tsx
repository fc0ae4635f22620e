import { signal } from '@preact/signals'
import { actions } from './actions'
import { Dialog } from './Dialog'

const isOpen = signal(false)
export const openHelp = () => {
  isOpen.value = true
}

/** The keys that do something here, with what they do. */
export function KeysHelp() {
  if (!isOpen.value) return null
  return (
    <Dialog label="Keys" onClose={() => (isOpen.value = false)}>
      <h2>Keys</h2>
      <dl class="keys-help">
        <div>
          <dt>
            <kbd>Ctrl K</kbd>
          </dt>
          <dd>Find a note, or do anything</dd>
        </div>
        {actions.value
          .filter(({ keys }) => keys !== undefined)
          .map(({ title, keys }) => (
            <div key={title}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  )
}
