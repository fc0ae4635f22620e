/**
 * The words of a document in order, as the index keeps them: numbers of forms (see index.sqlite.ts), each in as few bytes
 * as it needs. First come six counts: the words of title, tags and body, then what else each of them is found by.
 */

/** The fields in their order: those of a document come first, then what has no place in a row: signs, names, marks. */
export const FIELDS = 3
const SECTIONS = 2 * FIELDS

/** @param sections the forms of the words of each field, then its other forms */
export function packForms(sections: readonly (readonly number[])[]): Uint8Array {
  const counts = sections.map(({ length }) => length)
  const bytes: number[] = []
  const write = (value: number) => {
    let rest = value
    for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
    bytes.push(rest)
  }
  for (const count of counts) write(count)
  for (const section of sections) for (const form of section) write(form)
  return Uint8Array.from(bytes)
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
