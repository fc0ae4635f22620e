import { afterAll, beforeAll, onTestFinished } from 'bun:test'
import { makeFolder } from './folder'
import { tracing } from './opened-files'
import { type Ended, EXECUTABLE, launch, type ProcessOptions, type Server, serving, WHERE } from './process'

export type { Ended, Server } from './process'

export type ServerOptions = Partial<ProcessOptions>

/**
 * Starts the server as its users do, as a process of its own, on any free port; with the test it ends, too. Rejects if
 * it ends before it serves.
 */
export function startServer(options: ServerOptions = {}): Promise<Server> {
  const folder = options.folder ?? makeFolder()
  return serving(folder, launchInTest({ ...options, folder }))
}

/** Starts one server for the tests of a file, which have a key each. Returns what gives it to them. */
export function shareServer(options: ServerOptions = {}): () => Server {
  let server: Server | undefined
  beforeAll(async () => {
    const folder = options.folder ?? makeFolder()
    server = await serving(folder, launch({ ...options, folder }))
  })
  afterAll(() => server?.stop('SIGKILL'))
  return () => server as Server
}

/** Starts a server that is expected to end by itself, and waits for that. */
export function failToStart(options: ServerOptions): Promise<Ended> {
  return launchInTest({ folder: makeFolder(), ...options }).ended
}

/** `trace`: the file that lists what it opens; see opened-files.ts. */
type Command = [
  folder: string,
  parameters: readonly string[],
  settings?: Readonly<Record<string, string>>,
  trace?: string,
]

/** Starts a command of the command line on a data folder. */
export function startCommand(...[folder, parameters, settings, trace]: Command) {
  const program = EXECUTABLE ? [EXECUTABLE] : [process.execPath, 'src/cli.ts']
  return Bun.spawn([...(trace === undefined ? [] : tracing(trace)), ...program, ...parameters], {
    cwd: WHERE,
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** Runs a command of the command line on a data folder, and waits for its end. */
export async function runCommand(...command: Command): Promise<Ended> {
  const child = startCommand(...command)
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, stdout, stderr }
}

function launchInTest(options: ProcessOptions) {
  const launched = launch(options)
  onTestFinished(async () => {
    launched.child.kill('SIGKILL')
    await launched.child.exited
  })
  return launched
}
