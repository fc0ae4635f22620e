import type { Session } from '../../db/database'
import type { NearDocument } from '../fusion'
import { yieldTurn } from '../steps'
import { getVectors, listCodes } from './vector-store'
import { CodeTable, computeNearness } from './vectors'

/** Documents whose codes are read at once. */
const DOCS_PER_READ = 2000
/** Bytes of codes that are scanned in one turn of the event loop: about 5 ms. */
const TURN_BYTES = 1024 * 1024
/** For each wanted result this many candidates are chosen by their codes; then their vectors are compared. */
const CANDIDATES_PER_RESULT = 4
/** Documents whose vectors are read at once. */
const VECTORS_PER_READ = 50

/**
 * Finds the documents whose passages are nearest to any of the queries, best first, of equals the newest. Scans the
 * codes of the whole workspace, and holds those of DOCS_PER_READ documents at a time.
 * @param docs the allowed documents, ascending
 * @param least how near they must be by their codes, on a scale from 0 (the mean of all documents) to 1 (the nearest
 * one)
 */
export async function findNearest(
  session: Session,
  queries: readonly Float32Array[],
  docs: Float64Array,
  count: number,
  least = Number.NEGATIVE_INFINITY,
): Promise<NearDocument[]> {
  const [{ length: dimensions } = new Float32Array()] = queries
  const { best, mean } = await findRoughlyNearest(session, queries, docs, count * CANDIDATES_PER_RESULT)
  const limit = mean + least * ((best[0]?.score ?? mean) - mean)
  const rough = best.filter(({ score }) => score >= limit)
  const near: NearDocument[] = []
  for (let at = 0; at < rough.length; at += VECTORS_PER_READ) {
    const some = rough.slice(at, at + VECTORS_PER_READ).map(({ doc }) => doc)
    for (const { doc, vectors } of await getVectors(session.db, session.workspace.id, some))
      near.push({ doc, score: computeNearness(queries, vectors, dimensions) })
    await yieldTurn()
  }
  return near.sort(compareScores).slice(0, count)
}

async function findRoughlyNearest(
  { db, workspace }: Session,
  queries: readonly Float32Array[],
  docs: Float64Array,
  count: number,
): Promise<{ best: NearDocument[]; mean: number }> {
  const tables = queries.map((query) => new CodeTable(query))
  let kept: NearDocument[] = []
  let least = Number.NEGATIVE_INFINITY
  let [at, after, bytes, sum, seen] = [0, 0, 0, 0, 0]
  for (;;) {
    const rows = await listCodes(db, workspace.id, after, DOCS_PER_READ)
    for (const { doc, codes } of rows) {
      after = doc
      while (at < docs.length && (docs[at] as number) < doc) at++
      if (docs[at] !== doc) continue
      bytes += codes.byteLength * tables.length
      let score = Number.NEGATIVE_INFINITY
      for (const table of tables) score = Math.max(score, table.scoreNearest(codes))
      sum += score
      seen++
      if (score < least) continue
      kept.push({ doc, score })
      if (kept.length < 2 * count + 64) continue
      kept = kept.sort(compareScores).slice(0, count)
      least = kept.at(-1)?.score ?? least
    }
    if (rows.length < DOCS_PER_READ)
      return { best: kept.sort(compareScores).slice(0, count), mean: sum / Math.max(1, seen) }
    if (bytes < TURN_BYTES) continue
    bytes = 0
    await yieldTurn()
  }
}

const compareScores = (a: NearDocument, b: NearDocument) => b.score - a.score || b.doc - a.doc
