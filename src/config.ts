import { type NetworkRange, parseRanges } from './gate/client-address'
import type { GateSettings } from './gate/tiers'

/**
 * Every setting of Satchel, and the only place that reads the environment. The table is also what the README's list
 * is tested against.
 */

interface Setting<T> {
  readonly default: string
  readonly unit: string
  readonly help: string
  /** Reads the text. Throws an Error that says in words what the value must be. */
  readonly read: (text: string) => T
}

export const SETTINGS = {
  HOST: setting('127.0.0.1', 'address', 'the address to listen on; 0.0.0.0 for all', nonEmpty),
  PORT: setting('3000', 'port', 'the port to listen on; 0 for any free one', integer(0, 65_535)),
  DATA_DIR: setting('./data', 'folder', 'where everything is kept', nonEmpty),
  LOG_LEVEL: setting(
    'info',
    'level',
    'trace, debug, info, warn, error or silent',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
  FREE_LIMIT_PER_HOUR: setting('20', 'requests', 'for each address without a key', integer(1)),
  API_LIMIT_PER_HOUR: setting('1000', 'requests', 'for each key', integer(1)),
  FREE_CEILING_48_PER_HOUR: setting('320', 'requests', 'without a key, for each IPv6 /48; 0 = off', integer(0)),
  NETWORK_CEILING_PER_HOUR: setting('5000', 'requests', 'for all keys of one network together; 0 = off', integer(0)),
  NEW_KEYS_PER_HOUR: setting('5', 'keys', 'new to the server, from one network; 0 = off', integer(0)),
  NEW_KEYS_PER_DAY: setting('10', 'keys', 'new to the server, from one network in 24 hours; 0 = off', integer(0)),
  NEW_KEYS_48_PER_DAY: setting('100', 'keys', 'new to the server, from one IPv6 /48 in 24 hours; 0 = off', integer(0)),
  NEW_KEYS_TOTAL_PER_HOUR: setting('1000', 'keys', 'new to the server, from anywhere; 0 = off', integer(0)),
  KEY_GUESSES_PER_HOUR: setting(
    '20',
    'refusals',
    'of new keys, then a network may use generated keys only; 0 = off',
    integer(0),
  ),
  KEY_IDLE_DAYS: setting('90', 'days', 'until an unused key with an empty workspace is forgotten; 0 = off', integer(0)),
  METER_CACHE_ENTRIES: setting('100000', 'counters', 'held in memory', integer(1)),
  TRUSTED_PROXIES: setting('', 'CIDR list', 'the proxies whose word about the client is believed', networks),
  CLIENT_IP_HEADER: setting('X-Forwarded-For', 'header', 'the one header in which they name the client', headerName),
  METRICS_ALLOW: setting('', 'CIDR list', 'who may read /metrics, beside this machine itself', networks),
  CORS_ORIGIN: setting('*', 'origins', '* or a comma-separated list of origins whose pages may call', origins),
  SATCHEL_SECRET: setting(
    '',
    '32 bytes',
    'as 64 hex digits or base64url; else the file `secret` in DATA_DIR',
    (text) => text || undefined,
  ),
  WORKSPACE_RESOURCES: setting('100000', 'resources', 'in a workspace with a key', integer(1)),
  WORKSPACE_BYTES: setting('268435456', 'bytes', 'in a workspace with a key', integer(1)),
  SCRATCH_RESOURCES: setting('200', 'resources', 'in a scratch space', integer(1)),
  SCRATCH_BYTES: setting('1048576', 'bytes', 'in a scratch space', integer(1)),
} as const

type Values = { readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }

export interface Config extends Readonly<Values> {
  readonly gate: GateSettings
}

/** What is wrong with the settings, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

/** Reads all settings. Throws a ConfigError that names every fault at once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { default: fallback, read }] of Object.entries(SETTINGS)) {
    try {
      values[name] = read(environment[name]?.trim() || fallback)
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : error}`)
    }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const config = values as Values
  return Object.freeze({ ...config, gate: gateSettings(config) })
}

function gateSettings(config: Values): GateSettings {
  return {
    freeLimitPerHour: config.FREE_LIMIT_PER_HOUR,
    apiLimitPerHour: config.API_LIMIT_PER_HOUR,
    freeCeiling48PerHour: config.FREE_CEILING_48_PER_HOUR,
    networkCeilingPerHour: config.NETWORK_CEILING_PER_HOUR,
    newKeysPerHour: config.NEW_KEYS_PER_HOUR,
    newKeysPerDay: config.NEW_KEYS_PER_DAY,
    newKeys48PerDay: config.NEW_KEYS_48_PER_DAY,
    newKeysTotalPerHour: config.NEW_KEYS_TOTAL_PER_HOUR,
    keyGuessesPerHour: config.KEY_GUESSES_PER_HOUR,
    keyIdleDays: config.KEY_IDLE_DAYS,
    trustedProxies: config.TRUSTED_PROXIES,
    clientIpHeader: config.CLIENT_IP_HEADER,
    corsOrigin: config.CORS_ORIGIN,
  }
}

function setting<T>(fallback: string, unit: string, help: string, read: (text: string) => T): Setting<T> {
  return { default: fallback, unit, help, read }
}

function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max))
      throw new Error(
        `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}.`,
      )
    return value
  }
}

function networks(text: string): readonly NetworkRange[] {
  return parseRanges(text)
}

function nonEmpty(text: string): string {
  return text
}

function oneOf<T extends string>(...choices: readonly T[]) {
  return (text: string): T => {
    const choice = choices.find((one) => one === text)
    if (!choice) throw new Error(`must be one of ${choices.join(', ')}.`)
    return choice
  }
}

function headerName(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error('must be the name of one header.')
  return text
}

function origins(text: string): '*' | readonly string[] {
  if (text === '*') return '*'
  const list = text.split(',').map((origin) => origin.trim())
  for (const origin of list) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new Error('must be * or a comma-separated list of origins such as https://example.org.')
  }
  return list
}
