import type { Database } from 'bun:sqlite'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UpstreamSettings } from '../chat/upstream/client'
import type { Trial } from '../chat/upstream/trial'
import { NEWEST_VERSION, readSchemaVersion } from '../db/open'
import { openSqlite } from '../db/sqlite-file'
import { WARNINGS } from '../gate/clients'
import { SILENT_LOG } from '../log/log'
import {
  type Diagnosis,
  type EngineSettings,
  type FolderSettings,
  importsPath,
  isReadableByOthers,
  listVersionFaults,
  meterPath,
  readDiskSpace,
  requireDatabase,
  runLongStep,
  runStep,
  secretPath,
} from './data-folder'

/** `satchel doctor`: what an operator needs to know when something is odd, of the data folder and the running server. */

interface Deps {
  readonly url: string
  readonly version: string
  readonly now: () => number
}

interface ModelSettings {
  readonly upstream: UpstreamSettings | null
}

interface Findings extends Diagnosis {
  /** Why a part could not be looked at; null if all was. */
  readonly missing: string | null
}

/** Asks the server past any proxy, at /metrics, which counts no request. @throws Error of one sentence */
export async function examine(
  settings: FolderSettings & EngineSettings & ModelSettings,
  { url, version, now }: Deps,
): Promise<Findings> {
  const parts: Diagnosis[] = [(await examineEngines(settings)) ?? examineFolder(settings)]
  let missing: string | null = null
  parts.push(
    await examineServer(url, version).catch((error: Error) => {
      missing = error.message
      return { facts: [], faults: [] }
    }),
  )
  parts.push(await examineModel(settings, now))
  return {
    facts: [`Satchel ${version} with Bun ${Bun.version}.`, ...parts.flatMap(({ facts }) => facts)],
    faults: parts.flatMap(({ faults }) => faults.map((fault) => `${fault}.`)),
    missing,
  }
}

async function examineEngines({ DATABASE_URL, REDIS_URL }: EngineSettings): Promise<Diagnosis | null> {
  if (!DATABASE_URL || !REDIS_URL) return null
  const { examinePostgres, examineRedis } = await import('./doctor-engines-store')
  const { CONNECTIONS_OF_PROCESS, PostgresDatabase } = await import('../db/postgres/postgres')
  const { RedisConnection } = await import('../db/redis')
  const db = new PostgresDatabase(DATABASE_URL)
  const postgres = await runLongStep('DATABASE_URL cannot be used', () =>
    examinePostgres(db, CONNECTIONS_OF_PROCESS),
  ).finally(() => db.close())
  const redis = await RedisConnection.open({ url: REDIS_URL, log: SILENT_LOG, prepare: async () => {} })
  const counters = await examineRedis(redis).finally(() => redis.close())
  return {
    facts: [...postgres.facts, ...counters.facts],
    faults: [...postgres.faults, ...counters.faults],
  }
}

function examineFolder({ DATA_DIR }: FolderSettings): Diagnosis {
  const path = requireDatabase(DATA_DIR)
  const { schema, sqlite, media } = runStep(`${path} cannot be read`, () => {
    using db = openSqlite(path, 'readwrite')
    const row = db.query<{ sqlite: string }, []>('SELECT sqlite_version() AS sqlite').get()
    const schema = readSchemaVersion(db)
    return { schema, sqlite: row?.sqlite, media: schema === NEWEST_VERSION ? sumMedia(db) : null }
  })
  const faults = [
    ...listVersionFaults(schema),
    ...(isReadableByOthers(secretPath(DATA_DIR)) ? [WARNINGS.secret_readable] : []),
  ]
  const { free, size } = readDiskSpace(DATA_DIR)
  return {
    facts: [
      `${path} has ${inMiB(sizeOf(path))} at version ${schema}, with SQLite ${sqlite}${media === null ? '' : `; ${inMiB(media)} of it are media and attachments`}.`,
      `Its log has ${inMiB(sizeOf(`${path}-wal`))}, ${meterPath(DATA_DIR)} ${inMiB(sizeOf(meterPath(DATA_DIR)))}, files of imports ${inMiB(sizeOfFolder(importsPath(DATA_DIR)))}.`,
      `The disk has ${inMiB(free)} of ${inMiB(size)} free.`,
    ],
    faults,
  }
}

