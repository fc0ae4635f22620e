import type { Queries, Session } from '../../db/database'
import { RANKED } from '../../search/finder'
import type { Query } from '../../search/query'
import type { NoteFilter } from '../filters'
import { type Candidate, type Found, findNotes, findTimes, findWrittenLast } from './find.sqlite'

/** Of the matches by rank, `limit` behind the best `from`; and how many were ranked. */
export async function bestFrom(
  { db, workspace }: Session,
  query: Query,
  filter: NoteFilter,
  { from, limit }: { readonly from: number; readonly limit: number },
) {
  const candidates = await findWrittenLast(db, workspace.id, query, filter, RANKED + 1)
  const ranked = candidates.slice(0, RANKED)
  const notes = await findNotes(db, workspace.id, await bestOf(db, ranked, from + limit))
  return {
    found: notes.sort(byRank).slice(from, from + limit),
    ranked: ranked.length,
    limited: candidates.length > RANKED,
  }
}

/** The best so many, and whichever equal the last of them, told apart by short rows. */
async function bestOf(db: Queries, candidates: readonly Candidate[], count: number): Promise<readonly Candidate[]> {
  const best = firstOf(candidates, count, (a, b) => b.standing - a.standing)
  if (best.length <= count) return best
  const times = await findTimes(db, best)
  const time = ({ doc }: Candidate) => times.get(doc) ?? 0
  return firstOf(best, count, (a, b) => b.standing - a.standing || time(b) - time(a))
}

function firstOf<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number): readonly T[] {
  const last = items.toSorted(compare)[count - 1]
  return last === undefined ? items : items.filter((item) => compare(item, last) <= 0)
}

/** What stands in titles first, then in tags, then what changed last, then the newest id: no two notes are equal. */
function byRank(a: Found, b: Found): number {
  return b.standing - a.standing || b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)
}
