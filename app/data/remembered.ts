/** Short texts that this browser remembers, for every tab unless their name has that of one. */

/** Those that the browser did not take. */
const inMemory = new Map<string, string>()

/** What was remembered under a name; empty: nothing. */
export function recall(name: string): string {
  try {
    return inMemory.get(name) ?? localStorage.getItem(name) ?? ''
  } catch {
    return '' // Storage is blocked.
  }
}

export function remember(name: string, value: string): void {
  inMemory.delete(name)
  try {
    if (value === '') localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    inMemory.set(name, value) // Storage is blocked or full.
  }
}

/** How the names of what is remembered go on that begin so. */
export function listRemembered(start: string): string[] {
  try {
    return Object.keys(localStorage).flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []))
  } catch {
    return [] // Storage is blocked.
  }
}
