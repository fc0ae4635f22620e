import { onTestFinished } from 'bun:test'
import { join } from 'node:path'
import { makeFolder } from './folder'

const ROOT = join(import.meta.dir, '../..')
/** The executable to be tested in place of the source, if one is named: `bun run build` made it. */
const EXECUTABLE = process.env.SATCHEL_EXECUTABLE

export interface ServerOptions {
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
  /** No file that it writes may grow beyond so many KiB. */
  readonly fileKiB?: number
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

/**
 * Starts the server as its users do, as a process of its own, on any free port; with the test it ends, too. Rejects if
 * it ends before it serves.
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { folder = makeFolder() } = options
  const { child, ready, ended } = launch({ ...options, folder })
  const url = await Promise.race([ready, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  const stop: Server['stop'] = (signal) => {
    child.kill(signal)
    return ended
  }
  return { url: url.slice(0, -1), folder, pid: child.pid, stop, ended }
}

/** Starts a server that is expected to end by itself, and waits for that. */
export function failToStart(options: ServerOptions): Promise<Ended> {
  return launch(options).ended
}

/** Runs a command of the command line on a data folder, and waits for its end. */
export async function runCommand(
  folder: string,
  parameters: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = Bun.spawn([...(EXECUTABLE ? [EXECUTABLE] : [process.execPath, 'src/cli.ts']), ...parameters], {
    cwd: EXECUTABLE ? makeFolder() : ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, stdout, stderr }
}

function launch({ folder = makeFolder(), settings = {}, fileKiB }: ServerOptions) {
  const command = EXECUTABLE ? [EXECUTABLE, 'serve'] : [process.execPath, 'src/main.ts']
  // The signal would end the process at the limit; a full disk sends none. Soft limits can be raised again.
  const shell = ['bash', '-c', `trap '' XFSZ; ulimit -S -f ${fileKiB}; exec "$@"`, 'bash']
  const child = Bun.spawn(fileKiB === undefined ? command : [...shell, ...command], {
    // The executable needs nothing of what lies around it.
    cwd: EXECUTABLE ? makeFolder() : ROOT,
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: folder, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await child.exited
  })
  const { promise: ready, resolve } = Promise.withResolvers<string>()
  const ended = Promise.all([child.exited, readLines(child.stdout, resolve), new Response(child.stderr).text()]).then(
    ([code, stdout, stderr]): Ended => ({ code, stdout, stderr }),
  )
  return { child, ready, ended }
}

/** Reads all of it; the first line of the log that has a `url` is told at once. */
async function readLines(stdout: ReadableStream<Uint8Array>, tell: (url: string) => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const url = /"url":"([^"]+)".*\n/.exec(text)?.[1]
    if (url) tell(url)
  }
  return text
}
