import { against } from './against'
import { appRows } from './app'
import { engineRows } from './engines'
import type { Row } from './figures'
import { flashcardRows } from './flashcards'
import { importRow } from './import'
import { memoryRows } from './memory'
import { othersRows } from './others'
import { peerRows } from './peers'
import { get, KEY } from './requests'
import { listRow } from './scale'
import { searchRows } from './search'
import { startPeer, startSatchel } from './server'
import { startRows } from './start'
import { taskRows } from './tasks'
import { uploadsRow } from './uploads'
import { wireRows } from './wire'

/** Every figure to reach, in the order of the table. */
export const ROWS: readonly Row[] = [
  against({
    name: 'GET /api/usage against a bare Bun.serve that answers the same bytes',
    target: 0.65,
    connections: 32,
    satchel: { start: startSatchel, request: get('/api/usage') },
    peer: { start: async () => startPeer('bare.ts', await usageAnswer()), request: get('/api/usage') },
  }),
  ...peerRows,
  listRow,
  ...searchRows,
  importRow,
  ...wireRows,
  ...othersRows,
  uploadsRow,
  ...memoryRows,
  ...startRows,
  ...taskRows,
  ...flashcardRows,
  ...appRows,
  ...engineRows,
]

/** What GET /api/usage answers, so that the peer sends as many bytes. */
async function usageAnswer(): Promise<string> {
  const satchel = await startSatchel()
  try {
    const answer = await fetch(`http://127.0.0.1:${satchel.port}/api/usage`, { headers: { 'X-API-Key': KEY } })
    if (answer.status !== 200) throw new Error(`GET /api/usage answered ${answer.status}`)
    return await answer.text()
  } finally {
    await satchel.stop()
  }
}
