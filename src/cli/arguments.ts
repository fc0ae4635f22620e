import { findNearestName } from '../lib/spelling'

/** Reads the arguments of the commands, and writes the help, both from what each command says of itself. */

export interface CommandUsage {
  /** The name of its parameter, in brackets if it can be left out. */
  readonly parameter?: string
  /** Its options as they are written, `--name` or `--name=VALUE`, each with what it is for. */
  readonly options?: Readonly<Record<string, string>>
  readonly help: string
  /** What its exit codes mean, other than 0 for done and 1 for failed. */
  readonly exits?: string
}

export interface Arguments {
  /** '' without one. */
  readonly parameter: string
  /** The value of each option by its name without `--`; '' for one that takes none. */
  readonly options: Readonly<Record<string, string | undefined>>
}

/** Reads what follows the name of a command. @throws Error of one sentence on the first that is wrong */
export function readArguments(name: string, usage: CommandUsage, args: readonly string[]): Arguments {
  const options: Record<string, string> = {}
  for (const arg of args.filter(isOption)) {
    const [option = ''] = arg.split('=', 1)
    const form = Object.keys(usage.options ?? {}).find((form) => form.split('=', 1)[0] === option)
    if (!form) throw new Error(`It has no option ${option}${suggest(option, usage)}: ${synopsis(name, usage)}.`)
    if (form.includes('=') !== arg.includes('=')) throw new Error(`The option ${option} is written ${form}.`)
    if (Object.hasOwn(options, option.slice(2))) throw new Error(`The option ${option} is there twice.`)
    options[option.slice(2)] = arg.slice(option.length + 1)
  }
  // After the options: `--url ADDRESS` is an option that is written wrongly, and no parameter too much.
  const parameters = args.filter((arg) => !isOption(arg))
  if (parameters.length > (usage.parameter ? 1 : 0))
    throw new Error(
      `It takes ${usage.parameter ? `one ${usage.parameter}` : 'no parameter'}: ${parameters.at(-1)} is too much.`,
    )
  if (usage.parameter && !usage.parameter.startsWith('[') && !parameters[0])
    throw new Error(`${usage.parameter} is missing: ${synopsis(name, usage)}.`)
  return { parameter: parameters[0] ?? '', options }
}

/** A lone `-` is the name of a file. */
const isOption = (arg: string) => /^-./.test(arg)

function suggest(option: string, { options = {} }: CommandUsage): string {
  const near = findNearestName(
    option,
    Object.keys(options).map((form) => form.split('=', 1)[0] ?? ''),
  )
  return near ? `, but ${near}` : ''
}

export function unknownCommand(name: string, names: readonly string[]): string {
  const near = findNearestName(name, names)
  return `There is no command ${name}${near ? `, but there is ${near}` : ''}: \`satchel help\` lists all.`
}

/** Whether an argument contains an API key (one of ours, or the one that is set, if any), or is an option for one. */
export function containsKey(argument: string, key: string): boolean {
  return (
    /satchel_[0-9A-Za-z]{20}/i.test(argument) ||
    /^--?(api[-_]?)?key\b/i.test(argument) ||
    (key !== '' && argument.includes(key))
  )
}

export function listCommands(commands: Readonly<Record<string, CommandUsage>>): string {
  const lines = Object.entries(commands).map(
    ([name, { parameter = '', help }]) => `  ${`${name} ${parameter}`.padEnd(16)}${help}`,
  )
  return `Usage: satchel COMMAND\n${lines.join('\n')}\n\`satchel COMMAND --help\` tells more. ${SETTINGS_HINT}`
}

export function describeCommand(name: string, usage: CommandUsage): string {
  const options = Object.entries(usage.options ?? {}).map(([form, help]) => `  ${form.padEnd(16)}${help}`)
  const exits = `Exits with 0 if done, 1 with a sentence on stderr if not${usage.exits ? `, ${usage.exits}` : ''}.`
  return [`Usage: ${synopsis(name, usage)}`, `satchel ${name} ${usage.help}.`, ...options, exits, SETTINGS_HINT].join(
    '\n',
  )
}

const SETTINGS_HINT = 'Settings are environment variables; docs/settings.md lists them.'

function synopsis(name: string, { parameter, options = {} }: CommandUsage): string {
  return ['satchel', name, parameter, ...Object.keys(options).map((form) => `[${form}]`)].filter(Boolean).join(' ')
}

/** Reads the address of a server, and drops slashes at its end. @throws Error of one sentence if it is none */
export function readServerAddress(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : null
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Error(`${text} is not the address of a server, such as http://127.0.0.1:3000.`)
  if (address.username || address.password || address.search || address.hash)
    throw new Error('The address of the server must have nothing but a host, a port and a path.')
  return address.href.replace(/\/+$/, '')
}
