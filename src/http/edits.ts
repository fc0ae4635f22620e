/**
 * How many letters must be put in, taken out, replaced or swapped with the next to make one word of the other (optimal string
 * alignment); `most` + 1 where more are needed.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let start = 0
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1))
    [endA, endB] = [endA - 1, endB - 1]
  const width = endB - start
  if (endA === start) return width
  let twoAgo: number[] = []
  let ago = Array.from({ length: width + 1 }, (_, i) => i)
  for (let i = 1; i <= endA - start; i++) {
    const row = [i]
    let least = i
    const letter = a.charCodeAt(start + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(start + j - 1)
      let cost = Math.min(
        (ago[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (ago[j - 1] as number) + (letter === other ? 0 : 1),
      )
      if (i > 1 && j > 1 && letter === b.charCodeAt(start + j - 2) && a.charCodeAt(start + i - 2) === other)
        cost = Math.min(cost, (twoAgo[j - 2] as number) + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    twoAgo = ago
    ago = row
  }
  return Math.min(ago[width] ?? most + 1, most + 1)
}
