/** Watches for how long at a time the event loop is busy, in milliseconds of the processor's time. */
export function watch() {
  let last = busy()
  let longest = 0
  const look = () => {
    const now = busy()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  return {
    longest() {
      clearInterval(timer)
      look()
      return longest
    },
  }
}

/** Milliseconds of the processor's time that this thread has used. */
function busy(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
