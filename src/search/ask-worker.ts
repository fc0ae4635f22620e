/** Asks large indexes, in a Worker: other requests go on meanwhile. */
import { serveRequests } from '../lib/limited-worker.ts'
import { answer } from './ask'
import type { WorkerRequest } from './files'
import { IndexDamaged, IndexFile } from './index.sqlite'
import { Vocabulary } from './vocabulary'

/** Files that are open at a time. */
const MAX_OPEN = 8

const open = new Map<string, { readonly index: IndexFile; readonly vocabulary: Vocabulary }>()

serveRequests<WorkerRequest>(({ path, made, ...request }) => {
  const name = `${made} ${path}`
  const known = open.get(name)
  open.delete(name)
  try {
    const entry = known ?? { index: new IndexFile(path, 'readonly'), vocabulary: new Vocabulary() }
    open.set(name, entry)
    closeOthers()
    const { index, vocabulary } = entry
    index.begin()
    try {
      index.readState()
      return JSON.stringify(answer(index, vocabulary, request))
    } finally {
      index.rollBack()
    }
  } catch (error) {
    open.get(name)?.index.close()
    open.delete(name)
    // The main thread makes it again.
    if (error instanceof IndexDamaged) return ''
    throw error
  }
})

function closeOthers(): void {
  for (const [name, { index }] of open) {
    if (open.size <= MAX_OPEN) return
    index.close()
    open.delete(name)
  }
}
