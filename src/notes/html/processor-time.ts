import { readFileSync } from 'node:fs'

/** Linux counts the time of a thread in hundredths of a second (proc_pid_stat(5); USER_HZ is 100 wherever Bun runs). */
export const CLOCK_STEP_MS = 10

/**
 * Milliseconds of a processor that a thread of this process has used so far; infinite once it has ended. It can be asked
 * while the thread is busy and answers nothing. For Linux only.
 * @param thread its number in `/proc/self/task`
 */
export function processorMs(thread: string): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1')
  } catch {
    return Number.POSITIVE_INFINITY
  }
  // The name, in brackets, may hold anything; the 14th and 15th fields are the times in user mode and in the kernel.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_STEP_MS
}
