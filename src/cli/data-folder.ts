import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../db/context'
import { DatabaseUnavailable } from '../db/database'
import { MIGRATIONS, openDatabase } from '../db/open'
import { Meter } from '../gate/counter'
import { checkFingerprint, loadSecret } from '../gate/keys'

/** The data folder as the server and the commands open it, each failure in one sentence. */

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

/** Where the database is in a data folder. */
export const databasePath = (folder: string) => join(folder, 'satchel.db')
/** Where what arrives to be imported is, and the runs of imports are, in a data folder. */
export const importsPath = (folder: string) => join(folder, 'imports')
/** Where the counts of requests are in a data folder. */
export const meterPath = (folder: string) => join(folder, 'meter.db')

/** Runs a part of a command. What the system says when it fails goes into one sentence; a sentence of ours stays. */
export function runStep<T>(failure: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new Error(`${failure} (${error.message}).`)
    if (error instanceof Error && 'code' in error) throw new Error(`${failure} (${error.code}).`)
    throw error
  }
}

/** Makes the folder, if it is not there, and sees that it can be written to. Throws an Error of one sentence. */
export function makeFolder(folder: string): void {
  runStep(`DATA_DIR ${folder} is no folder that can be written to`, () => {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
  })
}

/** The space of the disk that holds the folder, in bytes. What only root may fill is not free. */
export function readDiskSpace(folder: string): { readonly free: number; readonly size: number } {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Sees that the folder holds a database, for the commands that make none. Throws an Error of one sentence. */
export function requireDatabase(folder: string): string {
  const path = databasePath(folder)
  if (!existsSync(path)) throw new Error(`DATA_DIR ${folder} holds no satchel.db.`)
  return path
}

/** The secret of a folder; made if there is neither one nor a database. Throws an Error of one sentence. */
export function loadFolderSecret({ DATA_DIR, SATCHEL_SECRET }: FolderSettings, random: Deps['random']) {
  return runStep(`${join(DATA_DIR, 'secret')} cannot be read or written`, () =>
    loadSecret(SATCHEL_SECRET, DATA_DIR, existsSync(databasePath(DATA_DIR)), random),
  )
}

/** Opens all that a server needs, brought up to date, for this process alone. Throws an Error of one sentence. */
export function openFolder(settings: FolderSettings, { now, random, log }: Deps) {
  const { DATA_DIR } = settings
  makeFolder(DATA_DIR)
  const secret = loadFolderSecret(settings, random)
  // One process holds the meter, so a second server on this folder stops here, before it touches anything.
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

/** Brings the database of a data folder up to date, as a start does, while no server runs. Throws an Error of one sentence. */
export async function migrateFolder(settings: FolderSettings, deps: Parameters<typeof openFolder>[1]): Promise<string> {
  const path = requireDatabase(settings.DATA_DIR)
  const { meter, db } = openFolder(settings, deps)
  meter.close()
  await db.close()
  return `${path} is at version ${MIGRATIONS.at(-1)?.version}.`
}
