/** Calls `call` after `ms` milliseconds, unless the returned function is called first. */
export type Timer = (ms: number, call: () => void) => () => void

export const startTimer: Timer = (ms, call) => {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
