/** Thrown when a file is refused as a whole. Nothing of it was written. */
export class FileFault extends Error {
  override readonly name = 'FileFault'

  /**
   * @param code the error code of the response, one of http/api-error; mostly `archive_refused`
   * @param detail a sentence for the caller
   */
  constructor(
    readonly code: string,
    readonly detail: string,
  ) {
    super(detail)
  }
}

/** A part of a file that cannot be read; the others go on. The code is stable, the detail is for the caller. */
export class UnreadableItem extends Error {
  override readonly name = 'UnreadableItem'

  constructor(
    readonly code: string,
    readonly detail: string,
  ) {
    super(detail)
  }
}
