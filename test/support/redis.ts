import { freePort } from '../../bench/server'
import { makeFolder } from './folder'

/** The programs that speak the protocol of Redis, the first that is installed is tried. */
const PROGRAMS = ['valkey-server', 'redis-server']

/** A Redis of its own for the tests of a file: it keeps nothing on disk. */
export interface TestRedis {
  /** The address of one of its 1000 databases. */
  url(database?: number): string
  /** Starts it again on the same port, empty, after `stop`. */
  start(): Promise<void>
  /** Ends it at once, and waits for that. */
  stop(): Promise<void>
  /** Lets it hang: its connections stay open, and nothing is answered. */
  pause(): void
  resume(): void
}

/** Starts Redis or Valkey on a free port, in a file's `beforeAll`; `afterAll` must stop it. */
export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const program = PROGRAMS.find((name) => Bun.which(name))
  if (!program) throw new Error(`One of ${PROGRAMS.join(' and ')} must be installed.`)
  const port = freePort()
  const folder = makeFolder()
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  const launch = async () => {
    const child = Bun.spawn([program, ...fixed, '--databases', '1000', ...settings], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    await ready(child.stdout)
    return child
  }
  let child = await launch()
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await child.exited
  }
  return {
    url: (database = 0) => `redis://127.0.0.1:${port}/${database}`,
    start: async () => {
      child = await launch()
    },
    stop,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  }
}

/** Waits for the line that says that it accepts connections, then lets the rest run by. */
async function ready(stdout: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder()
  const reader = stdout.getReader()
  for (let text = ''; !text.includes('Ready to accept connections'); ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`It ended at once: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  stdout.pipeTo(new WritableStream()).catch(() => {})
}
