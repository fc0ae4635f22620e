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
