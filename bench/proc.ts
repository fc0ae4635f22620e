/** What Linux tells of a process in /proc (proc(5)). */
import { readFileSync } from 'node:fs'

/** Linux counts a process's time in hundredths of a second on every machine that Bun runs on (USER_HZ). */
const TICKS_PER_SECOND = 100

/** Seconds that the process has had of the processor, its threads and the kernel on its behalf included. */
export function processorSeconds(pid: number): number {
  // The second field is the name of the program in brackets, and may hold blanks; utime and stime are 14 and 15.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** MiB of the process that are in memory. */
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}
