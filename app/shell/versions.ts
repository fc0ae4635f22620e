/** The service worker, by which the app opens without network, and what it says of new versions. */
import { signal } from '@preact/signals'

/** Whether the server has another version of the app than this page is of, and the browser has all of it. */
export const hasNewVersion = signal(false)

/** Browsers have service workers under https and on localhost only, and some windows without storage have none. */
const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker

let registration: ServiceWorkerRegistration | undefined
let isAsked = false

/** Keeps the app in this browser, from the first call on. To be called once there is something to see. */
export async function keepApp(): Promise<void> {
  if (!workers || isAsked) return
  isAsked = true
  try {
    registration = await workers.register('service-worker.js')
  } catch {
    return // The browser stores nothing, or the server is away: the app works as it does without.
  }
  follow(registration)
}

function follow(kept: ServiceWorkerRegistration): void {
  const look = () => {
    if (kept.waiting && kept.active) hasNewVersion.value = true
  }
  const onFound = () => kept.installing?.addEventListener('statechange', look)
  kept.addEventListener('updatefound', onFound)
  onFound()
  look()
  // The first worker takes over a page of its own version; after that, another tab has chosen the new one.
  let isKept = workers?.controller != null
  workers?.addEventListener('controllerchange', () => {
    if (isKept) hasNewVersion.value = true
    isKept = true
  })
  // Browsers ask for a new version when a page is opened; this one may stay open for weeks.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') kept.update().catch(() => {}) // Without network there is none.
  })
}

/** Opens the new version in this tab. Others go on with theirs until they are loaded again. */
export function openNewVersion(): void {
  const waiting = registration?.waiting
  if (waiting) {
    workers?.addEventListener('controllerchange', () => location.reload(), { once: true })
    waiting.postMessage('open')
  } else location.reload()
}
