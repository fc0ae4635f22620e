/** Watches for how long at a time the event loop is busy, in milliseconds of the processor's time. */
export function watch() {
  let last = busy()
  const stretches: number[] = []
  const look = () => {
    const now = busy()
    stretches.push(now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  /** Ends it. The longest stretch is the first. */
  const end = () => {
    clearInterval(timer)
    look()
    return stretches.sort((a, b) => b - a)
  }
  return { end, longest: () => end()[0] ?? 0 }
}

/** Milliseconds of the processor's time that this thread has used. */
function busy(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
