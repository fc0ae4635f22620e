/** Returns the id of one card's part of a note of several cards, as CSV has it. */
export function writePartId(guid: string, ordinal: number): string {
  return `${guid}#${ordinal}`
}

/** Returns the guid of the note whose part has this id; null if it is not the id of a part. */
export function readWholeId(id: string): string | null {
  return /^(.+)#\d{1,3}$/s.exec(id)?.[1] ?? null
}
