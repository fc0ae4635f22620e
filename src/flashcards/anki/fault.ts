import { FileFault } from '../../lib/file-fault'

/** Why an Anki package is not read (further), or not written: 400 for `invalid_package`, 413 for `too_large`. */

export function invalidPackage(detail: string): FileFault {
  return new FileFault('invalid_package', detail)
}

export function unsupportedPackage(detail: string): FileFault {
  return new FileFault('unsupported_package', detail)
}

export function packageTooLarge(detail: string): FileFault {
  return new FileFault('too_large', detail)
}
