/**
 * `bun run bench` measures every row and writes the table of bench/README.md; `bun run bench --quick` proves in a few
 * seconds that every row still runs, and writes nothing.
 */
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Effort } from './figures'
import { ROWS } from './rows'

const quick = process.argv.includes('--quick')
const effort: Effort = quick ? { quick, rounds: 1, seconds: 0.3 } : { quick, rounds: 7, seconds: 3 }
const README = join(import.meta.dir, 'README.md')

const lines: string[] = []
for (const row of ROWS) {
  const { name, target, measured, reached } = await row(effort)
  const line = `| ${name} | ${target} | **${measured}** | ${reached ? 'reached' : 'missed'} |`
  process.stdout.write(`${line}\n`)
  lines.push(line)
}
if (!quick) {
  const [intro] = (await Bun.file(README).text()).split('<!-- table -->')
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}`
  const table = ['| what | target | measured: median (least to most) | |', '|---|---|---|---|', ...lines].join('\n')
  const rounds = `${effort.rounds} rounds of ${effort.seconds} s on ${machine}.`
  await Bun.write(README, `${intro}<!-- table -->\n\n${rounds}\n\n${table}\n`)
}
