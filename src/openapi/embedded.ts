/** The paths of the files inside the executable, by name. */
export interface Embedded {
  /** The files of public/. */
  readonly pages: Readonly<Record<string, string>>
  /** The files of /docs/assets, by their paths without the first slash. */
  readonly docs: Readonly<Record<string, string>>
}

/** Null if the server runs from its sources. `bun run build` replaces this module. */
export const EMBEDDED = null as Embedded | null
