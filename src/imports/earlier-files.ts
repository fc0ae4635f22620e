/** What a file shares with one that was imported before. */
export interface Overlap {
  /** Items that came as they are now. */
  readonly same: number
  /** Items by which something would change. */
  readonly changed: number
}

/** Files of one name that may have later versions. Those beyond are known only while they stay the same. */
const MAX_FILES = 50

/**
 * Finds the earlier file, among those with the same name, of which a file is a later version. Items without ids are known
 * only within their file, and a name may be that of two files.
 * @param compare compares the file with the one of a number, from 0
 * @param isLater whether it is a later version of a file with such an overlap
 * @param digest identifies what the file holds
 * @returns the name of the earlier file, or a free one; `isOther`: there are files, and it is a version of none
 */
export async function findEarlierFile(
  compare: (number: number) => Promise<Overlap>,
  isLater: (overlap: Overlap) => boolean,
  digest: string,
): Promise<{ readonly name: string; readonly isOther: boolean }> {
  let best: { readonly name: string; readonly same: number } | null = null
  let free: string | null = null
  for (let number = 0; free === null && number < MAX_FILES; number++) {
    const overlap = await compare(number)
    const { same, changed } = overlap
    if (same + changed === 0) free = String(number)
    else if (isLater(overlap) && same >= (best?.same ?? 0)) best = { name: String(number), same }
  }
  return { name: best?.name ?? free ?? digest, isOther: !best && free !== '0' }
}
