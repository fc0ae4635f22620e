/** Returns what is not the same here and there. */
export const differ = (what: string, ours: unknown, theirs: unknown): string[] =>
  Bun.deepEquals(ours, theirs) ? [] : [`${what}: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`]
