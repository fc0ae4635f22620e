import type { Workspace } from '../../db/database'
import type { PackageLimits } from './collection'

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
