import type { Session } from '../../src/db/database'
import type { Pass, Step, StoredItem } from '../../src/imports/kind'
import type { SideFile } from '../../src/imports/side-file.sqlite'

interface Taken<Params> {
  readonly side: SideFile
  readonly session: Session
  readonly params: Params
  /** How many items a step takes: exactly so many, however long they take. */
  readonly size: number
}

/** Takes the nth pass over the items of a file, each group in a transaction of its own, as a run does. */
export async function takePass<Params>(
  pass: Pass<Params, never>,
  nth: number,
  { side, session, params, size }: Taken<Params>,
) {
  for (let at = 0; at < side.total; at += size)
    await session.db.transaction(async (db) => {
      const items = side.items(at, size)
      const readable = items.filter(({ isFaulty }) => !isFaulty)
      const step: Step<Params> = {
        session: { ...session, db },
        params,
        line: (seq) => side.line(seq),
        lineOfKey: (key, type) => side.lineOfKey(key, type),
        hasMet: (id) => side.hasMet(id),
        itemsOfKey: <Value>(key: string, type?: string) => side.itemsOfKey(key, type) as StoredItem<Value>[],
        bytes: (seq) => side.bytes(seq),
      }
      const lines = await pass(step, readable as never)
      const told = readable.flatMap((item, i) => (lines[i] ? [{ item, line: lines[i] }] : []))
      side.storeLines(nth, at + items.length, told)
    })
}
