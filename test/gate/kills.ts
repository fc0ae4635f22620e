/** Kills a server under load and compares what it stored with what it answered. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { counted, KEY } from './world'

const CONNECTIONS = 16

/** Starts the child on `folder`; the answer is its process and port. */
async function start(folder: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'kill-child.ts'), folder], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  return { child, port: Number(new TextDecoder().decode(value)) }
}

/** Asks over `CONNECTIONS` at once until the server is gone; the answer is how many answers with 200 came. */
async function load(port: number, stop: () => void, after: number): Promise<number> {
  let answered = 0
  const ask = async (): Promise<void> => {
    for (;;) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/api/ok`, { headers: { 'X-API-Key': KEY } })
        if (response.status !== 200) return
        if (++answered === after) stop()
      } catch {
        // The server is gone: that is what this waits for.
        return
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  return answered
}

/** Kills a server `rounds` times with `signal`; no answered request is forgotten beyond those in flight. */
export async function expectSurvival(folder: string, rounds: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  let stored = 0
  for (let round = 0; round < rounds; round++) {
    const { child, port } = await start(folder)
    const answered = await load(port, () => child.kill(signal), 20 + ((round * 37) % 200))
    await child.exited
    const sql = "SELECT coalesce(sum(used), 0) FROM request_counts WHERE tier = 'api'"
    const now = Number(counted(folder, sql)[0]?.[0])
    expect(answered).toBeGreaterThan(0)
    expect(now - stored).toBeGreaterThanOrEqual(answered - (signal === 'SIGKILL' ? CONNECTIONS : 0))
    expect(now - stored).toBeLessThanOrEqual(answered + CONNECTIONS)
    expect(counted(folder, 'PRAGMA integrity_check')).toEqual([['ok']])
    stored = now
  }
}
