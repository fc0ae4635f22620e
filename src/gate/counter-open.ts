/** Opens meter.db. One that is damaged makes room for a new one: nothing in it is irreplaceable, and callers wait for it. */
import { Database } from 'bun:sqlite'
import { existsSync, renameSync, statSync } from 'node:fs'
import type { MeterOptions } from './counter-options'
import { CounterStore } from './counter-store'

/**
 * @param mayReplace whether a damaged file may be set aside; then a line of the log names both files
 * @throws Error with one sentence: the file is in use, cannot be opened, or is of another secret
 */
export function openStore(options: MeterOptions, mayReplace: boolean): { store: CounterStore; replaced: boolean } {
  const {
    path,
    fingerprint,
    now,
    log,
    connect = (file) => new Database(file, { create: true, strict: true }),
  } = options
  const open = (damaged?: () => void) => new CounterStore(() => connect(path), fingerprint, damaged)
  if (!mayReplace) return { store: open(), replaced: false }
  let aside = ''
  const before = statSync(path, { throwIfNoEntry: false })?.ino
  try {
    const store = open(() => {
      // Between our opening of the file and our lock on it, another start may have put a new one in its place.
      if (statSync(path, { throwIfNoEntry: false })?.ino !== before) throw new Error('Another process uses meter.db.')
      aside = setAside(path, now())
    })
    return { store, replaced: false }
  } catch (error) {
    if (!aside) throw error
    log.error({ damaged: path, set_aside: aside, err: error }, 'meter.db is damaged: it is set aside for a new one')
    return { store: open(), replaced: true }
  }
}

/** Moves the file, with what SQLite keeps beside it, to the name that is returned; `at` (ms since 1970) is part of it. */
function setAside(path: string, at: number): string {
  const aside = `${path}.damaged-${new Date(at).toISOString().replaceAll(/[-:]/g, '')}`
  if (existsSync(aside)) return setAside(path, at + 1)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  return aside
}
