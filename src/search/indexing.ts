/** Reads the texts of changes, to be indexed. */
import type { Queries, WorkspaceId } from '../db/database'
import type { TextChange } from './feed-store'
import { type SearchSources, TYPES } from './source'
import type { ChangedText } from './write.sqlite'

/** Texts that are read at once. The first is read alone, and after short ones twice as many: long ones take long. */
const TEXTS_PER_READ = 64

/** Reads the texts of the first of some changes, oldest first, until they have `most` UTF-16 units; and their length. */
export async function readChangedTexts(
  db: Queries,
  sources: SearchSources,
  workspace: WorkspaceId,
  changes: readonly TextChange[],
  most: number,
): Promise<{ texts: ChangedText[]; units: number }> {
  const texts: ChangedText[] = []
  let [units, count] = [0, 1]
  while (texts.length < changes.length && units < most) {
    const before = units
    const some = changes.slice(texts.length, texts.length + count)
    for (const one of await readSome(db, sources, workspace, some)) {
      texts.push(one)
      units += one.texts ? one.texts.title.length + one.texts.body.length : 0
    }
    const isShort = (units - before) * TEXTS_PER_READ < most * some.length
    count = isShort ? Math.min(2 * count, TEXTS_PER_READ) : 1
  }
  return { texts, units }
}

async function readSome(
  db: Queries,
  sources: SearchSources,
  workspace: WorkspaceId,
  changes: readonly TextChange[],
): Promise<ChangedText[]> {
  const found = new Map<string, Pick<ChangedText, 'key' | 'texts'>>()
  for (const type of TYPES) {
    const ids = changes.filter((change) => change.type === type && change.op === 'upsert').map(({ id }) => id)
    if (ids.length === 0) continue
    const keys = await sources[type].findKeys(db, workspace, ids)
    const texts = await sources[type].readTexts({ db, workspace: { id: workspace } }, [...keys.values()])
    for (const [id, key] of keys) found.set(`${type} ${id}`, { key, texts: texts.get(key) ?? null })
  }
  return changes.map(({ seq, type, id }) => ({
    ...{ seq, type, id, key: 0, texts: null },
    ...found.get(`${type} ${id}`),
  }))
}
