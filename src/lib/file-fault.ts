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
