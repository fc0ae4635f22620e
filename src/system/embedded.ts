/** The files inside the executable. */
export interface Embedded {
  /** The paths of the files of public/, by name. */
  readonly pages: Readonly<Record<string, string>>
  /** See computeVersion. */
  readonly version: string
}

/** Null if the server runs from its sources. `bun run build` replaces this module. */
export const EMBEDDED = null as Embedded | null
