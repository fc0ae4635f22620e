import { version } from '../package.json'
import {
  type Arguments,
  type CommandUsage,
  containsKey,
  describeCommand,
  listCommands,
  readArguments,
  unknownCommand,
} from './cli/arguments'
import type { Findings } from './cli/check.sqlite'
import { migrateData, requireFolder } from './cli/data-folder'
import { checkHealth, examine } from './cli/doctor.sqlite'
import { EXIT_SOME_FAILED, IMPORT_OPTIONS, importFile } from './cli/import'
import { MOVE_OPTIONS, moveToPostgres } from './cli/move.sqlite'
import { readClientConfig, readConfig } from './config'
import { createKey } from './gate/keys'
import { SILENT_LOG } from './log/log'

/**
 * The command line: `bun src/cli.ts COMMAND`, or `satchel COMMAND`. Exit code 0: done; 1: failed, with a sentence on
 * stderr.
 */

/** The exit code of `check` and `doctor` if they found faults. */
const EXIT_UNSOUND = 2

const now = () => Date.now()
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

interface Command extends CommandUsage {
  /** Runs the command. Returns the exit code if it is not 0. @throws Error of one sentence */
  run(parameter: string, options: Arguments['options']): unknown
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { help: 'serves until SIGTERM', run: () => import('./main') },
  key: {
    help: 'prints a new API key; nothing is stored, the server learns of the key at its first request',
    run: () => print(createKey(random)),
  },
  backup: {
    parameter: 'FILE',
    help: 'writes everything, with the secret, into one new file; the server may be running',
    run: async (file) => {
      const { backup } = await import('./cli/backup')
      print(backup(requireFolder(readConfig()), file, { now, random }))
    },
  },
  restore: {
    parameter: 'FILE',
    help: 'makes the data folder from a backup; overwrites nothing',
    run: async (file) => print((await import('./cli/backup')).restore(requireFolder(readConfig()), file)),
  },
  check: {
    help: 'checks whether both databases are sound, and says why if not',
    exits: `${EXIT_UNSOUND} if they are not sound`,
    run: async () => {
      const { checkDataFolder } = await import('./cli/check.sqlite')
      return report(await checkDataFolder(requireFolder(readConfig())))
    },
  },
  migrate: {
    help: 'brings the database up to date, as every start does',
    options: MOVE_OPTIONS,
    run: async (_, { to }) => {
      const deps = { now, random, log: SILENT_LOG, tell: print }
      const config = readConfig()
      print(await (to === undefined ? migrateData(config, deps) : moveToPostgres(requireFolder(config), to, deps)))
    },
  },
  import: {
    parameter: 'FILE',
    options: IMPORT_OPTIONS,
    help: 'sends a file to a running server, with the key in SATCHEL_KEY',
    exits: `${EXIT_SOME_FAILED} if items of the file failed`,
    run: (file, options) => importFile(file, options, { ...readClientConfig(), now }),
  },
  health: {
    help: 'asks the server at HOST and PORT whether it takes requests',
    run: async () => print(await checkHealth(readClientConfig().url)),
  },
  doctor: {
    help: 'looks at the data folder and the server at HOST and PORT, and says what is set up wrongly',
    exits: `${EXIT_UNSOUND} if something is to be mended`,
    run: async () => {
      const { url } = readClientConfig()
      const { facts, faults, missing } = await examine(readConfig(), { url, version, now })
      print([...facts, ...faults.map((fault) => `To mend: ${fault}`)].join('\n'))
      if (missing) throw new Error(missing)
      if (faults.length === 0) print('Nothing is to be mended.')
      return faults.length === 0 ? 0 : EXIT_UNSOUND
    },
  },
  version: { help: 'prints the version; so does --version', run: () => print(version) },
  help: { parameter: '[COMMAND]', help: 'prints this, or what a command takes', run: printHelp },
}

/** Other names of commands. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['-v', 'version'],
  ['--version', 'version'],
  ['-h', 'help'],
  ['--help', 'help'],
])

/** Returns a command. @throws Error of one sentence if there is none of this name */
function commandOf(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new Error(unknownCommand(name, Object.keys(COMMANDS)))
  return command
}

function printHelp(name: string): void {
  print(name ? describeCommand(name, commandOf(name)) : listCommands(COMMANDS))
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function report({ faults, meterInUse }: Findings): number {
  print(faults.length === 0 ? 'The database is sound.' : faults.join('\n'))
  if (meterInUse) print('meter.db was not checked: a server uses it.')
  return faults.length === 0 ? 0 : EXIT_UNSOUND
}

async function main([first = '', ...args]: string[]): Promise<void> {
  const name = ALIASES.get(first) ?? first
  try {
    if (name === '') throw new Error(`It needs a command.\n${listCommands(COMMANDS)}`)
    const { key } = readClientConfig()
    if ([first, ...args].some((arg) => containsKey(arg, key)))
      throw new Error(
        'Put the key into SATCHEL_KEY: on the command line every user of this machine can read it, and the shell keeps it.',
      )
    const command = commandOf(name)
    if (args.some((arg) => ALIASES.get(arg) === 'help')) return printHelp(name)
    const { parameter, options } = readArguments(name, command, args)
    // All files made from here on are readable only by their owner.
    process.umask(0o077)
    const code = await command.run(parameter, options)
    if (typeof code === 'number') process.exitCode = code
  } catch (error) {
    const what = Object.hasOwn(COMMANDS, name) ? name : 'do this'
    process.stderr.write(`Satchel cannot ${what}. ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}

await main(process.argv.slice(2))
