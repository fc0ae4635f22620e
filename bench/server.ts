/** Starts servers for the benchmarks, each in a process of its own, and stops them again. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KEY } from './requests'

export interface Server {
  readonly port: number
  readonly pid: number
  /** Where its data is. */
  readonly folder: string
  /** What it runs on, where that depends on the machine. */
  readonly about?: string
  stop(): Promise<void>
}

/** How a server starts: its program with arguments, its settings, and the data folder that it gets a copy of. */
export interface Start {
  readonly command: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
  readonly data?: string
  readonly about?: string
}

/** Settings that take the limits out of the way: the counting stays, the refusing does not come. */
const UNLIMITED = {
  API_LIMIT_PER_HOUR: '1000000000',
  FREE_LIMIT_PER_HOUR: '1000000000',
  NETWORK_CEILING_PER_HOUR: '0',
  WORKSPACE_RESOURCES: '10000000',
  WORKSPACE_BYTES: '1000000000000',
}

export const makeFolder = () => mkdtempSync(join(tmpdir(), 'satchel-bench-'))
export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

/** A port that nobody listens on just now. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  listener.stop()
  return listener.port
}

/** How `bun run start` starts Satchel, without the limits. */
export const SATCHEL: Start = {
  command: [process.execPath, join(import.meta.dir, '../src/main.ts')],
  settings: UNLIMITED,
}

/** Satchel on an empty folder. */
export const startSatchel = () => start(SATCHEL)

/** A peer: a script beside this file that prints one line of JSON with its `url` when it is ready. */
export function startPeer(script: string, ...options: string[]): Promise<Server> {
  return start({ command: [process.execPath, join(import.meta.dir, script), ...options] })
}

/** The server, with these notes in the workspace of KEY. */
export async function withNotes(starting: Promise<Server>, notes: readonly object[]): Promise<Server> {
  const server = await starting
  for (const note of notes) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/notes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': KEY },
      body: JSON.stringify(note),
    })
    if (answer.status !== 201) throw new Error(`POST /api/notes answered ${answer.status}`)
  }
  return server
}

/** Starts it on a folder of its own, or on a copy of `data`. */
export async function start({ command, settings = {}, data, about }: Start): Promise<Server> {
  const folder = makeFolder()
  if (data) cpSync(data, folder, { recursive: true })
  const child = Bun.spawn([...command], {
    env: { ...process.env, PORT: '0', DATA_DIR: folder, ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const port = await portOf(child.stdout)
  return {
    port,
    pid: child.pid,
    folder,
    ...(about ? { about } : {}),
    async stop() {
      child.kill()
      await child.exited
      removeFolder(folder)
    },
  }
}

interface Report {
  readonly state?: string
  readonly totals?: { readonly created: number }
}

/** The report of an import, or of other work, once it is done: what takes more than 20 s is answered before that, with 202. */
export async function reportOf({ port }: Server, key: string, answer: Response): Promise<Report> {
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
  let report = (await answer.json()) as Report
  const location = answer.headers.get('location')
  while (answer.status === 202 && report.state !== 'done') {
    if (report.state === 'failed' || report.state === 'cancelled')
      throw new Error(`the work ended: ${JSON.stringify(report)}`)
    await Bun.sleep(200)
    const asked = await fetch(`http://127.0.0.1:${port}${location}?limit=1`, { headers: { 'X-API-Key': key } })
    if (!asked.ok) throw new Error(`${location} answered ${asked.status}`)
    report = (await asked.json()) as Report
  }
  return report
}

/** Reads until the server says where it listens. The rest is read too, and dropped: a full pipe would hold it up. */
async function portOf(stdout: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stdout.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += decoder.decode(read.value, { stream: true })
    const url = /"url":"([^"]+)"/.exec(text)?.[1]
    if (!url) continue
    reader.releaseLock()
    stdout.pipeTo(new WritableStream())
    return Number(new URL(url).port)
  }
  throw new Error(`the server did not start: ${text}`)
}
