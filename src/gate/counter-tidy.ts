/** The housekeeping of meter.db: what is old becomes sums, and idle keys are forgotten. */
import type { CounterStore } from './counter-store'
import { KEY_IDLE_DAYS } from './tiers'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Rolls up what is 48 hours older than `hour`, then forgets keys unused for 90 days by then, a batch in each turn of
 * the event loop, so that callers are answered meanwhile. A forgotten key whose workspace holds something stays known:
 * the gate asks the workspace.
 * @throws whatever `ask` throws
 */
export async function tidy(ask: <T>(work: (store: CounterStore) => T) => T, hour: number): Promise<void> {
  await turn()
  while (!ask((store) => store.rollUp(hour))) await turn()
  const day = Math.floor(hour / 24) - KEY_IDLE_DAYS
  let last: Uint8Array | null = new Uint8Array()
  while (last) {
    await turn()
    const after: Uint8Array = last
    last = ask((store) => store.forgetKeys(day, after))
  }
}
