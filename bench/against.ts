import { join } from 'node:path'
import { type Effort, type Figure, median, type Row } from './figures'
import type { Load, Result } from './load'
import type { Server } from './server'

/** One of the two that are compared: how it starts, and the request that it is sent, whole. */
export interface Side {
  start(): Promise<Server>
  request(server: Server): string
}

export interface Comparison {
  readonly name: string
  /** Satchel's requests per second must be at least this many times the peer's. */
  readonly target: number
  readonly connections: number
  readonly satchel: Side
  readonly peer: Side
}

/**
 * Satchel against a peer under the same load, from a process of its own. Both run at once and take the load in turns,
 * so a machine that slows down slows both; what counts is the median of the rounds' ratios.
 */
export function against(comparison: Comparison): Row {
  return async (effort) => {
    const { satchel, peer, name, target } = comparison
    const servers = await Promise.all([satchel.start(), peer.start()])
    const [ours, theirs] = servers
    const ratios: number[] = []
    try {
      await load(comparison, satchel, ours, effort) // warms up, not counted
      await load(comparison, peer, theirs, effort)
      for (let round = 0; round < effort.rounds; round++) {
        const mine = await load(comparison, satchel, ours, effort)
        ratios.push(mine / (await load(comparison, peer, theirs, effort)))
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
    return figure(name, target, ratios)
  }
}

function figure(name: string, target: number, ratios: readonly number[]): Figure {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  const measured = `${median(ratios).toFixed(2)} × (${least.toFixed(2)} to ${most.toFixed(2)})`
  return { name, target: `≥ ${target} ×`, measured, reached: median(ratios) >= target }
}

/** Requests per second in one round. */
async function load({ name, connections }: Comparison, side: Side, server: Server, effort: Effort): Promise<number> {
  const options: Load = { port: server.port, request: side.request(server), connections, seconds: effort.seconds }
  const command = [process.execPath, join(import.meta.dir, 'load.ts'), JSON.stringify(options)]
  const child = Bun.spawn(command, { stderr: 'inherit' })
  const result: Result = JSON.parse(await new Response(child.stdout).text())
  const failed = Object.keys(result.statuses).filter((status) => !status.startsWith('2'))
  if (failed.length > 0) throw new Error(`${name}: answers with status ${failed.join(', ')}`)
  return result.perSecond
}
