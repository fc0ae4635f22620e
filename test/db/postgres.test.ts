import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Database, DatabaseFull, DatabaseTooSlow, DatabaseUnavailable, type Queries } from '../../src/db/database'
import { migrate } from '../../src/db/open'
import type { PostgresDatabase } from '../../src/db/postgres/postgres'
import { ON_POSTGRES, openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'

/** What the adapter for PostgreSQL promises beyond what the whole suite sees, and its schema. */

const onPostgres: (name: string, tests: () => void) => void = ON_POSTGRES ? describe : () => {}

let opened: Promise<Database> | null = null
const open = () => {
  opened ??= openMigrated(join(makeFolder(), 'satchel.db'), 0, () => '')
  return opened
}
afterAll(async () => (await opened)?.close())

const put = (db: Queries, name: string, value = '') =>
  db.run('INSERT INTO facts (name, value) VALUES ($1, $2)', [name, value])
const has = async (db: Pick<Queries, 'get'>, name: string) =>
  (await db.get('SELECT 1 FROM facts WHERE name = $1', [name])) !== null
const OWNERS = ['0'.repeat(32), 'a'.repeat(32), 'b'.repeat(32)] as const

onPostgres('a transaction', () => {
  test('of which a savepoint fails keeps the rest, and runs what belongs to the rest after its commit', async () => {
    const db = await open()
    const ran: string[] = []
    await db.transaction(async (tx) => {
      await put(tx, 'kept')
      tx.afterCommit('outer', () => void ran.push('outer'))
      await tx
        .transaction(async (inner) => {
          await put(inner, 'dropped')
          inner.afterCommit('inner', () => void ran.push('inner'))
          await put(inner, 'kept')
        })
        .catch(() => {})
      expect(ran).toEqual([])
    })
    expect([await has(db, 'kept'), await has(db, 'dropped'), ran]).toEqual([true, false, ['outer']])
  })

  test('that goes on after a statement which failed is refused, and leaves nothing', async () => {
    const db = await open()
    const work = async (tx: Queries) => {
      await put(tx, 'swallowed')
      await tx.run('SELECT nothing').catch(() => {})
    }
    await expect(db.transaction(work)).rejects.toThrow('a transaction went on after a statement that failed')
    expect(await has(db, 'swallowed')).toBe(false)
  })

  test('that runs a script may take its time, as the copy of a large table does, and no other', async () => {
    const db = (await open()) as PostgresDatabase
    const limits = (queries: Queries) =>
      queries.get(
        "SELECT current_setting('statement_timeout') AS answer, current_setting('idle_in_transaction_session_timeout') AS silence",
      )
    const within = await db.transaction(async (tx) => {
      await tx.runScript('SELECT 1')
      return limits(tx)
    })
    expect([within, await db.transaction(limits)]).toEqual([
      { answer: '0', silence: '0' },
      { answer: '10s', silence: '1min' },
    ])
  })

  describe('that adds rows without waiting for each', () => {
    const TAKEN = /duplicate key value .*facts_pkey/

    test('fails with the error of the row that was refused, whatever follows it', async () => {
      const db = await open()
      await put(db, 'taken')
      const next: ((tx: Queries) => Promise<unknown>)[] = [
        () => Promise.resolve(),
        (tx) => tx.get('SELECT 1'),
        (tx) => tx.run("DELETE FROM facts WHERE name = 'nothing'"),
        (tx) => put(tx, 'after the refused one'),
        (tx) => tx.transaction((inner) => put(inner, 'after the refused one')),
      ]
      for (const follow of next) {
        const work = async (tx: Queries) => {
          await put(tx, 'before the refused one')
          await put(tx, 'taken')
          await follow(tx)
        }
        await expect(db.transaction(work)).rejects.toThrow(TAKEN)
      }
      expect([await has(db, 'before the refused one'), await has(db, 'after the refused one')]).toEqual([false, false])
    })

    test('stops at a refused row before many have been sent', async () => {
      const db = await open()
      await put(db, 'taken first')
      let sent = 0
      const work = async (tx: Queries) => {
        await put(tx, 'taken first')
        for (; sent < 1000; sent++) await put(tx, `many ${sent}`)
      }
      await expect(db.transaction(work)).rejects.toThrow(TAKEN)
      expect(sent).toBeLessThan(100)
    })

    test('sees each of them in what it reads next, and has all after the commit', async () => {
      const db = await open()
      const names = Array.from({ length: 150 }, (_, i) => `row ${i}`)
      await db.transaction(async (tx) => {
        for (const name of names) expect(await put(tx, name)).toBe(1)
        expect(await has(tx, 'row 149')).toBe(true)
      })
      const found = await db.all<{ name: string }>("SELECT name FROM facts WHERE name LIKE 'row %'")
      expect(found.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    })

    test('goes on after a savepoint whose row was refused', async () => {
      const db = await open()
      await put(db, 'taken within')
      await db.transaction(async (tx) => {
        await put(tx, 'outside')
        await expect(tx.transaction((inner) => put(inner, 'taken within'))).rejects.toThrow(TAKEN)
        await put(tx, 'after the savepoint')
      })
      expect([await has(db, 'outside'), await has(db, 'after the savepoint')]).toEqual([true, true])
    })
  })

  test.each([
    ['of one owner', [OWNERS[1]], [OWNERS[1]], true],
    ['of owners of whom one is the same', [OWNERS[0], OWNERS[1]], [OWNERS[1], OWNERS[2]], true],
    ['of one owner and of nobody', [OWNERS[1]], [], true],
    ['of nobody', [], [], true],
    ['of two owners', [OWNERS[1]], [OWNERS[2]], false],
    ['of an owner whose id is zeros, and of another', [OWNERS[0]], [OWNERS[2]], false],
  ])('%s waits for the other or not', async (_, first, second, waits) => {
    const [db, other] = [await open(), await open()]
    const of = (owners: readonly string[], queries: Database) =>
      owners.length === 0 ? queries : queries.ownedBy(...owners)
    const order: string[] = []
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const one = of(first, db).transaction(async (tx) => {
      await tx.get('SELECT 1')
      begin()
      await mayEnd
      order.push('first')
    })
    await begun
    const two = of(second, other).transaction(async (tx) => {
      await tx.get('SELECT 1')
      order.push('second')
      if (!waits) end()
    })
    // What waits for a lock is seen by the server; what does not ends the first.
    const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    if (waits) {
      // Two of one name wait in the process and take no connection.
      if (first.join() !== second.join()) while (!(await db.get(waiting)));
      end()
    }
    await Promise.all([one, two])
    expect(order).toEqual(waits ? ['first', 'second'] : ['second', 'first'])
  })
})

onPostgres('transactions that wait for one of the same address', () => {
  test('leave connections to others', async () => {
    const db = await open()
    const [address] = OWNERS
    const { promise, resolve } = Promise.withResolvers<void>()
    const spaces = Array.from({ length: 20 }, (_, i) => i.toString(16).padStart(32, '1'))
    const all = spaces.map((space) =>
      db.ownedBy(address, space).transaction(async (tx) => {
        await tx.get('SELECT 1')
        await promise
      }),
    )
    expect(await db.get('SELECT 1 AS one')).toEqual({ one: 1 })
    resolve()
    await Promise.all(all)
  })
})

onPostgres('reads of one owner', () => {
  test('leave connections to others, and all have their turn', async () => {
    const db = await open()
    const mine = db.ownedBy(OWNERS[1])
    const reads = await db.transaction(async (tx) => {
      await tx.get('SELECT pg_advisory_xact_lock(7)')
      const waiting = Array.from({ length: 30 }, (_, i) =>
        mine.get('SELECT pg_advisory_xact_lock_shared(7), CAST($1 AS bigint) AS i', [i]),
      )
      expect(await db.ownedBy(OWNERS[2]).get('SELECT 1 AS one')).toEqual({ one: 1 })
      return { waiting }
    })
    expect(await Promise.all(reads.waiting)).toMatchObject(Array.from({ length: 30 }, (_, i) => ({ i })))
    await expect(mine.get('SELECT nothing')).rejects.toThrow('nothing')
    expect(await mine.all('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

onPostgres('work of one process at a time', () => {
  test('waits, or is left out', async () => {
    const db = await open()
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = db.exclusively('a job', () => promise)
    while ((await db.exclusively('a job', async () => 'done', { wait: false })) !== null);
    expect(await db.exclusively('another job', async () => 'done', { wait: false })).toBe('done')
    const second = db.exclusively('a job', async () => 'second')
    resolve()
    await first
    expect(await second).toBe('second')
    await expect(db.exclusively('a job', () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed')
    expect(await db.exclusively('a job', async () => 'free again', { wait: false })).toBe('free again')
  })
})

onPostgres('a snapshot', () => {
  test('is of the moment of its beginning', async () => {
    const db = await open()
    const snapshot = await db.snapshot()
    await put(db, 'later')
    expect([await has(snapshot, 'later'), await has(db, 'later')]).toEqual([false, true])
    snapshot.close()
  })

  test('that is closed twice gives its connection back once', async () => {
    const db = await open()
    const closed = await db.snapshot()
    closed.close()
    closed.close()
    const others = await Promise.all(Array.from({ length: 10 }, () => db.snapshot()))
    closed.close()
    await put(db, 'after ten began')
    for (const snapshot of others) {
      expect(await has(snapshot, 'after ten began')).toBe(false)
      snapshot.close()
    }
  })
})

onPostgres('a fault of the server', () => {
  const raise = (state: string) => `DO $$ BEGIN RAISE EXCEPTION 'a fault' USING ERRCODE = '${state}'; END $$`

  test.each([
    ['a full disk', '53100', DatabaseFull],
    ['a server that is read-only', '25006', DatabaseUnavailable],
    ['a statement that took too long', '57014', DatabaseTooSlow],
    ['a lock that took too long', '55P03', DatabaseTooSlow],
    ['a deadlock', '40P01', DatabaseTooSlow],
    ['a conflict', '40001', DatabaseTooSlow],
    ['a server that takes no more connections', '53300', DatabaseUnavailable],
    ['a statement for which its memory is too small', '53200', DatabaseTooSlow],
    ['a statement that needs more temporary room than it may have', '53400', DatabaseTooSlow],
    ['a transaction that took too long', '25P04', DatabaseTooSlow],
    ['a transaction that was silent for too long', '25P03', DatabaseUnavailable],
    ['rights that were taken away', '42501', DatabaseUnavailable],
  ])('is that of the port: %s', async (_, state, fault) => {
    const db = await open()
    for (const work of [() => db.run(raise(state)), () => db.transaction((tx) => tx.run(raise(state)))])
      expect(await work().catch((error) => error.constructor)).toBe(fault)
  })
})

onPostgres('values', () => {
  test('come as they were stored: integers, fractions, bytes, texts and nothing', async () => {
    const db = await open()
    const row = await db.get(
      `SELECT CAST($1 AS bigint) AS whole, CAST($2 AS double precision) AS part, CAST($3 AS bytea) AS bytes,
         CAST($4 AS text) AS text, CAST($5 AS text) AS nothing, 1 = 1 AS yes, sum(n) AS sum
       FROM (SELECT CAST(2 AS bigint) AS n UNION ALL SELECT 3) AS numbers`,
      [1_700_000_000_000, 0.1, new Uint8Array([0, 255]), 'é😀', null],
    )
    const bytes = Buffer.from([0, 255])
    expect(row).toEqual({ whole: 1_700_000_000_000, part: 0.1, bytes, text: 'é😀', nothing: null, yes: 1, sum: 5 })
  })

  test.each(['a\0', '\0', 'kept\0'])('text with NUL, such as %p, is in no row', async (text) => {
    expect(await has(await open(), text)).toBe(false)
  })
})

/** Of both engines: the columns of each table, by their kind. */
const KINDS = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea', REAL: 'double precision' } as const

onPostgres('the schema', () => {
  test('has the tables and columns of SQLite', async () => {
    const sqlite = new Sqlite(':memory:')
    migrate(sqlite, 0)
    const expected = sqlite
      .query<{ name: string; type: keyof typeof KINDS; optional: number }, []>(
        `SELECT m.name || '.' || c.name AS name, c.type, c."notnull" = 0 AND c.pk = 0 AS optional
         FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'`,
      )
      .all()
      .map(({ name, type, optional }) => `${name} ${KINDS[type]}${optional ? ' or null' : ''}`)
    const found = await (await open()).all<{ line: string }>(
      `SELECT table_name || '.' || column_name || ' ' || data_type
         || CASE is_nullable WHEN 'YES' THEN ' or null' ELSE '' END AS line
       FROM information_schema.columns WHERE table_schema = 'satchel'`,
    )
    expect(found.map(({ line }) => line).toSorted()).toEqual(expected.toSorted())
  })

  test('begins each key, unique index and reference with the workspace, as Citus needs it', async () => {
    const rows = await (await open()).all<{ name: string }>(
      `SELECT c.relname || ' ' || i.relname AS name FROM pg_index AS x
         JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
         JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
       WHERE c.relnamespace = CAST('satchel' AS regnamespace) AND x.indisunique AND a.attname <> 'workspace'
       UNION ALL
       SELECT c.relname || ' ' || k.conname FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
         JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
       WHERE c.relnamespace = CAST('satchel' AS regnamespace) AND k.contype = 'f' AND a.attname <> 'workspace'
       ORDER BY name`,
    )
    // Of the whole server, and the table of the workspaces themselves.
    expect(rows.map(({ name }) => name)).toEqual([
      'facts facts_pkey',
      'schema_versions schema_versions_pkey',
      'workspaces workspaces_pkey',
    ])
  })
})
