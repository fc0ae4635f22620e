/**
 * `bun run conformance`: runs the server scenarios of the protocol's own conformance suite, of both revisions that clients
 * speak. Those that the product can pass run against it; all run against the same gate, route and endpoint over a
 * catalogue with the tools that the scenarios call by name. Prints a line for each scenario; ends with 1 if one failed.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { Place } from '../torture/row'
import { serveFixture } from './fixture/app'

const PACKAGE = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')))
const SUITE = join(PACKAGE, 'dist/index.js')
const SETTINGS = { HOST: '127.0.0.1', FREE_LIMIT_PER_HOUR: '100000' }

/** What the product must pass; all others call tools, prompts or resources that only the suite has. */
const OF_PRODUCT: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'prompts-list',
    'caching',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'input-required-result-unsupported-methods',
    'http-header-validation',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
}

const ASKS_MEANWHILE = 'asks the client during a call, which needs a session in this revision'
const EXTENSION = 'an extension that the server does not declare'
/** Scenarios that need not pass, and why. */
const EXCUSED: Readonly<Record<string, string>> = {
  'tools-call-sampling': ASKS_MEANWHILE,
  'tools-call-elicitation': ASKS_MEANWHILE,
  'elicitation-sep1034-defaults': ASKS_MEANWHILE,
  'elicitation-sep1330-enums': ASKS_MEANWHILE,
  'json-schema-2020-12': 'not scored: the suite has no server that passes it',
  'http-custom-header-server-validation': 'not scored: no tool has arguments in headers',
}
const excuse = (scenario: string) => EXCUSED[scenario] ?? (scenario.startsWith('tasks-') ? EXTENSION : null)

/** A check of a scenario, as the suite writes it. */
interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
  readonly details?: { readonly untestable?: boolean }
}

/** Runs what a revision requires, and returns the checks of each scenario. */
async function runSuite(url: string, revision: string): Promise<Map<string, Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-conformance-'))
  try {
    const command = [process.execPath, SUITE, 'server', '--url', url, '--requirements', revision, '-o', folder]
    const suite = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
    const printed = await new Response(suite.stdout).text()
    await suite.exited
    const results = new Map<string, Check[]>()
    for (const name of readdirSync(folder)) {
      // server-<scenario>-<date>T<time>Z
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1]
      if (scenario) results.set(scenario, await Bun.file(join(folder, name, 'checks.json')).json())
    }
    const { server } = parse(await Bun.file(join(PACKAGE, `requirements/${revision}.yaml`)).text())
    for (const scenario of server as readonly string[])
      if (!results.has(scenario)) throw new Error(`the suite did not run ${scenario}: ${printed}`)
    return results
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Prints a line for a scenario, and its failures; returns whether it is as it must be. */
function report(where: string, scenario: string, checks: readonly Check[], reason: string | null): boolean {
  const failed = checks.filter(({ status }) => status === 'FAILURE')
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  const sound = passed === 0 ? 'skipped' : 'passed'
  const verdict = failed.length === 0 ? sound : reason === null ? 'FAILED' : 'excused'
  say(`${where}  ${scenario.padEnd(48)} ${String(passed).padStart(3)} ${String(failed.length).padStart(3)}  ${verdict}`)
  if (failed.length > 0 && reason !== null) say(`${' '.repeat(where.length)}  ${reason}`)
  if (verdict === 'FAILED') for (const { id, errorMessage } of failed) say(`    ${id}: ${errorMessage}`)
  return verdict !== 'FAILED'
}

let isSound = true
await using place = new Place()
const product = await place.start({ settings: SETTINGS })
const fixtureFolder = mkdtempSync(join(tmpdir(), 'satchel-conformance-'))
const fixture = await serveFixture(fixtureFolder)
try {
  for (const [revision, required] of Object.entries(OF_PRODUCT)) {
    const ofProduct = await runSuite(new URL('/api/mcp', product.url).href, revision)
    for (const scenario of required) {
      const checks = ofProduct.get(scenario)
      if (!checks) throw new Error(`the suite did not run ${scenario}`)
      // Some checks of a scenario need a tool of the suite. The fixture has it.
      const own = checks.filter(({ details }) => !details?.untestable)
      isSound = report(`${revision}  product`, scenario, own, null) && isSound
    }
    const ofFixture = [...(await runSuite(fixture.url, revision))].toSorted(([a], [b]) => a.localeCompare(b))
    for (const [scenario, checks] of ofFixture)
      isSound = report(`${revision}  fixture`, scenario, checks, excuse(scenario)) && isSound
  }
} finally {
  await fixture.close()
  rmSync(fixtureFolder, { recursive: true, force: true })
}
process.exitCode = isSound ? 0 : 1
