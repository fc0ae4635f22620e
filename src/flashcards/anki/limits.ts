/** What a package may hold; sizes in bytes. */
export interface PackageLimits {
  /** All that is unpacked, together. */
  readonly unpacked: number
  readonly collection: number
  readonly entries: number
  /** One media file. */
  readonly mediaFile: number
  readonly facts: number
  readonly cards: number
  /** Rows of the log. */
  readonly reviews: number
}

const MIB = 1024 * 1024

export const WITH_KEY: PackageLimits = {
  unpacked: 256 * MIB,
  collection: 128 * MIB,
  entries: 10_000,
  mediaFile: 8 * MIB,
  facts: 20_000,
  cards: 60_000,
  reviews: 500_000,
}

/** For facts, cards and reviews the quota of a scratch workspace holds besides. */
export const SCRATCH: PackageLimits = {
  ...WITH_KEY,
  unpacked: 16 * MIB,
  collection: 8 * MIB,
  entries: 500,
  mediaFile: 256 * 1024,
}
