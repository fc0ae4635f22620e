import type { UpstreamSettings } from './chat/upstream/client'
import type { GateSettings } from './gate/tiers'
import { type NetworkRange, parseRanges } from './lib/client-address'
import type { RemoteSettings } from './search/meaning/remote'
import type { Quota } from './workspace/service'

/**
 * All settings of Satchel, and the only place that reads the environment. A test compares
 * docs/settings.md with SETTINGS.
 */

interface Setting<T> {
  readonly default: string
  readonly unit: string
  readonly help: string
  /** Parses the text. @throws Error with the rest of a sentence: what the value must be */
  readonly read: (text: string) => T
}

/** The time limit of one request for embeddings; long enough for the other server to load its model first. */
const EMBEDDING_TIMEOUT_MS = 60_000
/** Bytes that a file imported without a key may have. */
const MAX_SCRATCH_FILE_BYTES = 4 * 1024 * 1024

/** The table of settings. An unset or blank variable has its default. */
export const SETTINGS = {
  HOST: setting('127.0.0.1', 'address', 'the address to listen on; 0.0.0.0 for all', asIs),
  PORT: setting('3000', 'port', 'the port to listen on; 0 for any free one', integer(0, 65_535)),
  DATA_DIR: setting('./data', 'folder', 'where everything is kept', asIs),
  LOG_LEVEL: setting(
    'info',
    'level',
    'trace, debug, info, warn, error or silent',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
  FREE_LIMIT_PER_HOUR: setting('20', 'requests', 'for each address without a key', integer(1)),
  API_LIMIT_PER_HOUR: setting('1000', 'requests', 'for each key', integer(1)),
  NETWORK_CEILING_PER_HOUR: setting('5000', 'requests', 'for all keys of one network together; 0 = off', integer(0)),
  NEW_KEYS_PER_DAY: setting('20', 'keys', 'new from one network a day, as many in other formats; 0 = off', integer(0)),
  TRUSTED_PROXIES: setting('', 'CIDR list', 'the proxies that are trusted to name the client', networks),
  CLIENT_IP_HEADER: setting('X-Forwarded-For', 'header', 'the header in which they name the client', headerName),
  METRICS_ALLOW: setting('', 'CIDR list', 'who may read /metrics, besides this machine', networks),
  CORS_ORIGIN: setting('*', 'origins', '* or a comma-separated list of origins whose pages may call', origins),
  SATCHEL_SECRET: setting(
    '',
    '32 bytes',
    'as 64 hex digits or base64url; else the file `secret` in DATA_DIR',
    (text) => text || undefined,
  ),
  DATABASE_URL: setting(
    '',
    'address',
    'of a PostgreSQL for all data, as postgres://…; unset: SQLite',
    serverOf('postgres'),
  ),
  REDIS_URL: setting('', 'address', 'of the Valkey or Redis that counts with it, as redis://…', serverOf('redis')),
  CHAT_BASE_URL: setting('', 'address', 'of a language model, such as http://127.0.0.1:11434/v1; unset: none', address),
  CHAT_MODEL: setting('', 'name', 'of the model there', (text) => text || null),
  CHAT_API_KEY: setting('', 'key', 'for that server, sent to no other; unset: none', headerValue),
  CHAT_CONCURRENCY: setting(
    '4',
    'requests',
    'with the model at once, one for each key or address; others wait 10 s',
    integer(1),
  ),
  CHAT_TOKENS_PER_DAY: setting('200000', 'tokens', 'of the model, for each key or address in a day (UTC)', integer(0)),
  SEMANTIC_BASE_URL: setting('', 'address', 'of a model for search by meaning, with its /v1; unset: none', address),
  SEMANTIC_MODEL: setting('', 'name', 'of the model there', (text) => text || null),
  SEMANTIC_API_KEY: setting('', 'key', 'for that server, sent to no other; unset: none', headerValue),
  WORKSPACE_RESOURCES: setting('100000', 'resources', 'in a workspace with a key', integer(1)),
  WORKSPACE_BYTES: setting('268435456', 'bytes', 'in a workspace with a key', integer(1)),
  SCRATCH_RESOURCES: setting('200', 'resources', 'in the scratch spaces of an address', integer(1)),
  SCRATCH_BYTES: setting('1048576', 'bytes', 'in the scratch spaces of an address', integer(1)),
  IMPORT_BYTES: setting('536870912', 'bytes', 'of a file to import with a key; without one, at most 4 MiB', integer(1)),
  IMPORT_ITEMS: setting('200000', 'items', 'of a file to import', integer(1)),
  MIN_FREE_BYTES: setting('', 'bytes', 'of disk that stay free; unset: 512 MiB, or 5 % if less; 0 = off', (text) =>
    text === '' ? null : integer(0)(text),
  ),
} as const

type Values = { readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }

export interface Config extends Readonly<Values> {
  readonly gate: GateSettings
  /** The quotas of a workspace with a key, and of the scratch spaces of an address. */
  readonly quotas: Readonly<Record<'key' | 'scratch', Quota>>
  /** The limits of a file to import: its bytes, with a key and without one, and its items. */
  readonly imports: { readonly key: number; readonly scratch: number; readonly items: number }
  /** The language model; null without one. */
  readonly upstream: UpstreamSettings | null
  /** The source of embeddings; null: search goes by words alone. */
  readonly semantic: RemoteSettings | null
}

/** Thrown if settings are invalid; `faults` has a sentence for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

/** Reads all settings. @throws ConfigError with all faults at once */
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
  const config = values as Values
  if (config.CHAT_BASE_URL && !config.CHAT_MODEL) faults.push('CHAT_MODEL must name the model at CHAT_BASE_URL.')
  if (/^(auto|satchel-local(-write)?)$/.test(config.CHAT_MODEL ?? ''))
    faults.push('CHAT_MODEL must not be auto, satchel-local or satchel-local-write: these names have a meaning here.')
  if (config.SEMANTIC_BASE_URL && !config.SEMANTIC_MODEL)
    faults.push('SEMANTIC_MODEL must name the model at SEMANTIC_BASE_URL.')
  if (!config.DATABASE_URL !== !config.REDIS_URL)
    faults.push('DATABASE_URL and REDIS_URL must both be set, or neither: each process needs both.')
  if (config.DATABASE_URL && !config.SATCHEL_SECRET)
    faults.push('SATCHEL_SECRET must be set with DATABASE_URL: all processes need the same one.')
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze({
    ...config,
    gate: gateSettings(config),
    quotas: {
      key: { resources: config.WORKSPACE_RESOURCES, size_bytes: config.WORKSPACE_BYTES },
      scratch: { resources: config.SCRATCH_RESOURCES, size_bytes: config.SCRATCH_BYTES },
    },
    imports: {
      key: config.IMPORT_BYTES,
      scratch: Math.min(config.IMPORT_BYTES, MAX_SCRATCH_FILE_BYTES),
      items: config.IMPORT_ITEMS,
    },
    upstream: upstreamSettings(config),
    semantic: semanticSettings(config),
  })
}

