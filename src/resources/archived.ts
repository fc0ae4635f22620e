import { type TProperties, Type as t } from '@sinclair/typebox'
import { type ArchivedType, readPages } from '../archive/archived-type'
import type { Reader, Session } from '../db/database'
import type { ResourceRow, StampedRow } from '../http/resource'
import { ArchivedRevision, closed, Id, nullable } from '../http/schema'
import { createValidator } from '../http/validation'
import { readStamps } from '../http/values'
import type { DeclaredResource, OwnColumns, Unsized } from './resource'

/** Rows read at a time: at most 8 MiB of texts. */
const READ_ROWS = 128

export const archivedMembers = {
  id: Id,
  revision: ArchivedRevision,
  created_at: t.String(),
  updated_at: t.String(),
  deleted_at: nullable(t.String()),
}

type Stamps = Parameters<typeof readStamps>[0]

interface Special<Row, Draft> {
  /** The columns that the API does not show, or that it only derives. */
  readonly hidden?: TProperties
  /** Yields the rows in another order than in that of their list, those in the trash first. */
  readonly rows?: (reader: Reader) => AsyncGenerator<Row>
  /** Reads the columns of a line, which may be in the trash here. `old` is null for a new one. Throws invalid_request. */
  readonly read: (
    session: Session,
    line: never,
    old: Row | null,
  ) => Promise<ArchivedColumns<Draft>> | ArchivedColumns<Draft>
  /** Stores a newer row. Returns what `relate` has to do then; null if nothing. */
  readonly replace?: (session: Session, old: Row, next: Row) => Promise<unknown>
  readonly relate?: NonNullable<ArchivedType['relate']>
}

type ArchivedColumns<Draft> = OwnColumns<Draft> & { readonly deleted_at?: number | null }

/** The resource as lines of an archive: what it shows, without what is derived. A line whose name is taken is refused. */
export function archivedResource<Row extends ResourceRow, Draft extends StampedRow>(
  { type, noun, shown, table, pages, show }: DeclaredResource<Row, Draft>,
  records: ReturnType<DeclaredResource<Row, Draft>['createRecords']>,
  { hidden = {}, read, relate, ...special }: Special<Row, Draft>,
): ArchivedType {
  const stored = (members: object) =>
    Object.entries(members).filter(([name]) => table.declared[name]?.way !== 'derived')
  const schema = t.Object({ ...archivedMembers, ...Object.fromEntries(stored(shown)), ...hidden }, closed)
  const toLine = createValidator(schema, `the ${noun}`)

  /** Rows in the trash come first, since their names are free for the others. */
  async function* listTrashFirst(reader: Reader): AsyncGenerator<Row> {
    for (const trashed of [true, false]) {
      const list = (after: ReturnType<typeof pages.getSortKeys> | null) =>
        pages.list(reader, { trashed, after, limit: READ_ROWS })
      for await (const some of readPages(null, list, pages.getSortKeys)) yield* some
    }
  }

  return {
    type,

    async *items(reader) {
      for await (const row of (special.rows ?? listTrashFirst)(reader))
        yield Object.fromEntries([
          ...stored(show(row).resource),
          ...Object.keys(hidden).map((name) => [name, Reflect.get(row, name)]),
        ])
    },

    async merge(session, item) {
      const line = toLine(item) as unknown as Stamps
      const old = await table.get(session, line.id)
      if (old && old.revision >= line.revision) return 'unchanged'
      const row = { ...readStamps(line), ...(await read(session, line as never, old)) } as unknown as Unsized<Draft>
      if (!old) {
        await records.insert(session, row)
        return 'created'
      }
      const pending = await (special.replace ?? replaceAlone)(session, old, { ...old, ...row })
      return pending === null ? 'updated' : { action: 'updated', pending }
    },

    ...(relate && { relate }),
  }

  async function replaceAlone(session: Session, old: Row, next: Row): Promise<null> {
    await records.replace(session, old, next)
    return null
  }
}
