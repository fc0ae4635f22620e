/** Writes the changes of the feed into an index, in turns of the event loop. */
import type { Queries, WorkspaceId } from '../db/database'
import { analyzeInSteps } from './analyze'
import type { TextChange } from './feed-store'
import type { IndexFile } from './index.sqlite'
import { type SearchSources, TYPES } from './source'
import { runInTurns, yieldTurn } from './steps'

/** Texts that are read at once. */
const TEXTS_PER_READ = 16
/** UTF-16 units that are analyzed in one turn of the event loop: about 10 ms. */
const TURN_UNITS = 32 * 1024
/** Words whose terms are stored in one turn: some 10 ms where all of them are new. */
const WORDS_PER_TURN = 1000

interface Target {
  readonly db: Queries
  readonly sources: SearchSources
  readonly workspace: WorkspaceId
  readonly index: IndexFile
}

/** Indexes changes in one transaction. Returns whether a text was removed. */
export async function indexChanges(target: Target, changes: readonly TextChange[]): Promise<boolean> {
  const { index } = target
  let hasRemoved = false
  index.begin()
  try {
    for (let at = 0; at < changes.length; at += TEXTS_PER_READ)
      hasRemoved = (await indexSome(target, changes.slice(at, at + TEXTS_PER_READ))) || hasRemoved
    while (index.storeCounts(WORDS_PER_TURN)) await yieldTurn()
    index.commit(changes.at(-1)?.seq ?? 0)
  } catch (error) {
    index.rollBack()
    throw error
  }
  return hasRemoved
}

/** Returns whether a text was removed. */
async function indexSome({ index, workspace, db, sources }: Target, changes: readonly TextChange[]): Promise<boolean> {
  let hasRemoved = false
  let units = 0
  for (const type of TYPES) {
    const own = changes.filter((change) => change.type === type)
    if (own.length === 0) continue
    const keys = await sources[type].findKeys(
      db,
      workspace,
      own.filter(({ op }) => op === 'upsert').map(({ id }) => id),
    )
    const texts = await sources[type].readTexts(db, workspace, [...keys.values()])
    for (const { id, seq } of own) {
      const key = keys.get(id)
      const text = key === undefined ? undefined : texts.get(key)
      if (key === undefined || text === undefined) {
        hasRemoved = index.remove(type, id) || hasRemoved
        continue
      }
      const fields = [text.title, text.tags.join('\n'), text.body] as const
      const hash = hashOf([...fields, ...(text.marks ?? [])])
      const isKnown = index.hashOf(type, id) === hash
      const analysis = isKnown ? null : await runInTurns(analyzeInSteps(fields, text.marks))
      for (const words of analysis?.words ?? [])
        for (let from = 0; from + WORDS_PER_TURN < words.length; from += WORDS_PER_TURN) {
          index.learn(words.slice(from, from + WORDS_PER_TURN), analysis?.language ?? 'en')
          await yieldTurn()
        }
      index.put({ seq, type, id, key, hash, analysis })
      if (!isKnown) units += fields.reduce((sum, { length }) => sum + length, 0)
      if (units < TURN_UNITS) continue
      units = 0
      await yieldTurn()
    }
  }
  return hasRemoved
}

/** 52 bits, which a number can hold. */
const hashOf = (texts: readonly string[]) => Number(BigInt.asUintN(52, BigInt(Bun.hash(texts.join('\0')))))
