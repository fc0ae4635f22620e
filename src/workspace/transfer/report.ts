import type { Merged } from '../../db/portable'
import type { Refusal } from '../../http/problem'
import type { ArchiveReport } from './schema'

/** Of more lines that are told, the first. */
const LINES_TOLD = 200

/** Why a line is not taken. */
export interface LineFault {
  readonly code: string
  readonly detail: string
}

/** What a line is refused for: by the first member that is wrong, if it is one. */
export function faultOf({ code, detail, extra }: Refusal): LineFault {
  const [fault] = (extra.errors ?? []) as readonly { readonly code: string }[]
  return { code: fault?.code ?? code, detail }
}

/** What an import came to, while it goes on. */
export class Report {
  readonly #resources: ArchiveReport['resources']
  readonly #lines: ArchiveReport['lines'] = []
  #total = 0
  #refused = 0

  constructor(types: readonly string[]) {
    this.#resources = Object.fromEntries(
      types.map((type) => [type, { created: 0, updated: 0, unchanged: 0, refused: 0 }]),
    )
  }

  /** Lines that were refused so far. */
  get refused(): number {
    return this.#refused
  }

  count(type: string, outcome: Merged | 'refused'): void {
    if (outcome === 'refused') this.#refused++
    const counts = this.#resources[type]
    if (counts) counts[outcome]++
  }

  tell(where: string, { code, detail }: LineFault): void {
    this.#total++
    if (this.#lines.length < LINES_TOLD) this.#lines.push({ where, code, detail })
  }

  done(dryRun: boolean): ArchiveReport {
    return { dry_run: dryRun, resources: this.#resources, lines: this.#lines, lines_total: this.#total }
  }
}
