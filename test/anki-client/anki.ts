import { join } from 'node:path'

/** A collection of Anki, in the words of anki.py. */
export interface Told {
  readonly notes: readonly { guid: string; fields: string[]; tags: string[]; type: string }[]
  readonly models: readonly string[]
  readonly cards: readonly AnkiCard[]
  readonly log: readonly [guid: string, ord: number, id: number, ease: number, time: number][]
  readonly media: readonly string[]
  /** New, learning, and in review. */
  readonly counts: readonly number[]
  readonly options: readonly (readonly [deck: string, options: { new: { perDay: number; delays: number[] } }])[]
  readonly log_rows: number
  readonly sound: boolean
  readonly problems: string
  readonly added?: number
  readonly updated?: number
}

interface AnkiCard {
  readonly guid: string
  readonly ord: number
  readonly deck: string
  readonly type: number
  readonly queue: number
  /** A civil date for cards in review, else Anki's number. */
  readonly due: string | number
  readonly interval: number
  readonly ease: number
  readonly lapses: number
}

/** Anki's library, and a collection of it in a folder. */
export class Anki {
  constructor(
    private readonly library: string,
    private readonly folder: string,
    /** That of the machine on which Anki runs. */
    private readonly zone: string,
  ) {}

  /** The package that `make` and `study` export. */
  get exported(): string {
    return join(this.folder, 'out.colpkg')
  }

  /** @param bytes of the package that is imported */
  async run(command: 'make' | 'study' | 'replace' | 'update', bytes?: Uint8Array): Promise<Told> {
    const given = join(this.folder, command === 'replace' ? 'in.colpkg' : 'in.apkg')
    if (bytes) await Bun.write(given, bytes)
    const parameters = [this.library, this.folder, command, ...(bytes ? [given] : [])]
    const child = Bun.spawn(['python3', join(import.meta.dir, 'anki.py'), ...parameters], {
      env: { PATH: process.env.PATH, HOME: this.folder, TZ: this.zone },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(`${command}: ${errors}`)
    return JSON.parse(out)
  }
}
