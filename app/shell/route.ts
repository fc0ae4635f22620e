/** The address behind the `#`: which screen is open, and what of it. */
import { computed, signal } from '@preact/signals'

export const SCREENS = ['today', 'notes', 'tasks', 'study', 'chat', 'settings'] as const
export type ScreenName = (typeof SCREENS)[number]

export interface Route {
  readonly screen: ScreenName
  /** The parts of the path behind the screen, decoded: `#/notes/ID` has one. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

/** The open screen; an unknown address is that of today. */
export const route = computed(() => readRoute(hash.value))

/** Reads `#/notes/ID?tag=garden`. */
export function readRoute(address: string): Route {
  const [path = '', query = ''] = address.replace(/^#\/?/, '').split('?', 2)
  const [name, ...parts] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
  const screen = SCREENS.find((screen) => screen === name)
  return { screen: screen ?? 'today', parts: screen ? parts : [], query: new URLSearchParams(query) }
}

/** The address of a screen, or of something on it, for a link. */
export function addressOf(screen: ScreenName, parts: readonly string[] = [], query?: Record<string, string>): string {
  const path = `#/${[screen, ...parts.map(encodeURIComponent)].join('/')}`
  const search = query ? `${new URLSearchParams(query)}` : ''
  return search === '' ? path : `${path}?${search}`
}

/** Where a note or a task is opened; null for other types. */
export function addressOfItem(type: string, id: string): string | null {
  if (type === 'note') return addressOf('notes', [id])
  return type === 'task' ? addressOf('tasks', ['task', id]) : null
}

/** Opens an address; `replace`: without a step in the browser's history, unless a link was just followed. */
export function go(address: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = address
    // Not with the event, which comes later: a key in between is meant for what opens.
    hash.value = location.hash
  }
  // A busy browser tells the page late of a link that was followed.
  else if (location.hash === hash.peek()) {
    history.replaceState(null, '', address)
    hash.value = location.hash
  }
}

/** Text that is no valid percent-encoding stays as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What Tasks opens of a workspace at first: what is due, and what has no date. */
export const FIRST_TASKS = addressOf('tasks', ['today'])

/** The address of the list of tasks that was open last. */
export const lastTasks = signal(FIRST_TASKS)
