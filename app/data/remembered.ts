/** Short texts that this browser remembers for every tab, such as one that was typed and not yet added. */

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