async function examineServer(url: string, version: string): Promise<Diagnosis> {
  const { status, text } = await ask(`${url}/metrics`)
  if (status === 404)
    throw new Error(
      `The server at ${url} shows nothing to this machine: name ${new URL(url).hostname} in METRICS_ALLOW.`,
    )
  const running = /^satchel_info\{version="(.*)"\} 1$/m.exec(text)?.[1]
  if (status !== 200 || running === undefined) throw new Error(`What answers at ${url} is not Satchel, or is failing.`)
  const numberOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const [free, floor] = [numberOf('satchel_disk_free_bytes'), numberOf('satchel_disk_floor_bytes')]
  const warnings = [...text.matchAll(/^satchel_warning\{warning="(\w+)"\} 1$/gm)].map(([, name = '']) => name)
  const faults = [
    ...(running === version ? [] : [`the server is Satchel ${running}: restart it with this one`]),
    ...(free < floor
      ? [`the disk has less room than MIN_FREE_BYTES, ${inMiB(floor)}: what adds to the data is refused`]
      : []),
    ...(numberOf('satchel_meter_failing') === 1 ? ['requests cannot be counted, so all are refused: see the log'] : []),
    // That of the secret is found in the folder as it is now.
    ...warnings
      .filter((name) => name !== 'secret_readable')
      .map((name) => `${name in WARNINGS ? WARNINGS[name as keyof typeof WARNINGS] : name} (${name})`),
  ]
  return {
    facts: [`The server at ${url} is Satchel ${running}; it keeps ${inMiB(floor || 0)} of the disk free.`],
    faults,
  }
}

const CAME: Readonly<Record<Exclude<Trial['came'], 'failure'>, string>> = {
  call: 'called the tool it was given',
  words: 'answered in words and called no tool: it may answer without looking into the notes',
  nothing: 'answered with neither words nor a call: it may need more tokens than one answer has',
  refused_tools: 'takes no tools (upstream_refused_tools): it gets what a search finds, and can change nothing',
}

const ADVICE = {
  upstream_unauthorized: 'check CHAT_API_KEY',
  upstream_out_of_tokens: 'its account may have no credit',
  upstream_unreachable: 'check CHAT_BASE_URL',
  upstream_timeout: 'it may still be loading',
  upstream_failed: 'check CHAT_MODEL, and that CHAT_BASE_URL has the version, such as /v1',
} as const

/** Asks the language model of the settings one question with one tool. */
async function examineModel({ upstream }: ModelSettings, now: () => number): Promise<Diagnosis> {
  if (!upstream) return { facts: [], faults: [] }
  const { tryModel } = await import('../chat/upstream/trial')
  const named = `The language model ${upstream.model} at ${new URL(upstream.baseUrl).origin}`
  const trial = await tryModel(upstream, { now, log: SILENT_LOG })
  if (trial.came !== 'failure') return { facts: [`${named} ${CAME[trial.came]}.`], faults: [] }
  const { cause, fault } = trial
  return { facts: [], faults: [`${named} did not answer: ${fault} (${cause}); ${ADVICE[cause]}`] }
}

function sumMedia(db: Database): number {
  return db.query<{ bytes: number }, []>('SELECT coalesce(sum(size_bytes), 0) AS bytes FROM blobs').get()?.bytes ?? 0
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function sizeOfFolder(path: string): number {
  if (!existsSync(path)) return 0
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + sizeOf(join(path, name)),
    0,
  )
}

const inMiB = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`

/** Asks the server on this machine; `satchel health`: whether it takes requests, for the health check of a container. */

/** A server that takes longer does not answer. */
const TIMEOUT_MS = 4000

/** Asks a server whether it is ready. Returns a sentence if so. @throws Error of one sentence if not */
export async function checkHealth(url: string): Promise<string> {
  const { status } = await ask(`${url}/readyz`)
  if (status !== 200) throw new Error(`The server at ${url} is not ready: it answers ${status}.`)
  return `The server at ${url} is ready.`
}

/** A GET past any proxy that HTTP_PROXY names; follows no redirect. @throws Error of one sentence without an answer */
async function ask(url: string): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, { signal, proxy: false, redirect: 'manual' })
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    const { origin, protocol } = new URL(url)
    const why = protocol === 'https:' && error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`No server answers at ${origin}${why}.`, { cause: error })
  }
}
