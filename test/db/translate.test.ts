import { expect, test } from 'bun:test'
import { translate } from '../../src/db/postgres/translate'

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
  expect(translate(sql, 1)).toEqual({ sql: expected, used: null })
})

test.each([
  'SELECT a + b, a +1, $1 FROM t',
  "SELECT 'INDEXED' FROM t CROSS JOIN u WHERE a = $1",
  'SELECT a FROM t CROSS JOIN u JOIN v ON v.a = u.a WHERE a = $1',
])('what is no hint stays: %s', (sql) => {
  expect(translate(sql, 1)).toEqual({ sql, used: null })
})

test.each([
  ['SELECT $1, $3, $3', 3, 'SELECT $1, $2, $2', [0, 2]],
  ['SELECT $10, $2', 10, 'SELECT $2, $1', [1, 9]],
  ['SELECT 1', 2, 'SELECT 1', []],
])('parameters that are not used are left out, and the others numbered anew: %s', (sql, params, expected, used) => {
  expect(translate(sql, params)).toEqual({ sql: expected, used })
})
