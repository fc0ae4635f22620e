import { setImmediate } from 'node:timers/promises'
import { scanAhead } from './markdown/scan'
import { withoutMark } from './note'

/** UTF-16 units from which a text is long: each thing that is done with it takes milliseconds. */
const LONG = 64 * 1024

export function isLong(text: string): boolean {
  return text.length > LONG
}

/** Before and after what takes long with a long text: other requests have their turn. */
export async function turnIfLong(text: string): Promise<void> {
  if (isLong(text)) await setImmediate()
}

/** Reads a long body in turns, before anything that needs its structure, and best before the transaction. */
export async function readAhead(body: string | undefined): Promise<void> {
  if (body !== undefined && isLong(body)) await scanAhead(withoutMark(body))
}
