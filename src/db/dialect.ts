/**
 * What SQLite says in words of its own, by what it means: stores speak through these, so that an engine with other words
 * needs one more file like this and no other store. A parameter is given as it is written in the statement: `$2`.
 */

/** The values of the JSON array in a parameter, for `IN`: one parameter for any number of values. */
export function valuesIn(param: string): string {
  return `(SELECT value FROM json_each(${param}))`
}

/** The elements of a JSON array as rows for `FROM`: `key` is the place of an element from 0, `value` the element. */
export function elementsIn(array: string): string {
  return `json_each(${array})`
}

/** The JSON array of the values of a group. */
export function jsonArray(values: string): string {
  return `json_group_array(${values})`
}

/** How many bytes a text or a blob has. */
export function byteLength(value: string): string {
  return `octet_length(${value})`
}

/**
 * Reads the table before it through this index. Only where the planner, which keeps no statistics, was seen to choose
 * another one.
 */
export function byIndex(index: string): string {
  return `INDEXED BY ${index}`
}
