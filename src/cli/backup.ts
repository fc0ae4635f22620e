import { existsSync, statSync } from 'node:fs'
import { writeBackup } from '../db/backup'
import { checkFingerprint } from '../gate/keys'
import { expectDatabase, type FolderSettings, secretOf, step } from './data-folder'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly random: (bytes: Uint8Array) => Uint8Array
}

/** Writes the backup of a data folder, whether a server runs on it or not. Throws an Error of one sentence. */
export function backup(settings: FolderSettings, file: string, { now, random }: Deps): string {
  const path = expectDatabase(settings.DATA_DIR)
  if (existsSync(file)) throw new Error(`${file} is there already: a backup overwrites nothing.`)
  const { key, fingerprint } = secretOf(settings, random)
  step(`${file} cannot be made of ${path}`, () =>
    writeBackup(path, file, { secret: key.toHex(), made_at: now() }, (kept) =>
      checkFingerprint(kept, fingerprint, path),
    ),
  )
  return `${file} holds ${path} and the secret (${statSync(file).size} bytes). Whoever has it can read everything.`
}
