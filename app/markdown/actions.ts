/** A note to be shown in another one. */
export interface EmbeddedNote {
  readonly body: string
  /** As its own text has them: its links lead from its own folder. */
  readonly actions: MarkdownActions
}

/** What a note's text can do, and what it asks of the page. The same object should be passed as long as nothing changes. */
export interface MarkdownActions {
  /**
   * Toggles the check box whose `[ ]` begins at this offset (UTF-16 code units) of the body. Without it boxes are
   * disabled.
   */
  readonly toggle?: (offset: number, checked: boolean) => void
  /**
   * Where a link to a note leads, as a hash address; null: there is no such note, and a dashed link calls `create`.
   * @param target as written: a title, a path with or without `.md`, or `note:ID`; empty for the note itself
   * @param heading the text of a heading of that note, or null
   */
  readonly resolve: (target: string, heading: string | null) => string | null
  /** Whether a line end within a paragraph is one. Default: true. */
  readonly lineBreaks?: boolean
  /** Reads a note that is shown in this one. Rejects if it cannot be read. Without it such a note is a link. */
  readonly loadNote?: (target: string) => Promise<EmbeddedNote>
  readonly create?: (title: string) => void
  /**
   * Loads an attachment by its name or path as written, and gives an object URL, which stays the caller's to revoke.
   * Rejects if there is none.
   */
  readonly loadFile: (target: string) => Promise<string>
  /** The address of the page of a tag, whose name comes without `#`. */
  readonly tagAddress: (tag: string) => string
}
