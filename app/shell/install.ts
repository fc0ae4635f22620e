/** The app as one of the programs of the device, where the browser offers that, and storage that the browser does not clear. */
import { effect, signal } from '@preact/signals'
import { workspace } from '../data/workspace'

/** What Chromium sends to a page that it can install. */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

/** Installs the app, once the person has agreed to what the browser asks; null: it does not offer that now. */
export const install = signal<(() => void) | null>(null)

/** Takes the offer to install the app, which the browser makes once for a page, and asks it to keep what is stored when that matters. */
export function prepareInstall(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    install.value = () => {
      install.value = null // An offer holds once.
      void (event as InstallOffer).prompt()
    }
  })
  window.addEventListener('appinstalled', () => {
    install.value = null
    void keepStored()
  })
  // Some browsers ask the person, who sees by now what it is for.
  const end = effect(() => {
    const state = workspace.value?.outbox.state.value
    if (state?.is !== 'waiting' || state.why !== 'offline') return
    queueMicrotask(() => end())
    void keepStored()
  })
}

/** Asks the browser not to clear what is stored when the disk gets full. It may refuse, and then goes on as before. */
export async function keepStored(): Promise<void> {
  await navigator.storage?.persist?.().catch(() => false)
}
