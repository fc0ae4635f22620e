import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A clock of its own for a process, which can be set while it runs: libfaketime (Debian's package `faketime`). */

const [LIBRARY] = new Bun.Glob('*/faketime/libfaketime.so.1').scanSync('/usr/lib')

export class Faketime {
  readonly #file: string
  #offsetMs = 0

  /** @param folder where the file is kept that says what time it is */
  constructor(folder: string) {
    if (!LIBRARY) throw new Error('libfaketime is missing: install the package faketime.')
    this.#file = join(folder, 'faketime')
    this.set(0)
  }

  /** What a process is started with to have this clock. Its timers stay as they are. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: join('/usr/lib', LIBRARY ?? ''),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** ms since 1970, as the process sees it. */
  get now(): number {
    return Date.now() + this.#offsetMs
  }

  /** Sets it to so many ms more than the clock of the machine, at once and for all who have it. */
  set(offsetMs: number): void {
    this.#offsetMs = offsetMs
    const draft = `${this.#file}.new`
    writeFileSync(draft, `${offsetMs < 0 ? '-' : '+'}${(Math.abs(offsetMs) / 1000).toFixed(3)}\n`)
    renameSync(draft, this.#file)
  }
}
