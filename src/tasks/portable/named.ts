import type { Session, WorkspaceId } from '../../db/database'
import type { Merged, Merging, Portable, Reading } from '../../db/portable'
import type { DraftOf, NamedRow, NamedStore } from '../named/store'

/** Rows that are read at a time: 8 MiB of a project's notes at most. */
const READ = 128

interface Kind<Row extends NamedRow> {
  readonly type: string
  readonly store: NamedStore<Row>
  /** The row as the archive tells it. */
  readonly told: (row: Row) => object
  /** The row of an item. Throws invalid_request. */
  readonly draft: (session: Session, item: unknown) => Promise<DraftOf<Row>>
  readonly merge: (session: Session, draft: DraftOf<Row>, merging: Merging) => Promise<Merged>
}

/**
 * Things with names leave and come back with all that is stored of them but what they count. Those in the trash come
 * first: their names are free for the others. A name that another one has here is refused.
 */
export function portableNamed<Row extends NamedRow>({ type, store, told, draft, merge }: Kind<Row>): Portable {
  return {
    type,

    async *items(db, workspace) {
      for (const trashed of [true, false])
        for await (const row of rowsOf(store, db, workspace, trashed)) yield told(row)
    },

    merge: async (session, item, merging) => merge(session, await draft(session, item), merging),
  }
}

async function* rowsOf<Row extends NamedRow>(
  store: NamedStore<Row>,
  db: Reading,
  workspace: WorkspaceId,
  trashed: boolean,
): AsyncGenerator<Row> {
  for (let last: Row | undefined, more = true; more; ) {
    const after = last ? store.sortKeys(last) : null
    const rows = await store.list(db, workspace, { trashed, after, limit: READ })
    yield* rows
    last = rows.at(-1)
    more = rows.length === READ
  }
}