/** Reads the settings of a client command. It reads no others, so an invalid setting of the server does not stop it. */
export function readClientConfig(environment: Readonly<Record<string, string | undefined>> = process.env) {
  return {
    /** The API key; '' without one. */
    key: environment.SATCHEL_KEY?.trim() ?? '',
    /** The address of a server on this machine with the same HOST and PORT. */
    url: localAddress(environment.HOST?.trim() ?? '', environment.PORT?.trim() || SETTINGS.PORT.default),
  }
}

/** Returns the address at which a server that listens on `host` is reached from its own machine. */
function localAddress(host: string, port: string): string {
  const reached = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

function upstreamSettings(config: Values): UpstreamSettings | null {
  const { CHAT_BASE_URL: baseUrl, CHAT_MODEL: model, CHAT_API_KEY: apiKey } = config
  return baseUrl && model ? { baseUrl, model, apiKey } : null
}

function semanticSettings(config: Values): Config['semantic'] {
  const { SEMANTIC_BASE_URL: baseUrl, SEMANTIC_MODEL: model, SEMANTIC_API_KEY: apiKey } = config
  return baseUrl && model ? { baseUrl, model, apiKey, totalMs: EMBEDDING_TIMEOUT_MS } : null
}

function gateSettings(config: Values): GateSettings {
  return {
    freeLimitPerHour: config.FREE_LIMIT_PER_HOUR,
    apiLimitPerHour: config.API_LIMIT_PER_HOUR,
    networkCeilingPerHour: config.NETWORK_CEILING_PER_HOUR,
    newKeysPerDay: config.NEW_KEYS_PER_DAY,
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

/** Reads the address of a server by the scheme of its protocol, or with the `s` of TLS; null if it is unset. */
function serverOf(scheme: 'postgres' | 'redis') {
  const schemes = { postgres: ['postgres:', 'postgresql:'], redis: ['redis:', 'rediss:'] }[scheme]
  return (text: string): string | null => {
    if (text === '') return null
    if (!schemes.includes(URL.parse(text)?.protocol ?? ''))
      throw new Error(`must be an address of ${schemes.join('// or ')}//.`)
    return text
  }
}

/** Returns the text; an empty one never gets here, since it has the default. */
function asIs(text: string): string {
  return text
}

function oneOf<T extends string>(...choices: readonly T[]) {
  return (text: string): T => {
    const choice = choices.find((value) => value === text)
    if (!choice) throw new Error(`must be one of ${choices.join(', ')}.`)
    return choice
  }
}

/** Parses an http(s) address, and drops a slash at its end; null if it is unset. */
function address(text: string): string | null {
  if (text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isInvalid = !url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash
  if (isInvalid) throw new Error('must be an http or https address without a user, a query or a fragment.')
  return text.replace(/\/+$/, '')
}

function headerName(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error('must be the name of one header.')
  return text
}

/** Parses the value of a header; null if it is unset. It is secret, so no message shows it. */
function headerValue(text: string): string | null {
  if (!/^[!-~]*$/.test(text)) throw new Error('must be visible ASCII without spaces, so that a header can carry it.')
  return text || null
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
