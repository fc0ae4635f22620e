import { existsSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { readBackup, unpackBackup, writeBackup } from '../db/backup'
import type { Context } from '../db/database'
import { checkFingerprint } from '../db/open'
import {
  databasePath,
  type FolderSettings,
  loadSecret,
  makeFolder,
  parseSecret,
  requireDatabase,
  runStep,
  secretPath,
  writeSecret,
} from './data-folder'

type Deps = Pick<Context, 'now' | 'random'>

/** Writes a backup of a data folder; a server may be running on it. @throws Error of one sentence */
export function backup(settings: FolderSettings, file: string, { now, random }: Deps): string {
  const path = requireDatabase(settings.DATA_DIR)
  if (existsSync(file)) throw new Error(`${file} exists already: a backup overwrites nothing.`)
  const { key, fingerprint } = loadSecret(settings, random)
  runStep(`${file} cannot be made from ${path}`, () =>
    writeBackup(path, file, { secret: key.toHex(), made_at: now() }, (kept) =>
      checkFingerprint(kept, fingerprint, path),
    ),
  )
  return `${file} holds ${path} and the secret (${statSync(file).size} bytes). Anyone who has it can read everything.`
}

const DATA_FILES = ['satchel.db', 'satchel.db-wal', 'secret', 'meter.db', 'meter.db-wal']

/** Makes a data folder from a backup. Overwrites nothing. @throws Error of one sentence */
export function restore({ DATA_DIR, SATCHEL_SECRET }: FolderSettings, file: string): string {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const existing = DATA_FILES.find((name) => existsSync(join(DATA_DIR, name)))
  if (existing) throw new Error(`DATA_DIR ${DATA_DIR} holds ${existing} already: restore into an empty folder.`)
  const { secret, made_at } = runStep(`${file} cannot be read`, () => readBackup(file))
  const key = parseSecret(secret, `The secret in ${file}`)
  if (SATCHEL_SECRET && parseSecret(SATCHEL_SECRET, 'SATCHEL_SECRET').toHex() !== key.toHex())
    throw new Error(`SATCHEL_SECRET differs from the secret in ${file}: unset it.`)
  makeFolder(DATA_DIR)
  runStep(`DATA_DIR ${DATA_DIR} cannot be filled from ${file}`, () => {
    unpackBackup(file, databasePath(DATA_DIR))
    // In this order: a server refuses to start on a database without its secret, but would start empty on a secret
    // alone.
    if (!SATCHEL_SECRET) writeSecret(secretPath(DATA_DIR), key)
  })
  return `${normalize(DATA_DIR)} is as it was at ${new Date(made_at).toISOString()}.`
}
