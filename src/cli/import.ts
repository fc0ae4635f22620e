import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { KINDS, type Kind, type Target, targetOf } from '../../public/import-file.js'
import { endInWords, failureInWords, isOver, progressInWords, type Run } from '../../public/import-run.js'
import { findKeyFault } from '../gate/keys'
import { createImportClient, type ImportClient } from './import-client'
import { createProgressDisplay, type ProgressDisplay } from './import-progress'

/** `satchel import FILE`: sends a file to a running server, and shows the progress and the result. */

/** The exit code if the run has ended and items failed. */
export const EXIT_SOME_FAILED = 2

const USAGE = `Usage: satchel import FILE [--url=http://HOST:PORT] [--kind=${KINDS.join('|')}] [--dry-run]`
/** Failed items, and warnings about the file, that are printed. */
const MAX_PRINTED = 20

interface Deps {
  /** The value of SATCHEL_KEY; '' without one. */
  readonly key: string
  /** The address of the server, unless the command line names another. */
  readonly url: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The parsed command line. */
interface Options {
  readonly file: string
  readonly url: string
  readonly kind: Kind | undefined
  readonly dryRun: boolean
}

/**
 * Runs the command. Returns the exit code: 0 if everything was imported, EXIT_SOME_FAILED if items failed, 1 if the run
 * failed or was stopped. Ctrl-C stops the run on the server; a second Ctrl-C only ends the command.
 * @throws Error of one sentence if there was no run
 */
export async function importFile(parameters: readonly string[], deps: Deps): Promise<number> {
  const options = readParameters(parameters, deps)
  const fault = deps.key === '' ? null : findKeyFault(deps.key)
  if (deps.key === '') throw new Error('Set SATCHEL_KEY to your key; `satchel key` prints a new one.')
  if (fault) throw new Error(`The key in SATCHEL_KEY ${fault}.`)
  requireFile(options.file)
  const target = await targetOf(Bun.file(options.file), basename(options.file), options.kind)
  const client = createImportClient({ url: options.url, key: deps.key, now: deps.now })
  const progress = createProgressDisplay(process.stderr)
  const stop = new AbortController()
  const onInterrupt = () => stop.abort()
  process.once('SIGINT', onInterrupt)
  try {
    const run = await runToEnd(client, options, target, stop.signal, progress)
    progress.end()
    if (run) return await report(client, run)
    print('Stopped before the server had the whole file: nothing was imported.')
    return 1
  } finally {
    progress.end()
    process.off('SIGINT', onInterrupt)
  }
}

/** Sends the file and follows the run. Returns the ended run; null if it was stopped before the server had the file. */
async function runToEnd(
  client: ImportClient,
  { file, dryRun }: Options,
  target: Target,
  stop: AbortSignal,
  progress: ProgressDisplay,
): Promise<Run | null> {
  const name = basename(file)
  progress.say(`Importing ${name} as ${target.kind}${dryRun ? ', as a dry run' : ''}.`)
  const started = await client.sendFile(Bun.file(file), target, dryRun, stop, (sent, size) =>
    progress.show('sending', sent, size, `${Math.floor((100 * sent) / Math.max(1, size))} % sent`),
  )
  const showProgress = (run: Run) => progress.show(run.state, run.done, run.total, progressInWords(run))
  const run = started && (await client.follow(started, stop, showProgress))
  return run && !isOver(run) ? client.cancel(run) : run
}

async function report(client: ImportClient, run: Run): Promise<number> {
  print(endInWords(run))
  for (const { detail } of run.warnings.slice(0, MAX_PRINTED)) print(`  ${detail}`)
  const failed = run.totals.failed ?? 0
  if (failed > 0) {
    const items = await client.listFailedItems(run, MAX_PRINTED)
    if (items.length === 0) print(`Those that failed are in the report: GET /api/imports/${run.id}.`)
    else print(items.length < failed ? `The first ${items.length} that failed:` : 'Failed:')
    for (const item of items) print(`  ${failureInWords(item)}`)
  }
  if (run.state !== 'done') return 1
  return failed > 0 ? EXIT_SOME_FAILED : 0
}

function readParameters(parameters: readonly string[], { key, url }: Deps): Options {
  if (parameters.some((parameter) => containsKey(parameter, key)))
    throw new Error(
      'Put the key into SATCHEL_KEY: on the command line every user of this machine can read it, and the shell keeps it.',
    )
  const files = parameters.filter((parameter) => !parameter.startsWith('--'))
  const flags = new Map(
    parameters
      .filter((parameter) => parameter.startsWith('--'))
      .map((parameter) => [parameter.split('=', 1)[0] ?? '', parameter] as const),
  )
  const take = (name: string) => {
    const text = flags.get(name)?.slice(name.length + 1)
    flags.delete(name)
    return text
  }
  const kind = take('--kind')
  const [address, dryRun] = [take('--url') ?? url, take('--dry-run')]
  const [file = ''] = files
  if (files.length !== 1 || file === '' || flags.size > 0 || (dryRun ?? '') !== '' || !isKind(kind))
    throw new Error(USAGE)
  return { file, url: readAddress(address), kind, dryRun: dryRun !== undefined }
}

/** Whether an argument contains an API key (one of ours, or the one that is set), or is an option for one. */
function containsKey(argument: string, key: string): boolean {
  return (
    /satchel_[0-9A-Za-z]{20}/i.test(argument) ||
    /^--?(api[-_]?)?key\b/i.test(argument) ||
    (key !== '' && argument.includes(key))
  )
}

function isKind(text: string | undefined): text is Kind | undefined {
  return text === undefined || KINDS.some((kind) => kind === text)
}

function readAddress(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : null
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Error(`${text} is not the address of a server, such as http://127.0.0.1:3000.`)
  if (address.username || address.password || address.search || address.hash)
    throw new Error('The address of the server must have nothing but a host, a port and a path.')
  return address.href.replace(/\/+$/, '')
}

function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new Error(`${path} does not exist.`)
  if (stats.isDirectory()) throw new Error(`${path} is a folder: put it into a zip first.`)
}

/**
 * Prints a line. Replaces characters that control a terminal or the direction of text, which names in a file may hold.
 */
function print(text: string): void {
  process.stdout.write(`${text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD')}\n`)
}
