import type { Workspace } from '../../db/database'

/**
 * What a package may hold, so that none is a bomb; sizes in bytes. How many facts and media go in, the limits of imports
 * and the workspace's quota say.
 */
export interface PackageLimits {
  /** All that is unpacked, together; or twice what the file has, if that is more. */
  readonly unpacked: number
  readonly collection: number
  readonly entries: number
  /** One media file. */
  readonly mediaFile: number
  readonly cards: number
  /** Rows of the log. */
  readonly reviews: number
}

const MIB = 1024 * 1024

export const WITH_KEY: PackageLimits = {
  unpacked: 512 * MIB,
  collection: 256 * MIB,
  entries: 65_535,
  mediaFile: 8 * MIB,
  cards: 400_000,
  reviews: 2_000_000,
}

export const SCRATCH: PackageLimits = {
  unpacked: 16 * MIB,
  collection: 8 * MIB,
  entries: 500,
  mediaFile: 256 * 1024,
  cards: 60_000,
  reviews: 100_000,
}

export const PACKAGE_LIMITS: Readonly<Record<Workspace['kind'], PackageLimits>> = { key: WITH_KEY, scratch: SCRATCH }
