import type { Timer } from '../../src/lib/steps'

/** With it nobody's patience ends, however busy the machine is: no answer says where to ask for a result. */
export const endless: Timer = () => () => {}

/** Timers that run when the test says that time has passed. `waits` gives the milliseconds that each has left. */
export function makeTimers(): {
  timer: Timer
  pass: (ms: number) => void
  waiting: () => number
  waits: () => number[]
} {
  let now = 0
  const due = new Set<{ readonly at: number; readonly call: () => void }>()
  return {
    timer(ms, call) {
      const one = { at: now + ms, call }
      due.add(one)
      return () => due.delete(one)
    },
    pass(ms) {
      now += ms
      for (const one of [...due]) {
        if (one.at > now || !due.delete(one)) continue
        one.call()
      }
    },
    waiting: () => due.size,
    waits: () => [...due].map(({ at }) => at - now).sort((a, b) => a - b),
  }
}
