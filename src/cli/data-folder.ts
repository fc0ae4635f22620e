import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { putInPlace } from '../db/backup'
import { type Context, type Database, DatabaseUnavailable } from '../db/database'
import { checkFingerprint, NEWEST_VERSION, openDatabase, readFileVersion } from '../db/open'
import { createLocalPlaces, type LimitedPlaces } from '../db/places'
import type { RedisCommands } from '../db/redis'
import type { Channel } from '../db/redis-channel'
import { keepTemporaryFilesIn } from '../db/sqlite-file'
import { Meter } from '../gate/counter'
import { fingerprintOf } from '../gate/keys'
import type { OpenCounter } from '../gate/tiers'

/** Opens the data folder for the server and the commands. Each error has a message of one sentence. */

export interface FolderSettings {
  readonly DATA_DIR: string
  readonly SATCHEL_SECRET: string | undefined
}

export interface EngineSettings {
  readonly DATABASE_URL: string | null
  readonly REDIS_URL: string | null
}

interface Opened {
  readonly secret: Secret
  readonly meter: OpenCounter
  readonly db: Database
  /** To the other processes of this server; null if there can be none. */
  readonly channel: Channel | null
  readonly places: LimitedPlaces
  close(): Promise<void>
}

type Deps = Pick<Context, 'now' | 'random' | 'log'> & Partial<Pick<Context, 'ticks'>>

export const databasePath = (folder: string) => join(folder, 'satchel.db')
export const importsPath = (folder: string) => join(folder, 'imports')
/** The indexes of search: they can be thrown away, and are in no backup. */
export const searchPath = (folder: string) => join(folder, 'search')
export const meterPath = (folder: string) => join(folder, 'meter.db')

/** An error of the system becomes a sentence that begins with `failure`; our own errors stay. */
export function runStep<T>(failure: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw describeFailure(failure, error)
  }
}

export async function runLongStep<T>(failure: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeFailure(failure, error)
  }
}

function describeFailure(failure: string, error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return new Error(`${failure} (${error.message}).`)
  if (error instanceof Error && 'code' in error) return new Error(`${failure} (${error.code}).`)
  return error
}

/** SQLite keeps its temporary files in the folder, which must be writable. @throws Error of one sentence */
export function makeFolder(folder: string): void {
  runStep(`DATA_DIR ${folder} is not a writable folder`, () => {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
    keepTemporaryFilesIn(folder)
  })
}

