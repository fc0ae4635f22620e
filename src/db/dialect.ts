/**
 * The SQL that differs between SQLite and other engines. Stores use these functions, so that another engine would need
 * another file like this one, but no other stores. A parameter is passed as it is written in the statement: `$2`.
 */

/** Lists the values of the JSON array in a parameter, for `IN`: one parameter holds any number of values. */
export function valuesIn(param: string): string {
  return `(SELECT value FROM json_each(${param}))`
}

/** Lists the integers of the JSON array in a parameter, for `IN`. */
export function integersIn(param: string): string {
  return `(SELECT CAST(value AS bigint) FROM json_each(${param}))`
}

/** The elements of a JSON array as rows, for `FROM`: `key` is the index of an element from 0, `value` the element. */
export function elementsIn(array: string): string {
  return `json_each(${array})`
}

export function jsonArray(values: string): string {
  return `json_group_array(${values})`
}

/** Computes the bytes of a text or a blob. */
export function byteLength(value: string): string {
  return `octet_length(${value})`
}

/** For the table before it. Use it only where the planner, which has no statistics, was seen to choose a worse one. */
export function byIndex(index: string): string {
  return `INDEXED BY ${index}`
}
