import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { ImportAction } from './kind'
import type { ReportItem } from './report'

/** The report of a run that has ended: a line for each item, in a SQLite file in the run's folder. */

/** Bytes of JSON that a report may have. Further lines are not kept, only counted in the totals. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024

export class ReportWriter {
  readonly #db: Sqlite
  #bytesLeft = MAX_REPORT_BYTES

  constructor(path: string) {
    closeSync(openSync(path, 'w', 0o600))
    this.#db = new Sqlite(path, { strict: true, readwrite: true })
    this.#db.run('PRAGMA journal_mode = OFF')
    this.#db.run('CREATE TABLE report (seq INTEGER PRIMARY KEY, action TEXT NOT NULL, item TEXT NOT NULL) STRICT')
    this.#db.run('CREATE INDEX report_of_action ON report (action, seq)')
  }

  /** Adds lines. Returns whether there is room for more. */
  add(items: readonly { readonly seq: number; readonly item: ReportItem }[]): boolean {
    this.#db.transaction(() => {
      const insert = this.#db.query('INSERT INTO report VALUES (?, ?, ?)')
      for (const { seq, item } of items) {
        const text = JSON.stringify(item)
        this.#bytesLeft -= Buffer.byteLength(text)
        if (this.#bytesLeft >= 0) insert.run(seq, item.action, text)
      }
    })()
    return this.#bytesLeft >= 0
  }

  close(): void {
    this.#db.close()
  }
}

/** Reads lines of a report from `seq` on, all or those with one action; none if there is no report. */
export function readReport(
  path: string,
  seq: number,
  limit: number,
  action: ImportAction | null,
): { seq: number; item: ReportItem }[] {
  if (!existsSync(path)) return []
  const db = new Sqlite(path, { strict: true, readonly: true })
  try {
    return db
      .query<{ seq: number; item: string }, [number, number] | [number, number, ImportAction]>(
        `SELECT seq, item FROM report WHERE seq >= ?1 ${action ? 'AND action = ?3' : ''} ORDER BY seq LIMIT ?2`,
      )
      .all(...(action ? ([seq, limit, action] as const) : ([seq, limit] as const)))
      .map(({ seq, item }) => ({ seq, item: JSON.parse(item) }))
  } finally {
    db.close()
  }
}
