import { createKey } from '../../src/gate/keys'

/** A key in the right format; another for each seed. */
export function makeKey(seed: number): string {
  let state = seed
  return createKey((bytes) => {
    for (let i = 0; i < bytes.length; i++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      bytes[i] = state >>> 16
    }
    return bytes
  })
}

/** More than tests number their keys to. */
let strangers = 100_000

/** A caller with a workspace of its own. */
export const stranger = (): { readonly key: string } => ({ key: makeKey(++strangers) })

/** Waits for the next hour if this one ends within so many seconds, by the wall clock: servers count requests by the hour. */
export async function beWithinAnHour(seconds = 20): Promise<void> {
  const left = 3_600_000 - (Date.now() % 3_600_000)
  if (left < seconds * 1000) await Bun.sleep(left)
}

/** Settings for a world of so many callers and requests that its limits would be in the way. */
export const MANY_CALLERS = {
  API_LIMIT_PER_HOUR: '1000000',
  NETWORK_CEILING_PER_HOUR: '0',
  NEW_KEYS_PER_DAY: '0',
}
