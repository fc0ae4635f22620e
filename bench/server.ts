/** Starts servers for the benchmarks, each in a process of its own, and stops them again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KEY, NOTE } from './requests'

export interface Server {
  readonly port: number
  readonly folder: string
  stop(): Promise<void>
}

/** Settings that take the limits out of the way: the counting stays, the refusing does not come. */
const UNLIMITED = { API_LIMIT_PER_HOUR: '1000000000', FREE_LIMIT_PER_HOUR: '1000000000', NETWORK_CEILING_PER_HOUR: '0' }

/** Satchel on an empty folder, as `bun run start` starts it. */
export function startSatchel(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  return start('../src/main.ts', [], {
    ...UNLIMITED,
    WORKSPACE_RESOURCES: '10000000',
    WORKSPACE_BYTES: '1000000000000',
    ...settings,
  })
}

/** A peer: a script beside this file that prints one line of JSON with its `url` when it is ready. */
export function startPeer(script: string, ...options: string[]): Promise<Server> {
  return start(script, options, {})
}

/** The server, with so many notes in the workspace of KEY. */
export async function withNotes(starting: Promise<Server>, count: number): Promise<Server> {
  const server = await starting
  for (let i = 0; i < count; i++) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/notes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': KEY },
      body: JSON.stringify(NOTE),
    })
    if (answer.status !== 201) throw new Error(`POST /api/notes answered ${answer.status}`)
  }
  return server
}

async function start(
  script: string,
  options: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-bench-'))
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...options], {
    env: { ...process.env, PORT: '0', DATA_DIR: folder, ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const port = await portOf(child.stdout)
  return {
    port,
    folder,
    async stop() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function portOf(stdout: ReadableStream<Uint8Array>): Promise<number> {
  let text = ''
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk)
    const url = /"url":"([^"]+)"/.exec(text)
    if (url?.[1]) return Number(new URL(url[1]).port)
  }
  throw new Error(`the server did not start: ${text}`)
}
