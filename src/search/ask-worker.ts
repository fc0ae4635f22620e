/** Asks large indexes, and writes much text into them, in a Worker: other requests go on meanwhile. */
import { DatabaseFull } from '../db/database'
import { serveRequests } from '../lib/limited-worker.ts'
import { answer } from './ask'
import { DAMAGED, FULL, type WorkerRequest } from './files'
import { IndexDamaged, IndexFile } from './index.sqlite'
import { writeTexts } from './write.sqlite'

/** Files that are open at a time. */
const MAX_OPEN = 8

const open = new Map<string, IndexFile>()

serveRequests<WorkerRequest>(({ path, made, work }) => {
  const name = `${made} ${path}`
  const known = open.get(name)
  open.delete(name)
  try {
    const index = known ?? new IndexFile(path, 'open')
    open.set(name, index)
    closeOthers()
    if ('changes' in work) return JSON.stringify(writeTexts(index, work.changes))
    return index.transaction(() => JSON.stringify(answer(index, work)))
  } catch (error) {
    open.get(name)?.close()
    open.delete(name)
    // The main thread makes it again.
    if (error instanceof DatabaseFull) return FULL
    if (error instanceof IndexDamaged) return DAMAGED
    throw error
  }
})

function closeOthers(): void {
  for (const [name, index] of open) {
    if (open.size <= MAX_OPEN) return
    index.close()
    open.delete(name)
  }
}
