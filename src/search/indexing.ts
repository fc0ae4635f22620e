/** Writes the changes of the feed into an index, in turns of the event loop. */
import type { Queries, WorkspaceId } from '../db/database'
import { runInTurns, yieldTurn } from '../lib/steps'
import { analyzeInSteps } from './analyze'
import type { TextChange } from './feed-store'
import type { IndexFile } from './index.sqlite'
import { type SearchSources, type Texts, TYPES } from './source'

/** Texts that are read at once. The first is read alone, and after short ones twice as many: long ones take long. */
const TEXTS_PER_READ = 64
/** UTF-16 units that are analyzed in one turn of the event loop: about 10 ms. */
const TURN_UNITS = 32 * 1024
/** UTF-16 units after which a transaction ends, so that a search waits for few long texts. */
const TRANSACTION_UNITS = 2 * 1024 * 1024
/** Words whose terms are stored in one turn: some 10 ms where all of them are new. */
const WORDS_PER_TURN = 1000

interface Target {
  readonly db: Queries
  readonly sources: SearchSources
  readonly workspace: WorkspaceId
  readonly index: IndexFile
}

/** Stands for the length of a text that was removed. */
const REMOVED = -1

/** What a transaction did with some changes. */
interface Indexed {
  /** The changes that it wrote: the first of them, all unless their texts are very long. */
  readonly count: number
  readonly hasRemoved: boolean
}

/** Indexes changes in one transaction. */
export async function indexChanges(target: Target, changes: readonly TextChange[]): Promise<Indexed> {
  const { index } = target
  let [count, units, nextTurn, hasRemoved, read] = [0, 0, TURN_UNITS, false, 1]
  index.begin()
  try {
    while (count < changes.length && units < TRANSACTION_UNITS) {
      const [some, before] = [changes.slice(count, count + read), units]
      const textOf = await readTexts(target, some)
      for (const change of some) {
        const written = await indexOne(index, change, textOf(change))
        count++
        if (written === REMOVED) hasRemoved = true
        else units += written
        if (units >= TRANSACTION_UNITS) break
        if (units < nextTurn) continue
        nextTurn = units + TURN_UNITS
        await yieldTurn()
      }
      read = units - before < TURN_UNITS ? Math.min(2 * read, TEXTS_PER_READ) : 1
    }
    while (index.storeCounts(WORDS_PER_TURN)) await yieldTurn()
    index.commit(changes[count - 1]?.seq ?? 0)
  } catch (error) {
    index.rollBack()
    throw error
  }
  return { count, hasRemoved }
}

interface Text {
  readonly key: number
  readonly text: Texts
}

/** Reads the texts of changes; a function returns that of each, if there still is one. */
async function readTexts({ db, sources, workspace }: Target, changes: readonly TextChange[]) {
  const found = new Map<TextChange, Text>()
  for (const type of TYPES) {
    const own = changes.filter((change) => change.type === type && change.op === 'upsert')
    if (own.length === 0) continue
    const ids = own.map(({ id }) => id)
    const keys = await sources[type].findKeys(db, workspace, ids)
    const texts = await sources[type].readTexts({ db, workspace: { id: workspace } }, [...keys.values()])
    for (const change of own) {
      const key = keys.get(change.id) ?? -1
      const text = texts.get(key)
      if (text) found.set(change, { key, text })
    }
  }
  return (change: TextChange) => found.get(change)
}

/** Returns the UTF-16 units that were analyzed, or REMOVED. */
async function indexOne(index: IndexFile, { type, id, seq }: TextChange, found: Text | undefined): Promise<number> {
  if (!found) return index.remove(type, id) ? REMOVED : 0
  const { key, text } = found
  const fields = [text.title, text.tags.join('\n'), text.body] as const
  const hash = hashOf([...fields, ...(text.marks ?? [])])
  if (index.hashOf(type, id) === hash) {
    index.put({ seq, type, id, key, hash, analysis: null })
    return 0
  }
  const analysis = await runInTurns(analyzeInSteps(fields, text.marks))
  for (const words of analysis.words)
    for (let from = 0; from + WORDS_PER_TURN < words.length; from += WORDS_PER_TURN) {
      index.learn(words.slice(from, from + WORDS_PER_TURN), analysis.language)
      await yieldTurn()
    }
  index.put({ seq, type, id, key, hash, analysis })
  return fields.reduce((sum, { length }) => sum + length, 0)
}

/** 52 bits, which a number can hold. */
const hashOf = (texts: readonly string[]) => Number(BigInt.asUintN(52, BigInt(Bun.hash(texts.join('\0')))))
