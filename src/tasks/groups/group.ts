import type { Static, TObject, TProperties } from '@sinclair/typebox'
import { t } from 'elysia'
import { Bindings, type Reader, type Session } from '../../db/database'
import { type Column, createTable, fixed, int, type RowOf, STORED, text, type Way } from '../../db/table'
import { createRefuseTakenName, type StampedRow } from '../../http/resource'
import { nullable } from '../../http/schema'
import { type DeclaredResource, declareResource, type OwnColumns, type ReadFor } from '../../resources/resource'
import { MAX_AFFECTED_TASKS, refuseTooMany } from '../change-tasks'
import {
  checkGroupName,
  createPositionBetween,
  createPositions,
  findGap,
  isInGap,
  MAX_POSITION_CHARS,
  type SiblingMove,
} from '../names-and-positions'
import { createPositionStore } from '../place-store'
import { siblingMove } from '../schema'

/** What projects, sections, labels and saved filters have beside other resources: unique names, and positions. */

const COMMON = {
  ...STORED,
  created_at: fixed(int()),
  deleted_at: int<number | null>(),
  name: text(),
  /** The name folded for comparisons; unique outside the trash. */
  name_key: text(),
  size_bytes: int(),
}

/** The common columns. Instants are milliseconds. */
export type GroupRow = RowOf<{ readonly declared: typeof COMMON }> & {
  /** Where users put it among the others of its scope, for those that have an order of their own. */
  readonly position?: string
}

export function createGroupTable<Own extends Readonly<Record<string, Column<unknown, Way>>>>(name: string, own: Own) {
  return createTable(name, { ...COMMON, ...own })
}

const Name = t.String({
  description: 'One line of at most 100 characters; unique outside the trash, without regard to case.',
})
export const Color = nullable(
  t.String({
    pattern: '^#[0-9A-Fa-f]{6}$',
    description: 'As `#rrggbb`.',
    examples: ['#3366cc'],
    error: 'must be null or a colour such as #3366cc',
  }),
)
export const GroupPosition = t.String({ description: 'Sorts it among the others; set it with `after` or `before`.' })

type Declared<
  Row extends GroupRow,
  Draft extends StampedRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
> = Parameters<typeof declareResource<Row, Draft, Shown, Once, Set>>[0]

/** The columns beside those that all groups have. */
export type GroupColumns<Draft> = Omit<OwnColumns<Draft>, 'name' | 'name_key' | 'position'>

interface GroupDeclaration<
  Row extends GroupRow,
  Draft extends StampedRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
> extends Omit<Declared<Row, Draft, Shown, Once, Set>, 'read' | 'refuseTaken'> {
  /** The column that scopes names and positions; null: they are scoped by the workspace alone. */
  readonly scope: (keyof Row & string) | null
  readonly read: (
    session: Session,
    input: Partial<Static<TObject<Once & Set>>>,
    old: Row | null,
    at: number,
  ) => Promise<GroupColumns<Draft>> | GroupColumns<Draft>
}

export function declareGroup<
  Row extends GroupRow,
  Draft extends StampedRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
>({ shown, settable, notes, ...of }: GroupDeclaration<Row, Draft, Shown, Once, Set>) {
  const store = { ...of.table, ...createGroupStore<Row>(of.table, of.scope) }
  const findPosition = createFindPosition<Row>(store)
  const isPlaced = 'position' in shown
  type Named = { name: typeof Name } & Set & typeof siblingMove

  const resource = declareResource<Row, Draft, { name: typeof Name } & Shown, Once, Named>({
    ...of,
    shown: { name: t.String(), ...shown },
    show: (row) => ({ name: row.name, ...of.show(row) }) as never,
    settable: { name: Name, ...settable, ...(isPlaced && siblingMove) } as unknown as Named,
    refuseTaken: createRefuseTakenName<Row>(of.noun, store.findIdByName, of.scope) as never,
    async read(session, input, old, { id, at, save }) {
      const { name, after, before, ...members } = input as { readonly name?: string } & SiblingMove
      const named = name === undefined && old ? { name: old.name, name_key: old.name_key } : checkGroupName(name ?? '')
      const columns = await of.read(session, members as object as Parameters<typeof of.read>[1], old, at)
      const row = { ...(old ?? { id }), ...named, ...columns } as Row
      const position = isPlaced && { position: await findPosition(session, row, { after, before }, save) }
      return { ...named, ...columns, ...position } as unknown as OwnColumns<Draft>
    },
    refused: {
      ...of.refused,
      write: [...(of.refused?.write ?? []), ...(isPlaced ? ['too_many_affected' as const] : [])],
    },
    notes: {
      create: 'It becomes the last one, unless `after` or `before` is given.',
      update: '`after` or `before` moves it.',
      ...notes,
      list: `${notes.list} \`trashed=true\` lists only the trash.`,
    },
  })
  return { ...resource, store, readColumns: of.read }
}

