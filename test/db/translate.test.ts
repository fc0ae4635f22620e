import { expect, test } from 'bun:test'
import { translate } from '../../src/db/postgres/statement'

/** What a statement says to PostgreSQL. */

test.each([
  ['SELECT min(at), x FROM t WHERE a = 1 GROUP BY day, card) AS first', 'day, card', 'at'],
  ["SELECT min(at), x, y FROM (SELECT * FROM t) AS u WHERE a IN ('b', 'c')\n GROUP BY card) AS first", 'card', 'at'],
  ['SELECT min(reviewed_at), x FROM t GROUP BY a, b, c) AS first', 'a, b, c', 'reviewed_at'],
])('the columns beside a lone min() are those of the row that has it: %s', (inner, group, order) => {
  const { sql } = translate(`SELECT count(*) FROM (${inner} GROUP BY 1`, 0)
  expect(sql).toStartWith(`SELECT count(*) FROM (SELECT DISTINCT ON (${group}) x`)
  expect(sql).toEndWith(` ORDER BY ${group}, ${order}) AS first GROUP BY 1`)
})

test.each([
  'SELECT min(at) AS at FROM t GROUP BY card',
  'SELECT count(*) FROM (SELECT card, min(at) FROM t GROUP BY card) AS first',
  'SELECT * FROM (SELECT min(at), x FROM t) AS first GROUP BY card',
  'SELECT * FROM (SELECT min(at), x FROM t GROUP BY x) AS other',
])('all else stays as it is: %s', (sql) => {
  expect(translate(sql, 0).sql).toBe(sql)
})

test.each([
  ['SELECT a FROM t INDEXED BY t_by_a WHERE a = $1', 'SELECT a FROM t WHERE a = $1'],
  ['SELECT a FROM t WHERE +workspace = $1 AND (+b = 2)', 'SELECT a FROM t WHERE workspace = $1 AND (b = 2)'],
  [
    'SELECT a FROM t CROSS JOIN u AS v\n ON v.a = t.a WHERE a = $1',
    'SELECT a FROM t JOIN u AS v\n ON v.a = t.a WHERE a = $1',
  ],
  ['FROM t CROSS JOIN json_each($1) AS x ON x.value = a', 'FROM t JOIN json_each($1) AS x ON x.value = a'],
])('hints to the planner of SQLite are left out: %s', (sql, expected) => {
  expect(translate(sql, 1)).toMatchObject({ sql: expected, used: null })
})

test.each([
  'SELECT a + b, a +1, $1 FROM t',
  "SELECT 'INDEXED' FROM t CROSS JOIN u WHERE a = $1",
  'SELECT a FROM t CROSS JOIN u JOIN v ON v.a = u.a WHERE a = $1',
])('what is no hint stays: %s', (sql) => {
  expect(translate(sql, 1)).toMatchObject({ sql, used: null })
})

test.each([
  ['SELECT $1, $3, $3', 3, 'SELECT $1, $2, $2', [0, 2]],
  ['SELECT $10, $2', 10, 'SELECT $2, $1', [1, 9]],
  ['SELECT 1', 2, 'SELECT 1', []],
])('parameters that are not used are left out, and the others numbered anew: %s', (sql, params, expected, used) => {
  expect(translate(sql, params)).toMatchObject({ sql: expected, used })
})

test.each([
  'INSERT INTO t (a, b) VALUES ($1, $2)',
  '\n  INSERT INTO t (a)\n  VALUES ($1)\n',
  "INSERT INTO t (a, b, c) VALUES ($1, 0, 'x')",
  'INSERT INTO t (a, b) VALUES ($1, 0)\n ON CONFLICT (a) DO UPDATE SET b = excluded.b,\n c = max(t.c, excluded.c)',
])('what writes one row or fails has an answer that is known: %s', (sql) => {
  expect(translate(sql, 1).writesOneRow).toBe(true)
})

test.each([
  'INSERT INTO t (a) VALUES ($1) ON CONFLICT DO NOTHING',
  'INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = t.b + 1 WHERE t.b > 0',
  'INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = t.b + 1\n RETURNING b',
  'INSERT INTO t (a) VALUES ($1), ($2)',
  'INSERT INTO t (a) VALUES ($1) RETURNING a',
  'INSERT INTO t (a) SELECT a FROM u WHERE a = $1',
  'INSERT OR IGNORE INTO t (a) VALUES ($1)',
  'WITH x AS (SELECT $1 AS a) INSERT INTO t (a) VALUES (1)',
  'UPDATE t SET a = $1',
])('the answer to any other statement is waited for: %s', (sql) => {
  expect(translate(sql, 1).writesOneRow).toBe(false)
})
