import type { Session } from '../../db/database'
import { yieldTurn } from '../../lib/steps'
import type { NearDocument } from '../fusion'
import type { DocRow } from '../read.sqlite'
import { TYPES } from '../source'
import { getVectors, listCodes } from './vector-store'
import { CodeTable, computeNearness } from './vectors'

/** Texts whose codes are read at once. */
const TEXTS_PER_READ = 2000
/** Bytes of codes that are scanned in one turn of the event loop: about 5 ms. */
const TURN_BYTES = 1024 * 1024
/** For each wanted result this many candidates are chosen by their codes; then their vectors are compared. */
const CANDIDATES_PER_RESULT = 4
/** Texts whose vectors are read at once. */
const VECTORS_PER_READ = 50

interface Candidate extends NearDocument {
  readonly id: string
}

/**
 * Finds the documents whose passages are nearest to any of the queries, best first, of equals the newest. Scans the
 * codes of the whole workspace, and holds those of TEXTS_PER_READ texts at a time.
 * @param allowed the documents that may be found
 * @param least how near they must be by their codes, on a scale from 0 (the mean of all documents) to 1 (the nearest
 * one)
 */
export async function findNearest(
  session: Session,
  queries: readonly Float32Array[],
  allowed: readonly DocRow[],
  count: number,
  least = Number.NEGATIVE_INFINITY,
): Promise<NearDocument[]> {
  const [{ length: dimensions } = new Float32Array()] = queries
  const { best, mean } = await findRoughlyNearest(session, queries, allowed, count * CANDIDATES_PER_RESULT)
  const limit = mean + least * ((best[0]?.score ?? mean) - mean)
  const rough = new Map(best.filter(({ score }) => score >= limit).map((one) => [nameOf(one.type, one.key), one]))
  const ids = [...rough.values()].map(({ id }) => id)
  const near: NearDocument[] = []
  for (let at = 0; at < ids.length; at += VECTORS_PER_READ) {
    const rows = await getVectors(session.db, session.workspace.id, ids.slice(at, at + VECTORS_PER_READ))
    for (const { type, key, vectors } of rows) {
      const one = rough.get(nameOf(TYPES.indexOf(type), key))
      if (!one) continue
      near.push({ doc: one.doc, type: one.type, key, score: computeNearness(queries, vectors, dimensions) })
    }
    await yieldTurn()
  }
  return near.sort(compareScores).slice(0, count)
}

async function findRoughlyNearest(
  { db, workspace }: Session,
  queries: readonly Float32Array[],
  allowed: readonly DocRow[],
  count: number,
): Promise<{ best: Candidate[]; mean: number }> {
  const tables = queries.map((query) => new CodeTable(query))
  const docs = new Map(allowed.map(({ doc, type, key }) => [nameOf(type, key), doc]))
  let kept: Candidate[] = []
  let least = Number.NEGATIVE_INFINITY
  let [bytes, sum, seen] = [0, 0, 0]
  for (let after = { type: '', id: '' }; ; ) {
    const rows = await listCodes(db, workspace.id, after, TEXTS_PER_READ)
    for (const { type: name, id, key, codes } of rows) {
      const type = TYPES.indexOf(name)
      const doc = docs.get(nameOf(type, key))
      if (doc === undefined) continue
      bytes += codes.byteLength * tables.length
      let score = Number.NEGATIVE_INFINITY
      for (const table of tables) score = Math.max(score, table.scoreNearest(codes))
      sum += score
      seen++
      if (score < least) continue
      kept.push({ doc, type, key, id, score })
      if (kept.length < 2 * count + 64) continue
      kept = kept.sort(compareScores).slice(0, count)
      least = kept.at(-1)?.score ?? least
    }
    const last = rows.at(-1)
    if (!last || rows.length < TEXTS_PER_READ)
      return { best: kept.sort(compareScores).slice(0, count), mean: sum / Math.max(1, seen) }
    after = last
    if (bytes < TURN_BYTES) continue
    bytes = 0
    await yieldTurn()
  }
}

/** A type and a key as one number. */
const nameOf = (type: number, key: number) => key * TYPES.length + type

const compareScores = (a: NearDocument, b: NearDocument) => b.score - a.score || b.doc - a.doc
