import { readFileSync } from 'node:fs'

/** Which files a process opens, as strace writes it down (Debian's package `strace`). */

/** Longer than strace takes for its last lines, in milliseconds. */
const LAST_LINES_MS = 10_000

/** Goes before a command, which keeps its id: `file` then lists what the process and its threads open. */
export const tracing = (file: string): readonly string[] =>
  'strace -D -f -q --seccomp-bpf -e trace=/^(open(at2?)?|creat)$ -o'.split(' ').concat(file)

/** The paths that a process has opened for writing, or has tried to; waits until strace has seen its end. */
export async function openedForWriting(file: string): Promise<string[]> {
  const end = performance.now() + LAST_LINES_MS
  for (;;) {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    if (/\+\+\+ (?:exited|killed)/.test(lines.at(-1) ?? '')) return [...new Set(lines.flatMap(pathOf))].sort()
    if (performance.now() > end) throw new Error(`${file} does not end with the end of the process`)
    await Bun.sleep(5)
  }
}

function pathOf(line: string): string[] {
  const [, call, path = ''] = /^\d+ +(\w+)\([^"]*"([^"]*)"/.exec(line) ?? []
  return call === 'creat' || (call && /O_(?:WRONLY|RDWR|CREAT)/.test(line)) ? [path] : []
}
