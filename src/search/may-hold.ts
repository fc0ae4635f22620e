/** Which texts a piece can be in at all, for whoever looks through texts in an own way. */
import type { Session } from '../db/database'
import { listByDocs } from './find-store'
import { fold } from './fold'
import { countAll, docsOf, intersect, masksOf } from './masks'
import { Matching } from './matching'
import type { Sources, Type } from './source'
import type { IndexView } from './view'

/** A mark without a letter before it, or a letter that folding takes away: no term is made of it. */
const LOOSE_MARK = /(?:^|[^\p{L}\p{N}\p{M}])[\p{M}\u0640\u00ad]/u

export interface HoldOptions {
  readonly type: Type
  readonly piece: string
  readonly limit: number
}

/**
 * The keys of documents of a type among which are all that hold a piece of text, as it stands but for case and accents.
 * Null if these may be more than `limit`, or the index does not tell. Of words that it keeps no more than 255 UTF-16 units
 * of, it knows no more, nor of letters of half width and single jamo, which it joins.
 */
export async function mayHold(
  session: Session,
  view: IndexView,
  sources: Sources,
  { type, piece, limit }: HoldOptions,
): Promise<number[] | null> {
  const folded = fold(piece)
  if (LOOSE_MARK.test(piece) || LOOSE_MARK.test(folded)) return null
  const matching = new Matching(session, view, sources, [type], limit)
  const masks = masksOf(view, [type])
  intersect(masks, await matching.mayHold(folded))
  if (matching.limited || countAll(masks) > limit) return null
  return (await listByDocs(session.db, session.workspace.id, docsOf(masks, view.parts))).map(({ key }) => key)
}
