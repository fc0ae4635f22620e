export interface Overlap {
  /** Items that came as they are now. */
  readonly same: number
  /** Items by which something would change. */
  readonly changed: number
}

/** Files of one name that may have later versions. Those beyond are known only while they stay the same. */
const MAX_FILES = 50

/**
 * Finds the earlier file of the same name of which a file is a later version: at least half of what both have is equal, or
 * more than two thirds of its items are known. In doubt it is another one, so that nothing is overwritten.
 * @param compare compares the file with the one of a number, from 0
 * @param items how many are compared; Infinity: changed items do not tell whose they are
 * @param digest identifies what the file holds
 * @returns the name of the earlier file, or a free one; `isOther`: there are files, and it is a version of none
 */
export async function findEarlierFile(
  compare: (number: number) => Promise<Overlap>,
  items: number,
  digest: string,
): Promise<{ readonly name: string; readonly isOther: boolean }> {
  let best: { readonly name: string; readonly rank: number } | null = null
  let free: string | null = null
  for (let number = 0; free === null && number < MAX_FILES; number++) {
    const { same, changed } = await compare(number)
    const isLater = same >= changed || (same + changed) * 3 > items * 2
    if (same + changed === 0) free = String(number)
    else if (isLater && same * 2 + changed >= (best?.rank ?? 0))
      best = { name: String(number), rank: same * 2 + changed }
  }
  return { name: best?.name ?? free ?? digest, isOther: !best && free !== '0' }
}
