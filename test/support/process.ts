import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bench/server'
import { tracing } from './opened-files'

/** The server as its users start it, as a process of its own; for tests see server.ts, which ends it with the test. */

const ROOT = join(import.meta.dir, '../..')
/** The executable to be tested in place of the source, if one is named: `bun run build` made it. */
export const EXECUTABLE = process.env.SATCHEL_EXECUTABLE

export interface ProcessOptions {
  readonly folder: string
  readonly settings?: Readonly<Record<string, string>>
  /** No file that it writes may grow beyond so many KiB. */
  readonly fileKiB?: number
  /** The open file that its standard output goes to; by default we read it. */
  readonly stdout?: number
  /** Likewise for standard error. */
  readonly stderr?: number
  /** Lists what it opens in this file; see opened-files.ts. */
  readonly trace?: string
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Server {
  readonly url: string
  readonly folder: string
  readonly pid: number
  /** Sends the signal and waits for the end. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<Ended>
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<Ended>
}

/** Where a command is run: the executable needs nothing of what lies around it. */
export const WHERE = EXECUTABLE ? tmpdir() : ROOT

/** What starts the server, run in WHERE. */
export const command: readonly string[] = EXECUTABLE ? [EXECUTABLE, 'serve'] : [process.execPath, 'src/main.ts']

/** Starts it on any free port. */
export function launch({ folder, settings = {}, fileKiB, stdout, stderr, trace }: ProcessOptions) {
  // Where we cannot read which port it got, we choose.
  const port = stdout === undefined ? 0 : freePort()
  // The signal would end the process at the limit; a full disk sends none. Soft limits can be raised again.
  const shell = ['bash', '-c', `trap '' XFSZ; ulimit -S -f ${fileKiB}; exec "$@"`, 'bash']
  const before = [...(trace === undefined ? [] : tracing(trace)), ...(fileKiB === undefined ? [] : shell)]
  const child = Bun.spawn([...before, ...command], {
    cwd: WHERE,
    env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder, ...settings },
    stdout: stdout ?? 'pipe',
    stderr: stderr ?? 'pipe',
  })
  const { promise: ready, resolve } = Promise.withResolvers<string>()
  if (stdout !== undefined) untilServing(`http://127.0.0.1:${port}/`, child).then(resolve)
  const ended = Promise.all([
    child.exited,
    child.stdout instanceof ReadableStream ? readLines(child.stdout, resolve) : '',
    child.stderr instanceof ReadableStream ? new Response(child.stderr).text() : '',
  ]).then(([code, out, err]): Ended => ({ code, stdout: out, stderr: err }))
  return { child, ready, ended }
}

/** Asks until it answers. It never resolves if it ends before. */
async function untilServing(url: string, child: Bun.Subprocess): Promise<string> {
  const asked = () =>
    fetch(`${url}healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await asked())) if (child.exitCode !== null || child.signalCode !== null) return new Promise(() => {})
  return url
}

/** The server, once it serves. Rejects if it ends before. */
export async function serving(folder: string, { child, ready, ended }: ReturnType<typeof launch>): Promise<Server> {
  const url = await Promise.race([ready, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  const stop: Server['stop'] = (signal) => {
    child.kill(signal)
    return ended
  }
  return { url: url.slice(0, -1), folder, pid: child.pid, stop, ended }
}

/** Reads all of it; the first line of the log that has a `url` is told at once. */
async function readLines(stdout: ReadableStream<Uint8Array>, tell: (url: string) => void): Promise<string> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  let begin: string | null = ''
  for await (const chunk of stdout) {
    const text = decoder.decode(chunk, { stream: true })
    texts.push(text)
    if (begin === null) continue
    begin += text
    const url = /"url":"([^"]+)".*\n/.exec(begin)?.[1]
    if (!url) continue
    tell(url)
    begin = null
  }
  return texts.join('')
}

/** How many lines of the log a server says that it has dropped. */
export async function droppedLines(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^satchel_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1])
}
