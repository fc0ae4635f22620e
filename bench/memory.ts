/** How much memory Satchel holds. */
import { join } from 'node:path'
import { median, type Row, spread } from './figures'
import { residentMiB } from './proc'
import { KEY, NOTE } from './requests'
import { makeFolder, removeFolder, type Server, startPeer, startSatchel } from './server'

const REQUESTS = 500
const IDLE_SECONDS = 60
const PATHS = ['/api/notes', '/api/usage', '/api/notes/search?q=lisbon', '/api/tasks']

/** Sends requests of several kinds, one after the other. */
async function use({ port }: Server): Promise<void> {
  const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' }
  for (let sent = 0; sent < REQUESTS; sent++) {
    const path = PATHS[sent % (PATHS.length + 1)]
    const write = { method: 'POST', body: JSON.stringify(NOTE) }
    const url = `http://127.0.0.1:${port}${path ?? '/api/notes'}`
    const answer = await fetch(url, { headers, ...(path ? {} : write) })
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
    await answer.arrayBuffer()
  }
}

const idleRow: Row = {
  name: `Resident memory ${IDLE_SECONDS} s after ${REQUESTS} requests`,
  target: '< 80 MiB',
  async measure({ quick, rounds }) {
    const [mine, bare]: [number[], number[]] = [[], []]
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      const servers = await Promise.all([startSatchel(), startPeer('bare.ts', '{}')])
      try {
        for (const server of servers) await use(server)
        await Bun.sleep(quick ? 100 : IDLE_SECONDS * 1000)
        mine.push(residentMiB(servers[0].pid))
        bare.push(residentMiB(servers[1].pid))
      } finally {
        await Promise.all(servers.map((server) => server.stop()))
      }
    }
    return {
      measured: `${spread(mine, 'MiB')}; a bare Bun.serve holds ${spread(bare, 'MiB')}`,
      reached: median(mine) < 80,
    }
  },
}

/** The slow test of the gate, of which this is the figure: caller and gate are one process, without sockets. */
const addressesRow: Row = {
  name: 'Peak of resident memory while the gate counts distinct addresses of one hour',
  target: '< 300 MiB, no counter reset',
  async measure({ quick }) {
    const addresses = quick ? 10_000 : 1_000_000
    const folder = makeFolder()
    try {
      const script = join(import.meta.dir, '../test/slow/addresses-child.ts')
      const child = Bun.spawn([process.execPath, script, folder, String(addresses)], { stderr: 'inherit' })
      const { peakMiB, reset }: { peakMiB: number; reset: number } = await new Response(child.stdout).json()
      const measured = `${peakMiB} MiB, ${reset} counters reset`
      return { of: `${addresses} of them`, measured, reached: peakMiB < 300 && reset === 0 }
    } finally {
      removeFolder(folder)
    }
  },
}

export const memoryRows: readonly Row[] = [addressesRow, idleRow]