/** What a declaration makes of a kind of row, for those who handle all kinds alike. */
export type DeclaredGroup<Row extends GroupRow, Draft extends StampedRow> = DeclaredResource<Row, Draft> & {
  readonly store: GroupStore<Row>
  readonly readColumns: (
    session: Session,
    input: never,
    old: null,
    at: number,
  ) => Promise<GroupColumns<Draft>> | GroupColumns<Draft>
}

type GroupStore<Row extends GroupRow> = ReturnType<typeof createGroupStore<Row>> & {
  get(session: Session, id: string): Promise<Row | null>
}

function createGroupStore<Row extends GroupRow>(
  { name, columns }: { readonly name: string; readonly columns: string },
  scope: (keyof Row & string) | null,
) {
  const positions = createPositionStore<Row>(name, scope)
  return {
    ...positions,

    hasSameScope: (a: Row, b: Row): boolean => scope === null || a[scope] === b[scope],

    /** Returns the id of the row outside the trash that has this row's name in its scope; null if there is none. */
    async findIdByName({ db, workspace }: Reader, row: Pick<GroupRow, 'name_key'>): Promise<string | null> {
      const bind = new Bindings(workspace.id)
      const named = `name_key = ${bind.add(row.name_key)} ${positions.inScope(row, bind)}`
      const sql = `SELECT id FROM ${name} WHERE workspace = $1 AND ${named} AND deleted_at IS NULL`
      return (await db.get<{ id: string }>(sql, bind.values))?.id ?? null
    },

    /** Lists the first rows in this row's scope by position, in the trash or not. */
    listSiblings({ db, workspace }: Reader, row: Row, limit: number): Promise<Row[]> {
      const bind = new Bindings(workspace.id)
      const scoped = positions.inScope(row, bind)
      return db.all<Row>(
        `SELECT ${columns} FROM ${name} WHERE workspace = $1 ${scoped} ORDER BY position, id LIMIT ${bind.add(limit)}`,
        bind.values,
      )
    },
  }
}

/**
 * Creates the function that returns the position of a row after a request, by default the last one for a new row. A move
 * writes one row, unless positions get too long. It throws invalid_request, too_many_affected.
 */
function createFindPosition<Row extends GroupRow>(store: GroupStore<Row>) {
  type Save = ReadFor<Row>['save']

  /** Gives all siblings short positions, as if the row were at `position`. Returns the new position of the row. */
  async function renumberSiblings(session: Session, row: Row, position: string, save: Save): Promise<string> {
    const siblings = await store.listSiblings(session, row, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(siblings.length)
    const others = siblings.filter(({ id }) => id !== row.id)
    const rank = others.filter((other) => (other.position ?? '') < position).length
    const positions = createPositions(others.length + 1)
    for (const [i, other] of others.entries()) {
      const moved = positions[i < rank ? i : i + 1]
      await save(session, other, { position: moved } as Partial<Row>)
    }
    return positions[rank] ?? position
  }

  return async (session: Session, row: Row, move: SiblingMove, save: Save): Promise<string> => {
    if (row.position !== undefined && move.after === undefined && move.before === undefined) return row.position
    const gap = await findGap(store, session, row, move, async (id) => {
      const sibling = await store.get(session, id)
      return sibling?.deleted_at === null && store.hasSameScope(sibling, row) ? (sibling.position ?? null) : null
    })
    if (row.position !== undefined && isInGap(gap, row.position)) return row.position
    const found = createPositionBetween(...gap)
    return found.length > MAX_POSITION_CHARS ? renumberSiblings(session, row, found, save) : found
  }
}
