/** How far a reader of the feed has come. */
export interface Place {
  /** The seq of the last change that it knows; 0: it knows nothing. */
  readonly seq: number
  /**
   * What the feed had forgotten up to here when the reader knew nothing yet: of that it never knew anything that a
   * deletion would have to take back.
   */
  readonly begun: number
}

/** Reads what `writePlace` wrote, or the seq of a change. */
export function readPlace(text: string): Place {
  const [seq = 0, begun = 0] = text.split('-').map(Number)
  return { seq, begun }
}

/** The seq, and what else has to be known to go on from there: nothing, once the reader is past all that was forgotten. */
export function writePlace({ seq, begun }: Place): string {
  return seq < begun ? `${seq}-${begun}` : String(seq)
}
