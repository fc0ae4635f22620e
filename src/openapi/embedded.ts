/** Files that the executable carries, each by its name, with where it is inside. */
export interface Embedded {
  /** Those of public/. */
  readonly pages: Readonly<Record<string, string>>
  /** Those of /docs/assets. */
  readonly docs: Readonly<Record<string, string>>
}

/** Null where the files lie in their folders. `bun run build` puts another module in the place of this one. */
export const EMBEDDED = null as Embedded | null
