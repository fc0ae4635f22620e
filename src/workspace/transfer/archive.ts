import type { ZipLimits } from '../../zip/read'

/** What the archive of a workspace is: a zip with a manifest, a file of lines for each type, and files for people. */

export const FORMAT = 'satchel-workspace'
/** Grows when an older reader would misread what a newer writer tells. */
export const VERSION = 1
export const MANIFEST = 'manifest.json'

/** Where the resources of a type stand, each a line of JSON. */
export const dataFile = (type: string) => `data/${type}.jsonl`

/** Bytes of one line: a note whose text is all escapes has six times as many as its text. */
export const LINE_BYTES = 8 * 1024 * 1024
/** Bytes of the manifest. */
export const MANIFEST_BYTES = 64 * 1024

/** What an archive may claim, and hold. */
export interface ArchiveLimits extends ZipLimits {
  /** Of all data files together, empty ones too: each takes its time while others wait to write, however short it is. */
  readonly lines: number
}

/**
 * Its files for people tell everything a second time, so an archive may have twice what a workspace holds unless the
 * settings say otherwise. No workspace that fits into so many bytes has so many lines.
 */
export const LIMITS: Readonly<Record<'key' | 'scratch', ArchiveLimits>> = {
  key: { entries: 0xffff, bytes: 512 * 1024 * 1024, ratio: () => 200, lines: 2_000_000 },
  scratch: { entries: 2000, bytes: 32 * 1024 * 1024, ratio: () => 200, lines: 100_000 },
}
