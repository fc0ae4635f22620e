import pino from 'pino'
import { version } from '../package.json'
import { backup, restore } from './cli/backup'
import { check, type Findings } from './cli/check.sqlite'
import { migrateFolder } from './cli/data-folder'
import { importFile, SOME_FAILED } from './cli/import'
import { readClientConfig, readConfig } from './config'
import { newKey } from './gate/keys'

/** The command line: `bun src/cli.ts COMMAND`, or `satchel COMMAND`. Exit code 0: done; 1: not done, for one reason. */

/** What `check` exits with when it could look, and found something wrong. */
const UNSOUND = 2

const now = () => Date.now()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

interface Command {
  /** Its parameters, as they are shown. */
  readonly takes: readonly string[]
  /** It takes options, too, and says itself what is wrong with its parameters. */
  readonly readsOptions?: boolean
  readonly help: string
  /** The answer is the exit code, if it is not 0. Throws an Error of one sentence. */
  run(...parameters: string[]): unknown
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { takes: [], help: 'serves until SIGTERM', run: () => import('./main') },
  key: {
    takes: [],
    help: 'prints a new API key; nothing is stored, the server meets the key at its first request',
    run: () => print(newKey(random)),
  },
  backup: {
    takes: ['FILE'],
    help: 'writes everything, with the secret, into one new file; the server may run meanwhile',
    run: (file = '') => print(backup(readConfig(), file, { now, random })),
  },
  restore: {
    takes: ['FILE'],
    help: 'makes the data folder of a backup; it overwrites nothing',
    run: (file = '') => print(restore(readConfig(), file)),
  },
  check: {
    takes: [],
    help: `looks whether both databases are sound; exits ${UNSOUND} if not, and says why`,
    run: () => report(check(readConfig())),
  },
  migrate: {
    takes: [],
    help: 'brings the database up to date, as every start does',
    run: async () => print(await migrateFolder(readConfig(), { now, random, log: pino({ level: 'silent' }) })),
  },
  import: {
    takes: ['FILE'],
    readsOptions: true,
    help: `sends a file to a running server, with the key in SATCHEL_KEY; exits ${SOME_FAILED} if items of it failed`,
    run: (...parameters) => importFile(parameters, { ...readClientConfig(), now }),
  },
  version: { takes: [], help: 'prints the version', run: () => print(version) },
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function report({ faults, meterInUse }: Findings): number {
  print(faults.length === 0 ? 'The database is sound.' : faults.join('\n'))
  if (meterInUse) print('meter.db was not looked at: a server uses it.')
  return faults.length === 0 ? 0 : UNSOUND
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, { takes, help }]) => `  ${[name, ...takes].join(' ').padEnd(14)}${help}`,
  )
  return ['Usage: satchel COMMAND', ...lines, 'Settings are environment variables; the README lists them.'].join('\n')
}

async function main([name = '', ...parameters]: string[]): Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command || (!command.readsOptions && parameters.length !== command.takes.length)) {
    const asked = /^(help|--help|-h)$/.test(name)
    ;(asked ? process.stdout : process.stderr).write(`${help()}\n`)
    process.exitCode = asked ? 0 : 1
    return
  }
  // Whatever is made from here on is for its owner alone.
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
