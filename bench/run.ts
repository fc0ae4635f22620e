/**
 * `bun run bench` measures every row and writes the table of bench/README.md; `--only=text`, as often as wanted, measures
 * those whose name holds the text and keeps the other lines. `bun run bench --quick` proves that every row still runs, and writes nothing.
 */
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Effort, type Figure, NotMeasured, type Row } from './figures'
import { ROWS } from './rows'
import { type Line, readTable, writeLine, writeTable } from './table'

const quick = process.argv.includes('--quick')
const effort: Effort = quick ? { quick, rounds: 1, seconds: 0.3 } : { quick, rounds: 7, seconds: 3 }
const only = process.argv.filter((one) => one.startsWith('--only=')).map((one) => one.slice('--only='.length))
const README = join(import.meta.dir, 'README.md')

/** What is measured, with `+` where it has changes that are not committed. */
const COMMIT = git('rev-parse', '--short=8', 'HEAD') + (git('status', '--porcelain', '--', '..', ':!README.md') && '+')

const chosen = ROWS.filter(({ name }) => only.length === 0 || only.some((text) => name.includes(text)))
if (chosen.length === 0) throw new Error(`no row's name holds ${only.join(' or ')}`)
const lines = readTable(await Bun.file(README).text(), ROWS)
for (const row of chosen) {
  const line = await measured(row)
  process.stdout.write(`${writeLine(line)}\n`)
  lines.set(row.name, line)
  // Row by row: what was measured stays if a later row fails.
  if (!quick) await Bun.write(README, writeTable(await Bun.file(README).text(), heading(), ROWS, lines))
}

function git(...command: string[]): string {
  return Bun.spawnSync(['git', ...command], { cwd: import.meta.dir })
    .stdout.toString()
    .trim()
}

async function measured(row: Row): Promise<Line> {
  const { of, measured, reached } = await figureOf(row)
  const verdict = reached === null ? '' : reached ? 'reached' : 'missed'
  const when = `${new Date().toISOString().slice(0, 10)}, ${COMMIT}, load ${loadavg()[0]?.toFixed(1)}`
  return [row.name + (of ? `, ${of}` : ''), row.target, `**${measured}**`, verdict, when]
}

async function figureOf(row: Row): Promise<Omit<Figure, 'reached'> & { reached: boolean | null }> {
  try {
    return await row.measure(effort)
  } catch (error) {
    if (error instanceof NotMeasured) return { measured: `not measured: ${error.message}`, reached: null }
    throw error
  }
}

function heading(): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}`
  return `${effort.rounds} rounds of ${effort.seconds} s on ${machine}. Beside each row: when, at which commit, and the machine's load average after it.`
}
