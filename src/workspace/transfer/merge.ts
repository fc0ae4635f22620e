import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import type { Merging, Portable } from '../../db/portable'
import { Refusal } from '../../http/problem'
import { faultOf, type Report } from './report'
import type { Line, Source } from './source'

/** Resources that are merged before readers have their turn. */
const MERGED_PER_TURN = 8

/**
 * Lines that may be refused. A file of nothing else packs into a thousandth of its size, and each line is tried in a
 * transaction of its own, inside that of the import, while every other writer waits.
 */
const LINES_REFUSED = 10_000

/** What a resource left for later, and where it was told. */
interface Later {
  readonly where: string
  readonly work: Parameters<Merging['later']>[0]
}

/**
 * Merges everything of a source, and tells what became of it. `session.db` is a transaction; others have their turn in
 * between. Throws quota_exceeded, storage_full, archive_refused for more than 10,000 lines that are refused, and what `goOn` throws,
 * which is asked in between whether there is time left.
 */
export async function mergeAll(
  session: Session,
  portables: readonly Portable[],
  source: Source,
  report: Report,
  goOn: () => void,
): Promise<void> {
  const waiting: Later[] = []
  for (const name of source.unknown)
    report.tell(name, { code: 'unknown_type', detail: 'Nothing of this type is known here.' })
  const turn = createTurns(goOn)
  for (const portable of portables)
    for await (const line of source.lines(portable.type)) {
      await mergeLine(session, portable, line, { source, report, waiting })
      if (report.refused > LINES_REFUSED)
        throw new Refusal('archive_refused', `More than ${LINES_REFUSED} lines of the archive would be refused.`)
      await turn()
    }
  for (const { where, work } of waiting) {
    await attempt(session, work, (refusal) => report.tell(where, faultOf(refusal)))
    await turn()
  }
  for (const portable of portables) await portable.finish?.(session)
}

async function mergeLine(
  session: Session,
  portable: Portable,
  line: Line,
  { source, report, waiting }: { source: Source; report: Report; waiting: Later[] },
): Promise<void> {
  const { where } = line
  if ('fault' in line) {
    report.tell(where, line.fault)
    return report.count(portable.type, 'refused')
  }
  const before = waiting.length
  const merging = { later: (work: Later['work']) => void waiting.push({ where, work }), file: source.file }
  const merged = await attempt(
    session,
    (within) => portable.merge(within, line.item, merging),
    (refusal) => report.tell(where, faultOf(refusal)),
  )
  report.count(portable.type, merged ?? 'refused')
  // What was not merged has nothing left to do.
  if (!merged) waiting.length = before
}

/**
 * Does a part of an import as a whole or not at all. What it is refused for is told, and null comes back; but for a quota
 * that is used up, or a full disk: then nothing is imported.
 */
async function attempt<T>(
  session: Session,
  work: (within: Session) => Promise<T>,
  tell: (refusal: Refusal) => void,
): Promise<T | null> {
  try {
    return await session.db.transaction((db) => work({ ...session, db }))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'quota_exceeded' || error.code === 'storage_full') throw error
    tell(error)
    return null
  }
}

/** Gives others their turn, every so often that it is called, if there is time left. */
function createTurns(goOn: () => void): () => Promise<void> {
  let count = 0
  return async () => {
    if (++count % MERGED_PER_TURN > 0) return
    goOn()
    await setImmediate()
  }
}
