/**
 * `bun run torture [--seed=N] [--only=ROW,…] [--quick]`: does to servers what must not harm them; ROWS has the rows. Prints a line
 * for each; ends with 1 if something did not hold.
 */
import { parseArgs } from 'node:util'
import { answers } from './answers'
import { clocks } from './clocks'
import { connections } from './connections'
import { disk } from './disk'
import { guesses } from './guesses'
import { imports } from './imports'
import { kill } from './kill'
import { nginx } from './nginx'
import { page } from './page'
import { pipelines } from './pipelines'
import { requests } from './requests'
import type { Plan, Row } from './row'
import { temporary } from './temporary'
import { workspaces } from './workspaces'

const ROWS: Readonly<Record<string, Row>> = {
  kill,
  imports,
  disk,
  temporary,
  connections,
  requests,
  workspaces,
  nginx,
  page,
  guesses,
  clocks,
  answers,
  pipelines,
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Whether the row held. */
async function run(name: string, row: Row, plan: Plan): Promise<boolean> {
  const start = performance.now()
  const { did, held, broken } = await row(plan)
  const seconds = Math.round((performance.now() - start) / 1000)
  const outcome = broken.length === 0 ? 'held' : 'BROKEN'
  say(`${name} | ${did} | seed ${plan.seed} | ${outcome}: ${held.join('; ') || 'nothing'} | ${seconds} s`)
  for (const fault of broken) say(`  broken: ${fault}`)
  return broken.length === 0
}

async function torture(): Promise<boolean> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, only: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  const names = values.only?.split(',') ?? Object.keys(ROWS)
  const unknown = names.filter((name) => !Object.hasOwn(ROWS, name))
  if (!Number.isSafeInteger(seed) || unknown.length > 0)
    throw new Error(`--seed takes a whole number, --only some of ${Object.keys(ROWS).join(',')}.`)
  let isSound = true
  // One after the other: each measures, or needs the machine for itself.
  for (const name of names) {
    const row = ROWS[name]
    if (row && !(await run(name, row, { seed, quick: values.quick }))) isSound = false
  }
  return isSound
}

process.exitCode = (await torture()) ? 0 : 1
