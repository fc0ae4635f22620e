import { join } from 'node:path'
import { type Effort, type Figure, median, type Row, spread } from './figures'
import type { Load, Result } from './load'
import { processorSeconds } from './proc'
import type { Server } from './server'

/** One of the two that are compared: how it starts, and the request that it is sent, whole. */
export interface Side {
  start(effort: Effort): Promise<Server>
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

/** A round under load: requests per second, and the microseconds of the processor that each cost server and client. */
interface Round {
  readonly answers: number
  readonly perSecond: number
  /** Milliseconds that half of the answers took at most. */
  readonly p50: number
  readonly server: number
  readonly client: number
}

/**
 * Satchel against a peer under the same load, from a process of its own. Both run at once and take the load in turns,
 * so a machine that slows down slows both; what counts is the median of the rounds' ratios.
 */
export function against(comparison: Comparison): Row {
  const { satchel, peer, name, target } = comparison
  const measure = async (effort: Effort) => {
    const ours = await satchel.start(effort)
    const theirs = await peer.start(effort).catch(async (error) => {
      await ours.stop()
      throw error
    })
    const rounds: [ours: Round, theirs: Round][] = []
    const loadOf = ({ request }: Side, server: Server) => load({ ...comparison, request }, server, effort)
    try {
      await loadOf(satchel, ours) // warms up, not counted
      await loadOf(peer, theirs)
      for (let round = 0; round < effort.rounds; round++) {
        const mine = await loadOf(satchel, ours)
        rounds.push([mine, await loadOf(peer, theirs)])
      }
    } finally {
      await Promise.all([ours.stop(), theirs.stop()])
    }
    return { ...(theirs.about ? { of: theirs.about } : {}), ...figure(target, rounds) }
  }
  return { name, target: `≥ ${target} ×`, measure }
}

function figure(target: number, rounds: readonly [ours: Round, theirs: Round][]): Figure {
  const ratios = rounds.map(([ours, theirs]) => ours.perSecond / theirs.perSecond)
  const middle = (side: 0 | 1, cost: keyof Round) => median(rounds.map((round) => round[side][cost])).toFixed(0)
  const processor = `${middle(0, 'server')} µs against ${middle(1, 'server')} µs of processor, the client's ${middle(0, 'client')} and ${middle(1, 'client')}`
  return {
    measured: `${spread(ratios, '×', 2)}, ${processor}`,
    reached: median(ratios) >= target,
  }
}

/** Sends one request over and over for a round. @throws Error if an answer is none of success */
export async function load(
  { name, connections, request }: Pick<Comparison, 'name' | 'connections'> & Pick<Side, 'request'>,
  server: Server,
  effort: Effort,
): Promise<Round> {
  const options: Load = { port: server.port, request: request(server), connections, seconds: effort.seconds }
  const command = [process.execPath, join(import.meta.dir, 'load.ts'), JSON.stringify(options)]
  const before = processorSeconds(server.pid)
  const child = Bun.spawn(command, { stderr: 'inherit' })
  const { answers, perSecond, p50, processor, statuses }: Result = JSON.parse(await new Response(child.stdout).text())
  const took = processorSeconds(server.pid) - before
  const failed = Object.keys(statuses).filter((status) => !status.startsWith('2'))
  if (failed.length > 0) throw new Error(`${name}: answers with status ${failed.join(', ')}`)
  return { answers, perSecond, p50, server: (took / answers) * 1e6, client: (processor / answers) * 1e6 }
}
