/**
 * The words of a document in order, as the index keeps them: numbers of forms (see index.sqlite.ts), each in as few bytes
 * as it needs. First come six counts: the words of title, tags and body, then what else each of them is found by.
 */

/** The fields in their order: those of a document come first, then what has no place in a row: signs, names, marks. */
export const FIELDS = 3
const SECTIONS = 2 * FIELDS
/** Bytes of a number of 32 bits, at most. */
const MAX_BYTES = 5

/** @param sections the forms of the words of each field, then its other forms */
export function packForms(sections: readonly (readonly number[])[]): Uint8Array {
  const counts = sections.map(({ length }) => length)
  const bytes = new Uint8Array(MAX_BYTES * (SECTIONS + counts.reduce((sum, count) => sum + count, 0)))
  let at = 0
  for (const numbers of [counts, ...sections])
    for (let rest of numbers) {
      for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128
      bytes[at++] = rest
    }
  return bytes.subarray(0, at)
}

/** The forms of a document: those of section `i` are from `starts[i]` to `starts[i + 1]`. */
export interface Forms {
  readonly starts: readonly number[]
  readonly forms: Uint32Array
}

/** @param most forms that are read at most, so that one huge text cannot take long */
export function unpackForms(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): Forms {
  let at = 0
  const read = () => {
    let byte = bytes[at++] as number
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number
      value |= (byte & 127) << shift
    }
    return value
  }
  const starts = [0]
  for (let section = 0; section < SECTIONS; section++) starts.push((starts[section] as number) + read())
  const forms = new Uint32Array(Math.min(most, starts[SECTIONS] as number))
  for (let i = 0; i < forms.length; i++) forms[i] = read()
  return { starts, forms }
}
