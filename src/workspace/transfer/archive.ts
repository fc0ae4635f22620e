/** What the archive of a workspace is: a zip with a manifest, a file of lines for each type, and files for people. */

export const FORMAT = 'satchel-workspace'
/** Grows when an older reader would misread what a newer writer tells. */
export const VERSION = 1
export const MANIFEST = 'manifest.json'

/** Where the resources of a type stand, each a line of JSON. */
export const dataFile = (type: string) => `data/${type}.jsonl`

/** Where the bytes of a resource stand, if its type has such. */
export const bytesFile = (type: string, name: string) => `${type}/${name}`

/** Bytes of one line: a note whose text is all escapes has six times as many as its text. */
export const LINE_BYTES = 8 * 1024 * 1024
/** Bytes of the manifest. */
export const MANIFEST_BYTES = 64 * 1024

/** What the reader of an archive has to know of those who take what it reads. */
export interface ArchiveParams {
  /** All types, in the order in which they are taken. */
  readonly types: readonly string[]
  /** Those of them whose resources have bytes beside. */
  readonly withBytes: readonly string[]
}
