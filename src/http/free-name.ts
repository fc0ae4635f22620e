import { cutCodePoints } from '../markdown/code-points'

/** Numbers that are tried. */
const TRIES = 100

/**
 * The name, or with the first number behind it that makes it free: `Name (2)`, in `length` code points at most. The name
 * as it is if a hundred are taken: whoever stores it refuses it.
 */
export async function freeName(
  name: string,
  length: number,
  isTaken: (name: string) => Promise<boolean>,
): Promise<string> {
  if (!(await isTaken(name))) return name
  for (let n = 2; n <= TRIES; n++) {
    const end = ` (${n})`
    const numbered = cutCodePoints(name, length - end.length).trimEnd() + end
    if (!(await isTaken(numbered))) return numbered
  }
  return name
}
