/** Keeps the page open where files are dropped on a part of it that takes none: otherwise the browser would open them. */

import { say } from '../words/say'
import { notify } from './notice'
import { addressOf, go } from './route'

/** Refuses files that nothing below the window has taken, and says where they can be dropped. */
export function refuseStrayFiles(): void {
  const isStray = (event: DragEvent) => !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true
  // Without it the browser takes the drop itself, and there is none to tell of.
  window.addEventListener('dragover', (event) => isStray(event) && event.preventDefault())
  window.addEventListener('drop', (event) => {
    if (!isStray(event)) return
    event.preventDefault()
    notify(say`Drop files on Settings → Import, or into a note.`, {
      label: say`Go to Import`,
      run: () => go(addressOf('settings', ['import'])),
    })
  })
}
