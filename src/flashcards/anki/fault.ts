/** An Anki package that is not read (further): 400 for `invalid_package` and `unsupported_package`, 413 for `too_large`. */
export class PackageFault extends Error {
  override readonly name = 'PackageFault'

  /** @param detail for the caller */
  constructor(
    readonly code: 'invalid_package' | 'unsupported_package' | 'too_large',
    readonly detail: string,
  ) {
    super(detail)
  }
}

export function invalid(detail: string): PackageFault {
  return new PackageFault('invalid_package', detail)
}

export function tooLarge(detail: string): PackageFault {
  return new PackageFault('too_large', detail)
}
