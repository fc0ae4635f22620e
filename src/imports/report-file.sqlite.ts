import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { ImportAction } from './kind'
import type { ReportItem } from './report'

/** What is kept of a run once it has ended: a line for each item, in a file of SQLite's in the run's folder. */

/** How much of a report is kept, in bytes of JSON: lines beyond are only counted. */
const REPORT_BYTES = 8 * 1024 * 1024

/** Writes a report, in place of one that was begun. */
export class ReportWriter {
  readonly #db: Sqlite
  #left = REPORT_BYTES

  constructor(path: string) {
    closeSync(openSync(path, 'w', 0o600))
    this.#db = new Sqlite(path, { strict: true, readwrite: true })
    this.#db.run('PRAGMA journal_mode = OFF')
    this.#db.run('CREATE TABLE report (seq INTEGER PRIMARY KEY, action TEXT NOT NULL, item TEXT NOT NULL) STRICT')
    this.#db.run('CREATE INDEX report_of_action ON report (action, seq)')
  }

  /** False: there is no room for the last of these, and so for none after it. */
  add(items: readonly { readonly seq: number; readonly item: ReportItem }[]): boolean {
    this.#db.transaction(() => {
      const keep = this.#db.query('INSERT INTO report VALUES (?, ?, ?)')
      for (const { seq, item } of items) {
        const text = JSON.stringify(item)
        this.#left -= Buffer.byteLength(text)
        if (this.#left >= 0) keep.run(seq, item.action, text)
      }
    })()
    return this.#left >= 0
  }

  close(): void {
    this.#db.close()
  }
}

/** Lines of a kept report, from `seq` on, those of one action where that is given; none where nothing is kept. */
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
