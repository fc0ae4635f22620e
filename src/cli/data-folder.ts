import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../db/context'
import { DatabaseUnavailable } from '../db/database'
import { MIGRATIONS, openDatabase } from '../db/open'
import { Meter } from '../gate/counter'
import { checkFingerprint, loadSecret } from '../gate/keys'

/** Opens the data folder for the server and the commands. Each error has a message of one sentence. */

export interface FolderSettings {
  readonly DATA_DIR: string
  readonly SATCHEL_SECRET: string | undefined
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly random: (bytes: Uint8Array) => Uint8Array
  readonly log: Log
}

/** Returns the path of the database in a data folder. */
export const databasePath = (folder: string) => join(folder, 'satchel.db')
/** Returns the path of the folder with the files of runs in a data folder. */
export const importsPath = (folder: string) => join(folder, 'imports')
/** Returns the path of the database with the counts of requests in a data folder. */
export const meterPath = (folder: string) => join(folder, 'meter.db')

/**
 * Runs a part of a command. An error of the system becomes a sentence that begins with `failure`; our own errors stay.
 */
export function runStep<T>(failure: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new Error(`${failure} (${error.message}).`)
    if (error instanceof Error && 'code' in error) throw new Error(`${failure} (${error.code}).`)
    throw error
  }
}

/** Makes the folder if it is missing, and checks that it is writable. @throws Error of one sentence */
export function makeFolder(folder: string): void {
  runStep(`DATA_DIR ${folder} is not a writable folder`, () => {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
  })
}

/** Reads the space of the disk that holds the folder, in bytes. Space reserved for root does not count as free. */
export function readDiskSpace(folder: string): { readonly free: number; readonly size: number } {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Returns the path of the database in a folder. @throws Error of one sentence if it is missing */
export function requireDatabase(folder: string): string {
  const path = databasePath(folder)
  if (!existsSync(path)) throw new Error(`DATA_DIR ${folder} holds no satchel.db.`)
  return path
}

/** Loads the secret of a folder; makes it if there is neither a secret nor a database. @throws Error of one sentence */
export function loadFolderSecret({ DATA_DIR, SATCHEL_SECRET }: FolderSettings, random: Deps['random']) {
  return runStep(`${join(DATA_DIR, 'secret')} cannot be read or written`, () =>
    loadSecret(SATCHEL_SECRET, DATA_DIR, existsSync(databasePath(DATA_DIR)), random),
  )
}

/**
 * Opens the databases and the secret for this process alone, and runs pending migrations.
 * @throws Error of one sentence
 */
export function openFolder(settings: FolderSettings, { now, random, log }: Deps) {
  const { DATA_DIR } = settings
  makeFolder(DATA_DIR)
  const secret = loadFolderSecret(settings, random)
  // Only one process can hold meter.db, so a second server on this folder stops here, before it changes anything.
  const meter = runStep(`${meterPath(DATA_DIR)} cannot be opened`, () => {
    return new Meter({ path: meterPath(DATA_DIR), fingerprint: secret.fingerprint, now, log })
  })
  const path = databasePath(DATA_DIR)
  const db = runStep(`${path} cannot be opened`, () =>
    openDatabase(path, now(), (kept) => {
      checkFingerprint(kept, secret.fingerprint, path)
      return secret.fingerprint
    }),
  )
  return { secret, meter, db }
}

/** Runs pending migrations, as a start of the server does. No server may be running. @throws Error of one sentence */
export async function migrateFolder(settings: FolderSettings, deps: Parameters<typeof openFolder>[1]): Promise<string> {
  const path = requireDatabase(settings.DATA_DIR)
  const { meter, db } = openFolder(settings, deps)
  meter.close()
  await db.close()
  return `${path} is at version ${MIGRATIONS.at(-1)?.version}.`
}
