import pino from 'pino'
import { version } from '../package.json'
import { backup, restore } from './cli/backup'
import { checkDataFolder, type Findings } from './cli/check.sqlite'
import { migrateFolder } from './cli/data-folder'
import { EXIT_SOME_FAILED, importFile } from './cli/import'
import { readClientConfig, readConfig } from './config'
import { createKey } from './gate/keys'

/**
 * The command line: `bun src/cli.ts COMMAND`, or `satchel COMMAND`. Exit code 0: done; 1: failed, with a reason on
 * stderr.
 */

/** The exit code of `check` if it found faults. */
const EXIT_UNSOUND = 2

const now = () => Date.now()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

interface Command {
  /** The names of its parameters, as the help shows them. */
  readonly parameters: readonly string[]
  /** Whether it also takes options, and checks its parameters itself. */
  readonly checksParameters?: boolean
  readonly help: string
  /** Runs the command. Returns the exit code if it is not 0. @throws Error of one sentence */
  run(...parameters: string[]): unknown
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { parameters: [], help: 'serves until SIGTERM', run: () => import('./main') },
  key: {
    parameters: [],
    help: 'prints a new API key; nothing is stored, the server learns of the key at its first request',
    run: () => print(createKey(random)),
  },
  backup: {
    parameters: ['FILE'],
    help: 'writes everything, with the secret, into one new file; the server may be running',
    run: (file = '') => print(backup(readConfig(), file, { now, random })),
  },
  restore: {
    parameters: ['FILE'],
    help: 'makes the data folder from a backup; overwrites nothing',
    run: (file = '') => print(restore(readConfig(), file)),
  },
  check: {
    parameters: [],
    help: `checks whether both databases are sound; exits ${EXIT_UNSOUND} if not, and says why`,
    run: () => report(checkDataFolder(readConfig())),
  },
  migrate: {
    parameters: [],
    help: 'brings the database up to date, as every start does',
    run: async () => print(await migrateFolder(readConfig(), { now, random, log: pino({ level: 'silent' }) })),
  },
  import: {
    parameters: ['FILE'],
    checksParameters: true,
    help: `sends a file to a running server, with the key in SATCHEL_KEY; exits ${EXIT_SOME_FAILED} if items of it failed`,
    run: (...parameters) => importFile(parameters, { ...readClientConfig(), now }),
  },
  version: { parameters: [], help: 'prints the version', run: () => print(version) },
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function report({ faults, meterInUse }: Findings): number {
  print(faults.length === 0 ? 'The database is sound.' : faults.join('\n'))
  if (meterInUse) print('meter.db was not checked: a server uses it.')
  return faults.length === 0 ? 0 : EXIT_UNSOUND
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, { parameters, help }]) => `  ${[name, ...parameters].join(' ').padEnd(14)}${help}`,
  )
  return ['Usage: satchel COMMAND', ...lines, 'Settings are environment variables; docs/settings.md lists them.'].join(
    '\n',
  )
}

async function main([name = '', ...parameters]: string[]): Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command || (!command.checksParameters && parameters.length !== command.parameters.length)) {
    const isHelp = /^(help|--help|-h)$/.test(name)
    ;(isHelp ? process.stdout : process.stderr).write(`${help()}\n`)
    process.exitCode = isHelp ? 0 : 1
    return
  }
  // All files made from here on are readable only by their owner.
  process.umask(0o077)
  try {
    const code = await command.run(...parameters)
    if (typeof code === 'number') process.exitCode = code
  } catch (error) {
    process.stderr.write(`Satchel cannot ${name}. ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}

await main(process.argv.slice(2))
