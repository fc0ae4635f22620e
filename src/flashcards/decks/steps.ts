import { setImmediate } from 'node:timers/promises'

/** Rows that are written at once; after them a change lets other requests have their turn. */
const ROWS_PER_TURN = 200

/** Reads the next rows behind an id, in the order of their ids. */
export type NextRows<Row> = (after: string, limit: number) => Promise<Row[]>

/** Does something with all rows, some at a time. */
export async function bySteps<Row extends { readonly id: string }>(
  next: NextRows<Row>,
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await next(after, ROWS_PER_TURN)
    if (rows.length > 0) await work(rows)
    after = rows.at(-1)?.id ?? after
    if (rows.length < ROWS_PER_TURN) return
    // The transaction is ours alone; readers have a connection of their own and need not stand still for seconds.
    await setImmediate()
  }
}
