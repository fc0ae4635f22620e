/** The paths of the files inside the executable, by name. */
export interface Embedded {
  /** The files of public/. */
  readonly pages: Readonly<Record<string, string>>
}

/** Null if the server runs from its sources. `bun run build` replaces this module. */
export const EMBEDDED = null as Embedded | null
