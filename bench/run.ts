/**
 * `bun run bench` measures every row and writes the table of bench/README.md; `bun run bench --quick` proves in a few
 * seconds that every row still runs, and writes nothing. Both sides of a row run at once and take the load in turns,
 * so a machine that slows down slows both; what counts is the ratio.
 */
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Load, Result } from './load'
import { ROWS, type Row, type Side } from './rows'
import type { Server } from './server'

const quick = process.argv.includes('--quick')
const ROUNDS = quick ? 1 : 7
const SECONDS = quick ? 0.3 : 3
const README = join(import.meta.dir, 'README.md')

interface Measured {
  readonly row: Row
  readonly ours: readonly Result[]
  readonly theirs: readonly Result[]
}

async function measure(row: Row): Promise<Measured> {
  const servers = await Promise.all([row.satchel.start(), row.peer.start()])
  const [satchel, peer] = servers
  const ours: Result[] = []
  const theirs: Result[] = []
  try {
    await Promise.all([load(row, row.satchel, satchel), load(row, row.peer, peer)]) // warms both up, not counted
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await load(row, row.satchel, satchel))
      theirs.push(await load(row, row.peer, peer))
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
  return { row, ours, theirs }
}

async function load(row: Row, side: Side, server: Server): Promise<Result> {
  const options: Load = {
    port: server.port,
    request: side.request(server),
    connections: row.connections,
    seconds: SECONDS,
  }
  const child = Bun.spawn(['bun', join(import.meta.dir, 'load.ts'), JSON.stringify(options)], { stderr: 'inherit' })
  const result: Result = JSON.parse(await new Response(child.stdout).text())
  const failed = Object.keys(result.statuses).filter((status) => !status.startsWith('2'))
  if (failed.length > 0) throw new Error(`${row.name}: answers with status ${failed.join(', ')}`)
  return result
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function line({ row, ours, theirs }: Measured): string {
  const ratios = ours.map((result, i) => result.perSecond / (theirs[i]?.perSecond ?? Number.NaN))
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  const ratio = median(ratios)
  return `| ${row.name} | ≥ ${row.target} | **${ratio.toFixed(2)}** (${least.toFixed(2)} to ${most.toFixed(2)}) | ${
    ratio >= row.target ? 'reached' : 'missed'
  } |`
}

const lines: string[] = []
for (const row of ROWS) {
  const text = line(await measure(row))
  process.stdout.write(`${text}\n`)
  lines.push(text)
}
if (!quick) {
  const [intro] = (await Bun.file(README).text()).split('<!-- table -->')
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}`
  const table = ['| what | target | ratio: median (least to most) | |', '|---|---|---|---|', ...lines].join('\n')
  await Bun.write(README, `${intro}<!-- table -->\n\n${ROUNDS} rounds of ${SECONDS} s on ${machine}.\n\n${table}\n`)
}
