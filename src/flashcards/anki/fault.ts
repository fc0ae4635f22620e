import { FileFault } from '../../lib/file-fault'

/** Why an Anki package is not read (further), or not written: 400 for `invalid_package`, 413 for `too_large`. */

export function invalid(detail: string): FileFault {
  return new FileFault('invalid_package', detail)
}

export function unsupported(detail: string): FileFault {
  return new FileFault('unsupported_package', detail)
}

export function tooLarge(detail: string): FileFault {
  return new FileFault('too_large', detail)
}
