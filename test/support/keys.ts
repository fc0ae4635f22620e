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

/** Settings for a world of so many callers and requests that its limits would be in the way. */
export const MANY_CALLERS = {
  API_LIMIT_PER_HOUR: '1000000',
  NETWORK_CEILING_PER_HOUR: '0',
  NEW_KEYS_PER_DAY: '0',
}