/** Reads the space of the disk that holds the folder, in bytes. Space reserved for root does not count as free. */
export function readDiskSpace(folder: string): { readonly free: number; readonly size: number } {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** SQLite keeps its temporary files beside it. @throws Error of one sentence if it is missing */
export function requireDatabase(folder: string): string {
  const path = databasePath(folder)
  if (!existsSync(path)) throw new Error(`DATA_DIR ${folder} holds no satchel.db.`)
  keepTemporaryFilesIn(folder)
  return path
}

/** @throws Error of one sentence if the data is in PostgreSQL, for a command that works on the data folder */
export function requireFolder<Settings extends EngineSettings>(settings: Settings): Settings {
  if (settings.DATABASE_URL)
    throw new Error(
      'All data is in PostgreSQL at DATABASE_URL: copy it with pg_dump and pg_restore, check it with pg_amcheck, and keep SATCHEL_SECRET.',
    )
  return settings
}

/** The secret under which keys and addresses are hashed. Under another one no caller would find their workspace. */
export interface Secret {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** 32 hexadecimal digits that identify the secret; all databases store it. */
  readonly fingerprint: string
  readonly readableByOthers: boolean
}

export const secretPath = (folder: string) => join(folder, 'secret')

/**
 * Loads the secret: SATCHEL_SECRET, or the file `secret`, which is made if there is neither one nor a database.
 * @throws Error of one sentence if it is not 32 bytes, or the file is missing although there is a database
 */
export function loadSecret({ DATA_DIR, SATCHEL_SECRET }: FolderSettings, random: Deps['random']): Secret {
  const file = secretPath(DATA_DIR)
  if (SATCHEL_SECRET !== undefined) return secretOf(parseSecret(SATCHEL_SECRET, 'SATCHEL_SECRET'), false)
  return runStep(`${file} cannot be read or written`, () => {
    if (!existsSync(file)) {
      if (existsSync(databasePath(DATA_DIR)))
        throw new Error(`The file ${file} is missing: put it back, since every workspace depends on it.`)
      writeSecret(file, random(new Uint8Array(32)))
    }
    return secretOf(parseSecret(readFileSync(file, 'utf8').trim(), `The file ${file}`), isReadableByOthers(file))
  })
}

const secretOf = (key: Uint8Array, readableByOthers: boolean): Secret => {
  return { key, fingerprint: fingerprintOf(key), readableByOthers }
}

/** Whether the mode of a file lets others than its owner read or change it; false if there is none. */
export function isReadableByOthers(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0
}

/** Parses 32 bytes. @param where the subject of the sentence if they are invalid */
export function parseSecret(text: string, where: string): Uint8Array {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.fromHex(text)
  if (/^[0-9A-Za-z_-]{43}=?$/.test(text)) return new Uint8Array(Buffer.from(text, 'base64url'))
  throw new Error(`${where} must be 32 bytes, written as 64 hexadecimal digits or in base64url.`)
}

/** Writes the file of the secret atomically: an incomplete secret would be as bad as none. */
export function writeSecret(file: string, key: Uint8Array): void {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${key.toHex()}\n`, { flag: 'wx', mode: 0o600 })
  putInPlace(draft, file)
}

/** PostgreSQL and Redis if they are set, else the data folder; runs migrations. @throws Error of one sentence */
export async function openData(settings: FolderSettings & EngineSettings, deps: Deps): Promise<Opened> {
  const { DATA_DIR, DATABASE_URL, REDIS_URL } = settings
  if (!DATABASE_URL || !REDIS_URL) return openFolder(settings, deps)
  makeFolder(DATA_DIR)
  const secret = loadSecret(settings, deps.random)
  // Loaded here alone: a server on SQLite needs neither.
  const { openRedisCounter } = await import('../gate/counter-redis')
  const { keepRows, openPostgres } = await import('../db/postgres/open')
  const meter = await openRedisCounter({ url: REDIS_URL, fingerprint: secret.fingerprint, log: deps.log })
  const db = await runLongStep('DATABASE_URL cannot be used', async () => {
    const check = (kept: string | null) => {
      checkFingerprint(kept, secret.fingerprint, 'The database at DATABASE_URL')
      return secret.fingerprint
    }
    const db = await openPostgres(DATABASE_URL, deps.now(), check, deps.ticks)
    await keepRows(db)
    return db
  })
  const shared = await openShared(REDIS_URL, deps)
  const close = async () => {
    shared.close()
    meter.close()
    await db.close()
  }
  return { secret, meter, db, channel: shared.channel, places: shared.places, close }
}

/** Opens what the processes of one server share beside their data: messages, and places that are limited in number. */
async function openShared(url: string, { log, random }: Deps) {
  const { RedisConnection } = await import('../db/redis')
  const { openRedisChannel } = await import('../db/redis-channel')
  const { createRedisPlaces } = await import('../db/places-redis')
  const newId = () => random(new Uint8Array(16)).toHex()
  // The first command connects.
  const prepare = async (redis: RedisCommands) => void (await redis.send('PING', []))
  const redis = await RedisConnection.open({ url, log, prepare })
  const messages = await openRedisChannel(redis, { url, log }, newId())
  const places = createRedisPlaces({ redis, ids: newId })
  const close = () => {
    places.close()
    messages.close()
    redis.close()
  }
  return { channel: messages.channel, places, close }
}

/** The databases and the secret for this process alone; runs pending migrations. @throws Error of one sentence */
export function openFolder(settings: FolderSettings, { now, ticks, random, log }: Deps): Opened {
  const { DATA_DIR } = settings
  makeFolder(DATA_DIR)
  const secret = loadSecret(settings, random)
  const path = databasePath(DATA_DIR)
  // First of all: where it cannot be opened, nothing in the folder is changed.
  if (existsSync(path)) runStep(`${path} cannot be opened`, () => readFileVersion(path))
  // Only one process can hold meter.db, so a second server on this folder stops here, before it changes anything.
  const meter = runStep(`${meterPath(DATA_DIR)} cannot be opened`, () => {
    return new Meter({ path: meterPath(DATA_DIR), fingerprint: secret.fingerprint, now, log })
  })
  const check = (kept: string | null) => {
    checkFingerprint(kept, secret.fingerprint, path)
    return secret.fingerprint
  }
  const db = runStep(`${path} cannot be opened`, () => openDatabase(path, now(), check, ticks))
  const close = async () => {
    meter.close()
    await db.close()
  }
  return { secret, meter, db, channel: null, places: createLocalPlaces(), close }
}

/** What `satchel doctor` finds of a part of the server, a sentence each. */
export interface Diagnosis {
  readonly facts: readonly string[]
  /** What is to be mended. */
  readonly faults: readonly string[]
}

/** @param version that of a database */
export function listVersionFaults(version: number): string[] {
  if (version < NEWEST_VERSION)
    return [`the database is at version ${version} of ${NEWEST_VERSION}: start this Satchel, or migrate it`]
  if (version === NEWEST_VERSION) return []
  return [`the database is at version ${version}, and this Satchel knows ${NEWEST_VERSION}: use the newer one`]
}

/** Runs pending migrations, as a start of the server does. No server may be running. @throws Error of one sentence */
export async function migrateData(settings: FolderSettings & EngineSettings, deps: Deps): Promise<string> {
  const what = settings.DATABASE_URL ? 'The database at DATABASE_URL' : requireDatabase(settings.DATA_DIR)
  const { close } = await openData(settings, deps)
  await close()
  return `${what} is at version ${NEWEST_VERSION}.`
}
