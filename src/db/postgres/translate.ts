/**
 * Turns SQL as stores write it into PostgreSQL's. Functions and operators that SQLite has and PostgreSQL has not are in
 * the schema (see the migrations); what remains is hints to SQLite's planner, the row beside a lone min(), and parameters
 * that a statement does not use, whose type PostgreSQL cannot know.
 */

export interface Translation {
  readonly sql: string
  /** The positions of the parameters that it uses, in the order of their new numbers; null: all, as they are. */
  readonly used: readonly number[] | null
  /** Whether it writes one row or fails, so that its answer is known before it comes. */
  readonly writesOneRow: boolean
}

/** An index that SQLite has to use. */
const INDEX_HINT = / INDEXED BY \w+/g
/** A unary plus before a column, which keeps SQLite from using an index for it. */
const PLUS_HINT = /(?<=[\s(])\+(?=[a-z])/g
/** A join with a condition whose order SQLite has to keep. */
const JOIN_HINT = /CROSS JOIN ((?:\w+|\w+\([^()]*\))(?: AS \w+)?\s+ON )/g

/** An insert of one row, or an update in its place, without a condition. */
const ONE_ROW =
  /^\s*INSERT INTO \w+ \([^()]*\)\s*VALUES \([^()]*\)(?:\s*ON CONFLICT \([^()]*\) DO UPDATE SET (?:(?!WHERE|RETURNING)[\s\S])*)?\s*$/

/** The columns beside a lone min(), which SQLite takes from the row of the group that has it. */
const FIRST_OF_GROUP = /SELECT min\((\w+)\), ((?:(?!GROUP BY)[\s\S])*) GROUP BY ([\w, ]+)\) AS first\b/g

/** Statements whose translation is kept. */
const MAX_TRANSLATIONS = 5000
const translations = new Map<string, { readonly params: number; readonly translation: Translation }>()

/** Returns the translation of a statement with that many parameters, which it makes once. */
export function translationOf(sql: string, params: number): Translation {
  const known = translations.get(sql)
  if (known?.params === params) return known.translation
  if (translations.size >= MAX_TRANSLATIONS) translations.clear()
  const translation = translate(sql, params)
  translations.set(sql, { params, translation })
  return translation
}

export function translate(sql: string, params: number): Translation {
  const plain = sql
    .replace(INDEX_HINT, '')
    .replace(PLUS_HINT, '')
    .replace(JOIN_HINT, 'JOIN $1')
    .replace(FIRST_OF_GROUP, 'SELECT DISTINCT ON ($3) $2 ORDER BY $3, $1) AS first')
  const used = [...new Set([...plain.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))].sort((a, b) => a - b)
  const writesOneRow = ONE_ROW.test(plain)
  if (used.length === params) return { sql: plain, used: null, writesOneRow }
  const numbers = new Map(used.map((number, i) => [number, i + 1]))
  return {
    sql: plain.replace(/\$(\d+)/g, (_, number: string) => `$${numbers.get(Number(number))}`),
    used: used.map((number) => number - 1),
    writesOneRow,
  }
}
